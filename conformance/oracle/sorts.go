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
	twiceAuth                    // a second notice for one credential
	unsaidAuth                   // no notice of a refused credential
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
	unfounded                    // a verdict past a limit, or an end, that rests on records which nobody understands
	crash                        // an error or a panic instead of an answer
)

// Kinds that are charged alike.
const (
	alarms   = early | harm | uncalled
	verdicts = alarms | late | misnamed | lingering
)

// String returns the word that a report shows for one kind.
func (s sort) String() string {
	return [...]string{
		"early", "late", "misnamed", "lingering", "hasty", "harm", "unapproved", "uncalled", "untold", "repeated", "inattentive",
		"forward", "unreminded", "pressing", "twice auth", "unsaid auth", "invented", "unexplained", "misreasoned",
		"unnamed call", "other call", "unseen pipe", "false death", "missed death", "soft death", "false loop",
		"missed loop", "control", "awake", "stray", "unfounded", "crash",
	}[bits.TrailingZeros64(uint64(s))]
}
