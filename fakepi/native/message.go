package native

// Message is one message of a conversation, shared by events, RPC data and session
// entries (docs/pi-formats.md, section 2).
type Message interface {
	// Role is the message's role as written.
	Role() string
	message()
}

// UserMessage is a prompt, steer or follow-up.
type UserMessage struct {
	Content   []Block
	Timestamp int64 // epoch ms, when it was accepted
	Odd       *Odd
}

// AssistantMessage is a model reply: just started, finished, failed or aborted.
type AssistantMessage struct {
	Content    []Block
	API        string
	Provider   string
	Model      string
	Usage      Usage
	StopReason string // see [ParseStopReason]; "pending" only while it streams
	Timestamp  int64  // epoch ms, when the request started
	// Synthetic marks the empty message that Pi itself adds after an aborted tool: there
	// errorMessage stands before timestamp.
	Synthetic     bool
	ResponseID    Opt[string] // the provider's, from the first chunk on
	ResponseModel Opt[string] // if the provider names another model
	RawStopReason Opt[string] // the provider's own word
	ErrorMessage  Opt[string]
	DurationMs    Opt[int64] // from request start to end
	ThinkingLevel Opt[string]
	Odd           *Odd
}

// ToolResultMessage is what the model is told about one tool call.
type ToolResultMessage struct {
	ToolCallID string
	ToolName   string
	Content    []Block
	Details    Value // nil when absent
	IsError    bool
	DurationMs Opt[int64] // absent if the tool never ran
	Timestamp  int64      // epoch ms
	Odd        *Odd
}

// SystemMessage is the system prompt, the first message of a session's first run.
type SystemMessage struct {
	Content    string
	Sections   SystemSections
	Timestamp  int64 // epoch ms
	ToolsAdded []ToolSpec
	Compacted  bool // a compaction kept it: the stamp stands last
	Odd        *Odd
}

// SystemSections are the parts of the system prompt.
type SystemSections struct {
	Preamble       string
	Tools          string
	Rules          string
	Docs           string
	Addendum       Opt[string] // what --append-system-prompt adds
	ProjectContext Opt[string] // AGENTS.md and the like
	CWD            string
	Odd            *Odd
}

// ToolSpec is a tool as the model is told of it.
type ToolSpec struct {
	Name                string
	Description         string
	Parameters          Value // a JSON schema
	ConstrainedSampling Value
	Odd                 *Odd
}

// BashExecutionMessage is the result of the rpc command bash; only in session files
// and get_messages.
type BashExecutionMessage struct {
	Command            string
	Output             string
	ExitCode           Opt[int64] // absent when cancelled
	Cancelled          bool
	Truncated          bool
	FullOutputPath     Opt[string] // of a truncated output
	Timestamp          int64       // epoch ms
	ExcludeFromContext Opt[bool]   // the model is not told of it
	Odd                *Odd
}

// CompactionSummaryMessage stands for the messages that a compaction has summarised; only in get_messages.
type CompactionSummaryMessage struct {
	Summary      string
	TokensBefore int64
	Timestamp    int64 // epoch ms
	Odd          *Odd
}

// UnknownMessage is a message of an unknown role.
type UnknownMessage struct{ Value Object }

func (*UserMessage) Role() string          { return "user" }
func (*AssistantMessage) Role() string     { return "assistant" }
func (*ToolResultMessage) Role() string    { return "toolResult" }
func (*SystemMessage) Role() string        { return "system" }
func (*BashExecutionMessage) Role() string { return "bashExecution" }

// Role returns compactionSummary.
func (*CompactionSummaryMessage) Role() string { return "compactionSummary" }

// Role returns the object's "role", or "".
func (m *UnknownMessage) Role() string {
	role, _ := m.Value.Get("role").(String)
	return string(role)
}

func (*UserMessage) message()              {}
func (*AssistantMessage) message()         {}
func (*ToolResultMessage) message()        {}
func (*SystemMessage) message()            {}
func (*BashExecutionMessage) message()     {}
func (*CompactionSummaryMessage) message() {}
func (*UnknownMessage) message()           {}

// Block is one part of a message's content.
type Block interface{ block() }

// TextBlock is plain text.
type TextBlock struct {
	Text  string
	Index Opt[int64] // scratch, see [Scratch]
	Odd   *Odd
}

// ThinkingBlock is the model's reasoning.
type ThinkingBlock struct {
	Thinking  string
	Signature Opt[string] // "reasoning_content", or the provider's signature
	Index     Opt[int64]  // scratch, see [Scratch]
	Odd       *Odd
}

// ToolCall asks for a tool.
type ToolCall struct {
	ID        string
	Name      string
	Arguments Value
	// ArgumentsError is set when the streamed arguments were no JSON; Arguments is then {}.
	ArgumentsError Opt[string]
	Scratch        Scratch
	Odd            *Odd
}

// Scratch is what the adapter of a provider notes in a block while it streams. Dialects
// with cumulative updates print it (docs/pi-formats.md, section 3.1); Arguments is then
// what could be read of the pieces so far.
type Scratch struct {
	PartialArgs Opt[string] // openai-completions: the arguments' JSON so far
	StreamIndex Opt[int64]
	PartialJSON Opt[string] // anthropic-messages: the same
	Index       Opt[int64]
}

// ImageBlock is an inline image.
type ImageBlock struct {
	Data     string // base64
	MimeType string
	Odd      *Odd
}

// UnknownBlock is a block of an unknown type.
type UnknownBlock struct{ Value Value }

func (*TextBlock) block()     {}
func (*ThinkingBlock) block() {}
func (*ToolCall) block()      {}
func (*ImageBlock) block()    {}
func (*UnknownBlock) block()  {}

// Usage counts tokens of one reply; all zero until the provider reports.
type Usage struct {
	Input        int64 // prompt tokens without the cached ones
	Output       int64
	CacheRead    int64
	CacheWrite   int64
	Reasoning    Opt[int64] // openai-completions, once reported
	Total        int64
	Cost         Cost
	CacheWrite1h Opt[int64] // anthropic-messages, once reported
	Odd          *Odd
}

// Cost is in US dollars.
type Cost struct {
	Input             float64
	Output            float64
	CacheRead         float64
	CacheWrite        float64
	Total             float64
	TotalFromProvider Opt[bool] // once usage is reported
	Odd               *Odd
}

// ToolResult is the result, or partial result, of a tool execution event.
type ToolResult struct {
	Content           []Block
	Details           Value     // nil when absent
	StructuredContent Value     // nil when absent
	IsError           Opt[bool] // only where the tool itself said so
	Odd               *Odd
}
