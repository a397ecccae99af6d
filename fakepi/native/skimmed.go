package native

import "time"

// Skimmed is what [Skim] reads from a line. Byte slices are parts of the line. Raw JSON
// text includes the quotes of a string; raw contents are what stands between them, still
// escaped (see [Unescape]). A key with a value of the wrong type counts as absent.
type Skimmed struct {
	Kind        Kind
	Delta       DeltaKind   // message_update
	Role        Role        // of the message in message_start, message_end, turn_end and message entries
	Method      Method      // extension_ui_request
	Stop        StopReason  // of an assistant message
	Disposition Disposition // response to prompt, steer, follow_up

	ID       []byte // raw JSON text: header, entry, ui request and response, response, command, bash update
	ParentID []byte // raw JSON text: entry; null for the first one

	// Raw contents.
	ToolCallID []byte // tool events, toolResult messages, toolcall_start
	ToolName   []byte
	Command    []byte // of a response; the type of a command
	Reason     []byte // of a compaction or summarization retry; an assistant's rawStopReason
	Model      []byte // of an assistant message or model change
	Provider   []byte
	Error      []byte // errorMessage, finalError or error
	Text       []byte // title of a ui request

	// Raw JSON text of any value.
	Args    []byte // tool start, update
	Result  []byte // tool end
	Partial []byte // tool update

	DeltaLen     int // bytes of the delta between its quotes: message_update, bash update
	ContentIndex int // of the block that a message_update is about

	// Delay is delayMs of an announced retry. Timeout is the dialog's own, in ms on the
	// wire, or args.timeout of a tool start, in seconds on the wire (bash).
	Delay, Timeout          time.Duration
	HasDelay, HasTimeout    bool
	Attempt, MaxAttempts    int
	Success, HasSuccess     bool // response, auto_retry_end
	Aborted                 bool // agent_settled, compaction_end
	WillRetry, HasWillRetry bool // agent_end, compaction_end
	IsError                 bool // tool end, toolResult message
	Cancelled               bool // ui response; data of new_session, switch_session, fork, clone, bash
	AutoCompaction          bool // the compaction event is auto_compaction_* (before 0.73)
	Cumulative              bool // a message_update with "message" or "partial" (before 0.84)
	Blocks, Calls           int  // of a message: content blocks, tool calls among them
	TextLen, ThinkingLen    int  // of a message: bytes between the quotes, of text without the white space in front
	Usage                   SkimmedUsage
	HasUsage                bool
	Timestamp               int64 // epoch ms: of the message, else of the header or entry
	HasTimestamp            bool
	EntryTimestamp          int64 // epoch ms: of the header or entry
	HasEntryTimestamp       bool
	Streaming, Compacting   Tri   // response to get_state
	Pending                 int   // response to get_state: queued messages
	TokensBefore            int64 // compaction_end, compaction entry, response to compact
	TokensAfter             int64 // the estimate of compaction_end and of the response to compact
}

// SkimmedUsage is the usage of an assistant message or a message_update.
type SkimmedUsage struct {
	Input, Output, CacheRead, CacheWrite, Total int64   // tokens
	Cost                                        float64 // US dollars
}
