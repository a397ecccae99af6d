package oracle

import "math/bits"

// sort is a kind of mistake, or a set of them.
type sort uint64

// The kinds of mistakes.
const (
	early       sort = 1 << iota // a verdict past a limit before that limit
	late                         // the limit passed and the verdict was not confirmed in time
	misnamed                     // the phase is another one
	lingering                    // a verdict past a limit that progress should have ended
	hasty                        // confirmed, or told, without fresh checks that agreed
	harm                         // a destructive command that nothing justifies
	unapproved                   // one that is justified and that the policy does not permit
	uncalled                     // a notice of something that is no reason for one
	untold                       // a confirmed verdict of which the owner was not told
	repeated                     // the same notice again in one episode
	inattentive                  // no notice after attention
	forward                      // an attention notice before its time, or in a phase that excuses silence
	unreminded                   // no reminder after user_wait
	pressing                     // a reminder before its time
	authNotice                   // a second notice for one credential, or none
	invented                     // an end of a quota wait that nobody gave
	unexplained                  // no cause, evidence or next check
	misreasoned                  // a wrong cause, or evidence of something else
	unnamedCall                  // a stalled tool without its call
	otherCall                    // a stalled tool with a call that is not open
	unseenPipe                   // a held pipe or a terminal prompt that was not named
	falseDeath                   // dead without proof
	missedDeath                  // an exit that was not noticed in time
	softDeath                    // an exit that was proven and not called so
	falseLoop                    // a livelock where results or world change
	missedLoop                   // a livelock that was not reported
	control                      // control sequences in a text for people
	awake                        // a wake-up in the past, or without end
	stray                        // about a worker that does not exist
	typedIn                      // words put into a worker that waits for a person
	nudged                       // words as a remedy, where no abort of the watchdog's own calls for them, or again
	vetoed                       // an act in spite of a veto
	intruded                     // an act or alarm in spite of the operator's word
	unsaved                      // a stop without a snapshot behind the last progress
	outrun                       // an act behind the end without a snapshot behind the last write
	rough                        // a rung of the ladder without the one below, or without a grace
	overTool                     // the worker stopped before its tool
	astray                       // a signal to no process in particular, or to one that is not the worker
	doubled                      // two live workers of one task
	orphaned                     // a successor beside what its predecessor started
	overspent                    // an attempt beyond a budget
	hurried                      // an attempt before its backoff is over
	nagged                       // an escalation again
	blind                        // an act again, without a look at what became of it
	rekeyed                      // a key that is no command's own
	unlooked                     // an act after a boot without a fresh probe
	outdated                     // an act on another generation than the one that runs
	unleased                     // a successor without the dispatch lease
	impatient                    // what an outage blocks, tried again
	massed                       // an act on one of many deaths without proof of its own
	thronged                     // too many recoveries at one time
	unproven                     // published, or proposed to be removed, without proof that it is done
	unrestored                   // a removal without a proof that its snapshot restores
	unbriefed                    // a successor that is not told of snapshot and session
	undurable                    // an act while nothing can be made durable
	futile                       // an attempt behind two that ended at the same place
	planless                     // a proposal that does not say what is to be decided
	removed                      // a removal without the owner's yes
	unflagged                    // a dead worker whose flags do not say what it has left
	bouncing                     // an attempt at a task that goes to and fro
	unresolved                   // a worker left to itself at the end
	unfounded                    // a verdict past a limit, or an end, that rests on records which nobody understands
	unbeaten                     // no sign that the watchdog turns
	crash                        // an error or a panic instead of an answer
)

// Kinds that are charged alike.
const (
	alarms   = early | harm | uncalled
	verdicts = alarms | late | misnamed | lingering

	// all that a subject can do wrong by acting, or by leaving it
	deeds = harm | unapproved | typedIn | nudged | vetoed | intruded | unsaved | outrun | rough | astray | doubled |
		orphaned | overspent | hurried | nagged | blind | rekeyed | unlooked | outdated | unleased | impatient | massed | thronged |
		unproven | unrestored | unbriefed | undurable | futile | removed | unflagged | bouncing | unresolved
)

// String returns the word that a report shows for one kind.
func (s sort) String() string {
	return [...]string{
		"early", "late", "misnamed", "lingering", "hasty", "harm", "unapproved", "uncalled", "untold", "repeated", "inattentive",
		"forward", "unreminded", "pressing", "auth notice", "invented", "unexplained", "misreasoned",
		"unnamed call", "other call", "unseen pipe", "false death", "missed death", "soft death", "false loop",
		"missed loop", "control", "awake", "stray",
		"typed in", "nudged", "vetoed", "intruded", "unsaved", "outrun", "rough", "over tool", "astray", "doubled",
		"orphaned", "overspent", "hurried", "nagged", "blind", "rekeyed", "unlooked", "outdated", "unleased", "impatient", "massed",
		"thronged", "unproven", "unrestored", "unbriefed", "undurable", "futile", "planless", "removed", "unflagged", "bouncing", "unresolved",
		"unfounded", "unbeaten", "crash",
	}[bits.TrailingZeros64(uint64(s))]
}
