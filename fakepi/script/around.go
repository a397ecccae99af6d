package script

// The actions of those around the workers: the world, its people.

// Link is the connection to the spawner.
type Link struct{ Up bool }

// Suspend lets the host sleep: no time passes on the script's clock, D passes on the others.
type Suspend struct{ D Span }

// Dirty leaves uncommitted work in a worker's worktree.
type Dirty struct{ Worker string }

// Worktree changes a worker's worktree by another hand than the worker's. Nobody is told.
type Worktree struct {
	Worker string
	Change WorktreeChange
}

// WorktreeChange is a change to a worktree.
type WorktreeChange string

// The changes.
const (
	TreeEdited    WorktreeChange = "edited"    // a tracked file
	TreeUntracked WorktreeChange = "untracked" // a new file
	TreeIgnored   WorktreeChange = "ignored"   // a file that git is told to ignore
	TreeCommitted WorktreeChange = "committed" // one commit more, of all that was uncommitted
	TreePushed    WorktreeChange = "pushed"    // the remote has the head
	TreeReverted  WorktreeChange = "reverted"  // the head is that of the remote again
	TreeMidway    WorktreeChange = "midway"    // in the middle of a merge
	TreeMissing   WorktreeChange = "missing"   // the folder is gone, the branch is left
	TreeCleaned   WorktreeChange = "cleaned"   // nothing is uncommitted
)

// Gate is the status of a check on the head of a worker's worktree.
type Gate struct {
	Worker string
	Name   string
	Status string // "absent", "running", "passed", "failed"
	By     string // who reports it; default "ci"
}

// Outcome is what becomes of the watchdog's next commands of a kind, beside what the world would do of itself.
type Outcome struct {
	Worker  string
	Command string // a kind of command
	Fate    CommandFate
	Times   int  // how many of them
	After   Span // so much later than usual
}

// CommandFate is what becomes of a command.
type CommandFate string

// The fates.
const (
	CommandDone    CommandFate = "done"    // what the world makes of it; of use with After
	CommandFailed  CommandFate = "failed"  // no effect
	CommandRefused CommandFate = "refused" // certainly no effect
	CommandUnknown CommandFate = "unknown" // no effect, and nobody can say
	CommandUnheard CommandFate = "unheard" // done, and nobody can say
	CommandClaimed CommandFate = "claimed" // no effect, and it is said to be done
)

// Healed ends every fault that the world has: link, disk, probes.
type Healed struct{}

// Disk is whether anything can be written durably.
type Disk struct{ Full bool }

// Clock changes the civil clock: by a jump, or to another zone.
type Clock struct {
	Jumps Span   // may be negative
	Zone  string // offset from UTC, "+05:30"
}

// Reboots restarts the machine: every process is gone and the boot id is another.
type Reboots struct{}

// Gap drops what the worker writes next to a stream, so that the watchdog does not see it.
type Gap struct {
	Worker  string
	Stream  string
	Bytes   int64
	Unknown bool // the watchdog does not learn how many
}

// Truncates cuts a followed file to nothing.
type Truncates struct{ Worker, Stream string }

// Replaces puts a new file in the place of a followed one.
type Replaces struct{ Worker, Stream string }

// Probes is what the probes of a worker say from now on.
type Probes struct {
	Worker string
	Says   ProbeSays
	What   string // "state", "processes" or "world"; default the first two
	Source string // who answers: "tmux"; default as usual
	Text   string // the source's own words
	For    Span   // default until the next probes of this worker, or healed
}

// ProbeSays is what a probe says.
type ProbeSays string

// What probes may say.
const (
	ProbesTruth   ProbeSays = "truth"   // as things are
	ProbesFail    ProbeSays = "fail"    // the probe itself failed
	ProbesUnknown ProbeSays = "unknown" // an answer that nobody has seen before
	ProbesGone    ProbeSays = "gone"    // there is no such process
	ProbesStale   ProbeSays = "stale"   // what was true when this step came
	ProbesNothing ProbeSays = "nothing" // no answer comes
	ProbesReused  ProbeSays = "reused"  // another process has the pid of one that has ended
)

// Task changes the worker's row in the tracker; what is not given stays.
type Task struct {
	Worker      string
	Status      string
	Assignee    string
	Heartbeat   Span   // against civil now: negative is past, positive a stamp from the future
	NoHeartbeat bool   // the row never had one
	PullRequest string // "open" or "closed"
	Vetoes      string // comma-separated, or none
	Lease       string // who holds it
	LeaseFor    Span   // from now; negative is past
}

// Decides is the owner's answer to what the watchdog proposes, whenever that comes.
type Decides struct {
	Approve bool
	Item    string // a command's kind, its effect class, or the key of the proposal; default every item
	After   Span   // after the proposal; default at once
	Valid   Span   // how long the decision holds; default without end
	By      Giver
}

// Giver is by whom a word of the owner or the operator comes; empty: by themselves, as whoever takes it can see.
type Giver string

// Who may give a word that is not seen to be its owner's.
const (
	ByKey    Giver = "key"    // nobody knows who, but it is signed with the owner's key
	ByForger Giver = "forger" // the same, and signed with another key
	ByWorker Giver = "worker" // a supervised process, and it is not signed
	ByAgain  Giver = "again"  // a supervised process shows once more what was signed with the owner's key
)

// Intends is what the operator records for a worker.
type Intends struct {
	Intent string // "stop", "pause", "resume", "rearm"
	Worker string
	By     Giver
}

// Answers answers a dialog. Its time counts from the dialog where it has no anchor.
type Answers struct {
	Value string // of a confirm "yes" or "no"
	Of    string // label of the dialog; default the last one asked
	After Span
}

// Cancels closes a dialog without an answer.
type Cancels struct {
	Of    string
	After Span
}

// Verb implements Action.
func (Link) Verb() string      { return "link" }
func (Suspend) Verb() string   { return "suspend" }
func (Dirty) Verb() string     { return "dirty" }
func (Worktree) Verb() string  { return "worktree" }
func (Gate) Verb() string      { return "gate" }
func (Outcome) Verb() string   { return "outcome" }
func (Healed) Verb() string    { return "healed" }
func (Disk) Verb() string      { return "disk" }
func (Clock) Verb() string     { return "clock" }
func (Reboots) Verb() string   { return "reboots" }
func (Gap) Verb() string       { return "gap" }
func (Truncates) Verb() string { return "truncates" }
func (Replaces) Verb() string  { return "replaces" }
func (Probes) Verb() string    { return "probes" }
func (Task) Verb() string      { return "task" }
func (a Decides) Verb() string {
	if a.Approve {
		return "yes"
	}
	return "no"
}
func (a Intends) Verb() string { return a.Intent }
func (Answers) Verb() string   { return "answers" }
func (Cancels) Verb() string   { return "cancels" }
