package script

// Action is what a step does: one of the structs of this package, by value. Each is one verb; fields that the script
// leaves out have the default that their comment names.
type Action interface{ Verb() string }

// Text is a string of the script, or the payload file that holds it.
type Text struct {
	Value string
	File  string // name of the payload file; empty for a quoted string
}

// In is the text itself, where a payload file is one of these; empty if that is missing.
func (t Text) In(files map[string][]byte) string {
	if t.File != "" {
		return string(files[t.File])
	}
	return t.Value
}

// Mode is how a worker is started.
type Mode string

// The modes of Pi; the default is rpc.
const (
	ModeRPC   Mode = "rpc"
	ModeJSON  Mode = "json"
	ModePrint Mode = "print"
	ModeTUI   Mode = "tui"
)

// OneShot reports whether a worker of this mode ends after its task.
func (m Mode) OneShot() bool { return m == ModeJSON || m == ModePrint }

// Known reports whether m is one of the modes.
func (m Mode) Known() bool { return m == ModeRPC || m == ModeJSON || m == ModePrint || m == ModeTUI }

// Spawn starts the worker, or its next generation. A JSON worker prints its session header at once.
type Spawn struct {
	Agent      string // what kind of agent it is; empty: Pi
	Version    string // of the agent; empty: the worker's default
	Mode       Mode
	Source     string // "held" (default): a holder owns the pipes; "followed": files are read
	Parent     bool   // default yes: the holder is the parent and learns the exit
	Model      string // empty: the worker's default
	Credential string // name of the credential in use
	Task       string // default: the actor's name
	Worktree   string
	Session    string
	Autonomous bool // default yes; no: a person works in this session
	StdinOpen  bool // the launcher left stdin open: a one-shot prints nothing before its end
	Status     bool // a TUI tells its state by OSC 7501

	// Respawned: a watchdog starts it. The steps up to the worker's next spawn keep their distance to this one and are
	// played when the start takes effect; where no start does, they are not.
	Respawned bool
}

// Prompt is a client's prompt while the worker is idle: the line on stdin, its response, agent_start, turn_start, the
// user message. In a one-shot mode it was given on the command line, and only the events come.
type Prompt struct {
	Text         Text
	Takes        Span // from the line to the response; default none; never: no answer and no run
	ResponseOnly bool // the response comes, the run does not
	Handled      bool // the response says "handled": a command of an extension, no run
	Twice        bool // written twice back to back: two responses, an early agent_settled, the second is lost
}

// Steer is a client's message for the running turn: queued now, delivered after the current message and its tools.
type Steer struct{ Text Text }

// FollowUp is a client's message for later: queued now, delivered when the agent would stop.
type FollowUp struct{ Text Text }

// Opens starts an assistant message without content: the provider sent its headers and its first chunk, and no token.
type Opens struct {
	Headers bool // no chunk: the message has no id yet
}

// Says streams a text block, opening an assistant message where none is open, and leaves the message open: tool,
// closes, ends, refused or settles closes it.
type Says struct {
	Text   Text
	Over   Span // first to last chunk; default: all at once
	Chunks int  // default 1, or one a word with Over
}

// Thinks is silence of the model (For), or a thinking block streamed like the text of Says (Text).
type Thinks struct {
	For       Span
	Keepalive Span // of silence: the provider sends what is no event that often
	Text      Text
	Over      Span
	Chunks    int
}

// Reports is what the provider counts of the open message, instead of an estimate; in tokens.
type Reports struct {
	Input     int64 // those in the cache included
	Output    int64 // those of the thinking included
	Cached    int64
	Reasoning int64
}

// Calls streams a tool call into the message without running it.
type Calls struct {
	Name    string
	Command Text
	Args    Text // all the arguments, as the model writes them, instead of Command; they need not be JSON
	Over    Span
	Chunks  int
}

// Tool runs a tool call. It closes the open message (opening one where none is) with stop reason toolUse; tools that
// start while another of the same message runs are further calls of that message.
type Tool struct {
	Call    string // label of the Calls step that streamed it; Name and Command are then that step's
	Name    string
	Command Text // the main argument: command, path ...; empty: the call has no arguments
	Args    Text // as of Calls
	Runs    Span // working time; a dialog inside the tool stops its clock
	Child   Child
	Bursts  Span   // new output that often
	Repeats Span   // the unchanged accumulated partial result that often
	For     Span   // how long Child busy, Bursts or Repeats last; default as long as the tool
	Timeout Span   // the tool's own declared timeout: it ends there at the latest
	Deaf    bool   // the declared timeout does not end it
	Fails   bool   // the result is an error
	Blocked bool   // it never runs: there is no such tool, or an extension does not let it
	Gives   Text   // the output; of Bursts each prints a line; of a call that is blocked, why; default none, or Pi's text
	Writes  bool   // changes the worktree when it ends
	Commits bool   // adds a commit when it ends
	Pushes  bool   // publishes when it ends
	ID      string // the provider's call id; default made from the seed

	// Batch numbers the messages of the actor that made calls, from 1: tools of one number are calls of one message.
	// Set by Resolve.
	Batch int
}

// Child is what the processes of a tool do.
type Child string

// What a tool's processes may do.
const (
	ChildIdle  Child = ""      // alive, no CPU, no I/O
	ChildBusy  Child = "busy"  // uses CPU
	ChildTTY   Child = "tty"   // blocked reading a terminal
	ChildHolds Child = "holds" // the shell is gone, a descendant holds its output pipe
	ChildDead  Child = "dead"  // all have ended and nobody holds the pipe, yet the call stays open
)

// Asks opens a dialog. It holds the worker, or the tool call in which it stands, until an answer or its timeout.
type Asks struct {
	Method  Method
	Title   string
	Options []string // of a select; of an input its placeholder, if it has one
	Timeout Span     // the dialog's own; default none
}

// Method is a way to ask.
type Method string

// The methods of Pi's dialogs, and the menus that a TUI shows at its start.
const (
	AskSelect  Method = "select"
	AskConfirm Method = "confirm"
	AskInput   Method = "input"
	AskEditor  Method = "editor"
	AskTrust   Method = "trust"
	AskResume  Method = "resume"
)

// Notifies is an extension's message that waits for nothing.
type Notifies struct {
	Method string // "notify" (default), "warning", "error", "status", "widget", "title", "editor_text"
	Text   string
	Every  Span // repeated that often
	Over   Span // for that long
}

// Chatter is output that is no progress.
type Chatter struct {
	Kind  ChatterKind
	Every Span
	Over  Span
}

// ChatterKind is a kind of output that is no progress.
type ChatterKind string

// The kinds of chatter.
const (
	ChatterState   ChatterKind = "state"   // a client asks get_state and is answered
	ChatterQueue   ChatterKind = "queue"   // queue_update
	ChatterName    ChatterKind = "name"    // session_info_changed
	ChatterLevel   ChatterKind = "level"   // thinking_level_changed
	ChatterStderr  ChatterKind = "stderr"  // a warning on stderr
	ChatterSpinner ChatterKind = "spinner" // a TUI repaints
	ChatterOSC     ChatterKind = "osc"     // a TUI's progress sign, OSC 9;4
)

// StopReason is why an assistant message ended.
type StopReason string

// The stop reasons that a script may give; errors are the verb refused.
const (
	StopStop    StopReason = "stop"
	StopToolUse StopReason = "toolUse"
	StopLength  StopReason = "length"
	StopAborted StopReason = "aborted"
)

// Closes ends the open message (message_end, and turn_end where no call is open) and leaves the run open.
type Closes struct{ Stop StopReason } // default toolUse if the message has calls, else stop

// Ends ends the tool or compaction Of, or without one the run: the open message is closed, then turn_end and
// agent_end.
type Ends struct {
	Of        string     // label of a tool or compaction that runs never
	Stop      StopReason // of the run's last message; default stop
	WillRetry bool       // agent_end says so
}

// Refused is an error of the provider: it ends the open message, or refuses the request before any token, and ends
// the run.
type Refused struct {
	Class      Class
	Message    Text   // the provider's; default one for the class
	Status     int    // of HTTP; default one for the class
	Type       string // the provider's word for the error; default one for the class
	By         Break  // how it comes; default by Status, in an open message RefusedReset if transient, else RefusedEvent
	Reset      Span   // of quota: when it says that the limit resets; default unknown
	RetryAfter Span   // when the provider would have the next request; what Pi does with it says retries
	WillRetry  bool   // agent_end announces a retry even where no retries follows
}

// Class is a class of provider errors.
type Class string

// The classes.
const (
	RefusedTransient Class = "transient" // Pi retries: 429, 5xx, connection lost
	RefusedQuota     Class = "quota"     // a usage or spend limit
	RefusedAuth      Class = "auth"      // 401, 403
	RefusedOverflow  Class = "overflow"  // the context is too long: Pi compacts and retries
	RefusedOther     Class = "other"     // 400, content filter: the end
)

// Break is a way for an error to come that is no status of HTTP.
type Break string

// The ways.
const (
	RefusedReset  Break = "reset"  // the connection breaks
	RefusedClose  Break = "close"  // the connection is closed
	RefusedEnd    Break = "end"    // the response ends without a reason, which pi-0.73 takes for a good end
	RefusedEvent  Break = "event"  // an error in the stream
	RefusedFilter Break = "filter" // the finish reason is content_filter
)

// Retries announces a retry after a delay; at its end the next run starts. Hidden announces nothing. Cancelled is when
// a client has ended the delay instead: Pi gives up and settles.
type Retries struct {
	Delay     Span
	Hidden    bool
	Cancelled Span
}

// Compacts summarises the context. After an overflow the run goes on at its end.
type Compacts struct {
	Reason string // "threshold" (default), "manual", "overflow"
	Runs   Span
	Same   bool  // the context does not shrink
	Fails  bool  // ends with an error
	Gives  Text  // the summary; default: one of the provider's
	Turn   Text  // that of a turn that is divided; default: the same
	Input  int64 // tokens that the provider counts for it; 0: it estimates
	Output int64
}

// Settles ends whatever is open, with stop reason stop, and prints agent_settled.
type Settles struct{}

// Stalls is the provider's or the agent's silence for ever: what was under way stops, nothing that is progress comes
// again. The process answers, and an abort works.
type Stalls struct {
	Keepalive Span // the provider sends what is no event that often
	Again     bool // a prompt that a watchdog sends later gets no token either
}

// Wedges is Stalls for a worker that does not obey.
type Wedges struct {
	How Wedge
}

// Wedge is how a worker is wedged.
type Wedge string

// The ways to be wedged.
const (
	WedgeDeaf     Wedge = "deaf"     // answers get_state, ignores an abort (default)
	WedgeFrozen   Wedge = "frozen"   // stopped: answers nothing, state T
	WedgeSpinning Wedge = "spinning" // its event loop is busy: answers nothing, uses CPU
)

// Lingers says that a settled one-shot does not exit.
type Lingers struct{}

// Exits ends the process.
type Exits struct {
	Code   int
	Stderr Text // printed before
}

// Killed ends the process by a signal.
type Killed struct{ Signal string } // "SIGKILL"

// EOF closes one of the worker's streams. Without it streams close at the exit; one that comes later than the exit is
// held open by a descendant.
type EOF struct{ Stream string } // "out" (default), "err"

// Raw writes bytes as they are.
type Raw struct {
	Stream   string // "out" (default), "err", "session", "pty"
	Data     Text
	Times    int // the bytes so often in one write; default 1
	Every    Span
	Over     Span
	Progress bool // the bytes are, or complete, an event that is progress
}

// Verb implements Action.
func (Spawn) Verb() string    { return "spawn" }
func (Prompt) Verb() string   { return "prompt" }
func (Steer) Verb() string    { return "steer" }
func (FollowUp) Verb() string { return "follow_up" }
func (Opens) Verb() string    { return "opens" }
func (Says) Verb() string     { return "says" }
func (Thinks) Verb() string   { return "thinks" }
func (Reports) Verb() string  { return "reports" }
func (Calls) Verb() string    { return "calls" }
func (Tool) Verb() string     { return "tool" }
func (Asks) Verb() string     { return "asks" }
func (Notifies) Verb() string { return "notifies" }
func (Chatter) Verb() string  { return "chatter" }
func (Closes) Verb() string   { return "closes" }
func (Ends) Verb() string     { return "ends" }
func (Refused) Verb() string  { return "refused" }
func (Retries) Verb() string  { return "retries" }
func (Compacts) Verb() string { return "compacts" }
func (Settles) Verb() string  { return "settles" }
func (Stalls) Verb() string   { return "stalls" }
func (Wedges) Verb() string   { return "wedges" }
func (Lingers) Verb() string  { return "lingers" }
func (Exits) Verb() string    { return "exits" }
func (Killed) Verb() string   { return "killed" }
func (EOF) Verb() string      { return "eof" }
func (Raw) Verb() string      { return "raw" }
