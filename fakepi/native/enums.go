package native

// DeltaKind is the type of a message_update's assistantMessageEvent.
type DeltaKind uint8

// The kinds of deltas. DeltaNone is of a record that has none.
const (
	DeltaNone DeltaKind = iota
	DeltaTextStart
	DeltaText
	DeltaTextEnd
	DeltaThinkingStart
	DeltaThinking
	DeltaThinkingEnd
	DeltaToolCallStart
	DeltaToolCall
	DeltaToolCallEnd
	DeltaOther
)

// ParseDelta returns the kind of an assistantMessageEvent type.
func ParseDelta[S ~string | ~[]byte](name S) DeltaKind {
	switch string(name) {
	case "text_start":
		return DeltaTextStart
	case "text_delta":
		return DeltaText
	case "text_end":
		return DeltaTextEnd
	case "thinking_start":
		return DeltaThinkingStart
	case "thinking_delta":
		return DeltaThinking
	case "thinking_end":
		return DeltaThinkingEnd
	case "toolcall_start":
		return DeltaToolCallStart
	case "toolcall_delta":
		return DeltaToolCall
	case "toolcall_end":
		return DeltaToolCallEnd
	}
	return DeltaOther
}

// Role is the role of a message.
type Role uint8

// The roles. RoleNone is of a record without a message.
const (
	RoleNone Role = iota
	RoleUser
	RoleAssistant
	RoleToolResult
	RoleSystem
	RoleBashExecution
	RoleOther
)

// ParseRole returns the role of that name.
func ParseRole[S ~string | ~[]byte](name S) Role {
	switch string(name) {
	case "user":
		return RoleUser
	case "assistant":
		return RoleAssistant
	case "toolResult":
		return RoleToolResult
	case "system":
		return RoleSystem
	case "bashExecution":
		return RoleBashExecution
	}
	return RoleOther
}

// Method is the method of an extension_ui_request.
type Method uint8

// The methods. MethodNone is of a record that asks nothing.
const (
	MethodNone Method = iota
	MethodSelect
	MethodConfirm
	MethodInput
	MethodEditor
	MethodNotify
	MethodSetStatus
	MethodSetWidget
	MethodSetTitle
	MethodSetEditorText
	MethodOther
)

// Blocks reports whether the request waits for an answer (WDC-WAIT-001, 002). A method
// that is not known does not: a wait needs a structured request (WDC-WAIT-007).
func (m Method) Blocks() bool { return m >= MethodSelect && m <= MethodEditor }

// ParseMethod returns the method of that name.
func ParseMethod[S ~string | ~[]byte](name S) Method {
	switch string(name) {
	case "select":
		return MethodSelect
	case "confirm":
		return MethodConfirm
	case "input":
		return MethodInput
	case "editor":
		return MethodEditor
	case "notify":
		return MethodNotify
	case "setStatus":
		return MethodSetStatus
	case "setWidget":
		return MethodSetWidget
	case "setTitle":
		return MethodSetTitle
	case "set_editor_text":
		return MethodSetEditorText
	}
	return MethodOther
}

// StopReason is why an assistant message ended.
type StopReason uint8

const (
	StopNone StopReason = iota
	StopStop
	StopToolUse
	StopLength
	StopError
	StopAborted
	StopPending // it has not ended
	StopOther
)

// ParseStopReason returns the stop reason of that name.
func ParseStopReason[S ~string | ~[]byte](name S) StopReason {
	switch string(name) {
	case "stop":
		return StopStop
	case "toolUse":
		return StopToolUse
	case "length":
		return StopLength
	case "error":
		return StopError
	case "aborted":
		return StopAborted
	case "pending":
		return StopPending
	}
	return StopOther
}

// Disposition is what became of a prompt, steer or follow_up.
type Disposition uint8

// The dispositions. DispositionNone is of a record that has none.
const (
	DispositionNone Disposition = iota
	DispositionStarted
	DispositionQueued
	DispositionHandled
	DispositionOther
)

// ParseDisposition returns the disposition of that name.
func ParseDisposition[S ~string | ~[]byte](name S) Disposition {
	switch string(name) {
	case "started":
		return DispositionStarted
	case "queued":
		return DispositionQueued
	case "handled":
		return DispositionHandled
	}
	return DispositionOther
}

// Tri is a truth value that may be unknown.
type Tri uint8

// The truth values. Unspecified is of a record without the member.
const (
	Unspecified Tri = iota
	No
	Yes
)

var stopNames = [...]string{
	StopNone: "", StopStop: "stop", StopToolUse: "toolUse", StopLength: "length",
	StopError: "error", StopAborted: "aborted", StopPending: "pending", StopOther: "other",
}

// String returns the reason as Pi writes it; "other" stands for one that is not known.
func (s StopReason) String() string { return stopNames[s] }

var deltaNames = [...]string{
	DeltaNone:      "none",
	DeltaTextStart: "text_start", DeltaText: "text_delta", DeltaTextEnd: "text_end",
	DeltaThinkingStart: "thinking_start", DeltaThinking: "thinking_delta", DeltaThinkingEnd: "thinking_end",
	DeltaToolCallStart: "toolcall_start", DeltaToolCall: "toolcall_delta", DeltaToolCallEnd: "toolcall_end",
	DeltaOther: "other",
}

// String returns the assistantMessageEvent type.
func (d DeltaKind) String() string { return deltaNames[d] }
