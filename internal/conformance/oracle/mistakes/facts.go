package mistakes

// Facts are what happened in a worker's history, as far as it says which requirement a mistake breaks.
type Facts uint32

// The facts.
const (
	OutputWithoutProgress Facts = 1 << iota
	ProbesFailed                // or lied, or conflicted
	FileReplaced
	BytesMissing
	FinishedMessagesOnly // is all that the source shows
	ClockLeapt
	HostSlept
	TrackerShown // a row of it
	OwnerTold    // of something in the standing episode
	Recovered    // from an alarm that was right
	DialogOpened
	Delayed // by an announced delay
	Compacted
	Refused       // by the provider: quota or credential
	BeforeLimit   // the silence has outlasted attention and not the phase's limit
	ProcessesGone // of an open call
	ParallelCalls
	LimitsOverridden
	ExitedWithZero
)
