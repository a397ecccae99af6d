package native

// The stream events of json and rpc mode (docs/pi-formats.md, section 3).
type (
	// AgentStart opens a run.
	AgentStart struct{ Odd *Odd }

	// AgentEnd closes a run; it is not the end of work (retry, compaction may follow).
	AgentEnd struct {
		Messages  []Message // of this run only
		WillRetry bool
		Odd       *Odd
	}

	// AgentSettled is the terminal event.
	AgentSettled struct {
		Aborted bool
		Odd     *Odd
	}

	// TurnStart opens a turn: one request to the model and its tools.
	TurnStart struct{ Odd *Odd }

	// TurnEnd closes a turn.
	TurnEnd struct {
		Message     Message
		ToolResults []Message
		Odd         *Odd
	}

	// MessageStart and MessageEnd bracket every message.
	MessageStart struct {
		Message Message
		Odd     *Odd
	}

	// MessageEnd carries the finished message.
	MessageEnd struct {
		Message Message
		Odd     *Odd
	}

	// MessageUpdate is one step of a streaming assistant message.
	MessageUpdate struct {
		Usage   Usage // dialects with delta-only updates
		Event   AssistantEvent
		Message *AssistantMessage // dialects with cumulative updates
		Odd     *Odd
	}

	// AssistantEvent is the assistantMessageEvent of an update. Which fields are set
	// follows from Type.
	AssistantEvent struct {
		Type         string // see [ParseDelta]
		ContentIndex int64
		Delta        Opt[string]       // *_delta
		Content      Opt[string]       // text_end, thinking_end
		ID           Opt[string]       // toolcall_start
		ToolName     Opt[string]       // toolcall_start
		ToolCall     *ToolCall         // toolcall_end
		Partial      *AssistantMessage // dialects with cumulative updates
		Odd          *Odd
	}

	// ToolStart opens a tool call. With a permission gate it comes before the question.
	ToolStart struct {
		ToolCallID string
		ToolName   string
		Args       Value
		Odd        *Odd
	}

	// ToolUpdate carries the cumulative output so far.
	ToolUpdate struct {
		ToolCallID    string
		ToolName      string
		Args          Value
		PartialResult ToolResult
		Odd           *Odd
	}

	// ToolEnd closes a tool call.
	ToolEnd struct {
		ToolCallID string
		ToolName   string
		Result     ToolResult
		IsError    bool
		DurationMs Opt[int64] // absent if the tool never ran
		Odd        *Odd
	}

	// QueueUpdate carries the full queues.
	QueueUpdate struct {
		Steering []string
		FollowUp []string
		Odd      *Odd
	}

	// RetryStart announces a delay; nothing is printed until it is over.
	RetryStart struct {
		Attempt      int64 // from 1
		MaxAttempts  int64
		DelayMs      float64
		ErrorMessage string
		Odd          *Odd
	}

	// RetryEnd tells that a retry worked, or that Pi gave up.
	RetryEnd struct {
		Success    bool
		Attempt    int64
		FinalError Opt[string]
		Odd        *Odd
	}

	// CompactionStart opens a compaction; nothing is printed until its end.
	CompactionStart struct {
		Reason string // manual, threshold, overflow
		Odd    *Odd
	}

	// CompactionEnd closes a compaction.
	CompactionEnd struct {
		Reason       string
		Result       *CompactionResult // nil when absent
		Aborted      bool
		WillRetry    bool
		ErrorMessage Opt[string]
		Odd          *Odd
	}

	// CompactionResult is also the data of the response to compact.
	CompactionResult struct {
		Summary              string
		FirstKeptEntryID     string
		TokensBefore         int64
		EstimatedTokensAfter Opt[int64]
		Usage                *Usage // nil when absent
		Details              Value
		Odd                  *Odd
	}

	// EntryAppended mirrors a session entry; recorded only with [ContextEdit].
	EntryAppended struct {
		Entry Entry
		Odd   *Odd
	}

	// SummarizationRetry stands for summarization_retry_scheduled, _attempt_start and
	// _finished: a retry of the summary call inside a compaction.
	SummarizationRetry struct {
		Name         string // the full type name
		Attempt      Opt[int64]
		MaxAttempts  Opt[int64]
		DelayMs      Opt[float64]
		ErrorMessage Opt[string]
		Source       Opt[string]
		Reason       Opt[string]
		Odd          *Odd
	}

	// SessionInfoChanged follows set_session_name.
	SessionInfoChanged struct {
		Name Opt[string]
		Odd  *Odd
	}

	// ThinkingLevelChanged follows set_model and set_thinking_level.
	ThinkingLevelChanged struct {
		Level string
		Odd   *Odd
	}

	// BashUpdate is output of the rpc command bash.
	BashUpdate struct {
		ID    Value // of the command; nil when it had none
		Delta string
		Odd   *Odd
	}

	// ExtensionError reports an extension's exception.
	ExtensionError struct {
		ExtensionPath string
		Event         string
		Error         string
		Odd           *Odd
	}
)

func (*AgentStart) Type() string           { return "agent_start" }
func (*AgentEnd) Type() string             { return "agent_end" }
func (*AgentSettled) Type() string         { return "agent_settled" }
func (*TurnStart) Type() string            { return "turn_start" }
func (*TurnEnd) Type() string              { return "turn_end" }
func (*MessageStart) Type() string         { return "message_start" }
func (*MessageEnd) Type() string           { return "message_end" }
func (*MessageUpdate) Type() string        { return "message_update" }
func (*ToolStart) Type() string            { return "tool_execution_start" }
func (*ToolUpdate) Type() string           { return "tool_execution_update" }
func (*ToolEnd) Type() string              { return "tool_execution_end" }
func (*QueueUpdate) Type() string          { return "queue_update" }
func (*RetryStart) Type() string           { return "auto_retry_start" }
func (*RetryEnd) Type() string             { return "auto_retry_end" }
func (*CompactionStart) Type() string      { return "compaction_start" }
func (*CompactionEnd) Type() string        { return "compaction_end" }
func (*EntryAppended) Type() string        { return "entry_appended" }
func (r *SummarizationRetry) Type() string { return r.Name }
func (*SessionInfoChanged) Type() string   { return "session_info_changed" }
func (*ThinkingLevelChanged) Type() string { return "thinking_level_changed" }
func (*BashUpdate) Type() string           { return "bash_execution_update" }
func (*ExtensionError) Type() string       { return "extension_error" }

func (*AgentStart) record()           {}
func (*AgentEnd) record()             {}
func (*AgentSettled) record()         {}
func (*TurnStart) record()            {}
func (*TurnEnd) record()              {}
func (*MessageStart) record()         {}
func (*MessageEnd) record()           {}
func (*MessageUpdate) record()        {}
func (*ToolStart) record()            {}
func (*ToolUpdate) record()           {}
func (*ToolEnd) record()              {}
func (*QueueUpdate) record()          {}
func (*RetryStart) record()           {}
func (*RetryEnd) record()             {}
func (*CompactionStart) record()      {}
func (*CompactionEnd) record()        {}
func (*EntryAppended) record()        {}
func (*SummarizationRetry) record()   {}
func (*SessionInfoChanged) record()   {}
func (*ThinkingLevelChanged) record() {}
func (*BashUpdate) record()           {}
func (*ExtensionError) record()       {}
