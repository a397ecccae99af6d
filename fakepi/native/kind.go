package native

// Kind is what a line is, by its type name.
type Kind uint8

const (
	KindUnknown   Kind = iota // a JSON object whose type is not known
	KindMalformed             // no JSON object
	KindHeader
	KindAgentStart
	KindAgentEnd
	KindAgentSettled
	KindTurnStart
	KindTurnEnd
	KindMessageStart
	KindMessageUpdate
	KindMessageEnd
	KindToolStart
	KindToolUpdate
	KindToolEnd
	KindQueueUpdate
	KindRetryStart
	KindRetryEnd
	KindCompactionStart // also auto_compaction_start
	KindCompactionEnd   // also auto_compaction_end
	KindEntryAppended
	KindSessionInfoChanged
	KindThinkingLevelChanged
	KindBashUpdate
	KindExtensionError
	KindSummarizationRetry // summarization_retry_scheduled, _attempt_start, _finished
	KindResponse
	KindUIRequest
	KindUIResponse
	KindModelChange // session entries from here
	KindThinkingLevelChange
	KindMessageEntry
	KindCompactionEntry
	KindContextEdit
	KindSessionInfo
	KindOtherEntry // custom, custom_message, branch_summary, label, usage
	KindPrompt     // commands on stdin from here
	KindSteer
	KindFollowUp
	KindAbort
	KindCompact
	KindBash
	KindNewSession
	KindSwitchSession
	KindGetState
	KindOtherCommand
	kindCount
)

var kindNames = [kindCount]string{
	KindUnknown:              "unknown",
	KindMalformed:            "malformed",
	KindHeader:               "session",
	KindAgentStart:           "agent_start",
	KindAgentEnd:             "agent_end",
	KindAgentSettled:         "agent_settled",
	KindTurnStart:            "turn_start",
	KindTurnEnd:              "turn_end",
	KindMessageStart:         "message_start",
	KindMessageUpdate:        "message_update",
	KindMessageEnd:           "message_end",
	KindToolStart:            "tool_execution_start",
	KindToolUpdate:           "tool_execution_update",
	KindToolEnd:              "tool_execution_end",
	KindQueueUpdate:          "queue_update",
	KindRetryStart:           "auto_retry_start",
	KindRetryEnd:             "auto_retry_end",
	KindCompactionStart:      "compaction_start",
	KindCompactionEnd:        "compaction_end",
	KindEntryAppended:        "entry_appended",
	KindSessionInfoChanged:   "session_info_changed",
	KindThinkingLevelChanged: "thinking_level_changed",
	KindBashUpdate:           "bash_execution_update",
	KindExtensionError:       "extension_error",
	KindSummarizationRetry:   "summarization_retry",
	KindResponse:             "response",
	KindUIRequest:            "extension_ui_request",
	KindUIResponse:           "extension_ui_response",
	KindModelChange:          "model_change",
	KindThinkingLevelChange:  "thinking_level_change",
	KindMessageEntry:         "message",
	KindCompactionEntry:      "compaction",
	KindContextEdit:          "context_edit",
	KindSessionInfo:          "session_info",
	KindOtherEntry:           "other_entry",
	KindPrompt:               "prompt",
	KindSteer:                "steer",
	KindFollowUp:             "follow_up",
	KindAbort:                "abort",
	KindCompact:              "compact",
	KindBash:                 "bash",
	KindNewSession:           "new_session",
	KindSwitchSession:        "switch_session",
	KindGetState:             "get_state",
	KindOtherCommand:         "other_command",
}

// String returns the type name, or a short word for a kind that stands for several.
func (k Kind) String() string {
	if k >= kindCount {
		return "invalid"
	}
	return kindNames[k]
}

// IsEntry reports whether k is a line of a session file after the header.
func (k Kind) IsEntry() bool { return k >= KindModelChange && k <= KindOtherEntry }

// IsCommand reports whether k is a command on stdin.
func (k Kind) IsCommand() bool { return k >= KindPrompt && k <= KindOtherCommand }

// KindOf returns the kind of a record type name of any dialect, or [KindUnknown].
func KindOf[S ~string | ~[]byte](typeName S) Kind {
	switch string(typeName) {
	case "session":
		return KindHeader
	case "agent_start":
		return KindAgentStart
	case "agent_end":
		return KindAgentEnd
	case "agent_settled":
		return KindAgentSettled
	case "turn_start":
		return KindTurnStart
	case "turn_end":
		return KindTurnEnd
	case "message_start":
		return KindMessageStart
	case "message_update":
		return KindMessageUpdate
	case "message_end":
		return KindMessageEnd
	case "tool_execution_start":
		return KindToolStart
	case "tool_execution_update":
		return KindToolUpdate
	case "tool_execution_end":
		return KindToolEnd
	case "queue_update":
		return KindQueueUpdate
	case "auto_retry_start":
		return KindRetryStart
	case "auto_retry_end":
		return KindRetryEnd
	case "compaction_start", "auto_compaction_start":
		return KindCompactionStart
	case "compaction_end", "auto_compaction_end":
		return KindCompactionEnd
	case "entry_appended":
		return KindEntryAppended
	case "session_info_changed":
		return KindSessionInfoChanged
	case "thinking_level_changed":
		return KindThinkingLevelChanged
	case "bash_execution_update":
		return KindBashUpdate
	case "extension_error":
		return KindExtensionError
	case "response":
		return KindResponse
	case "extension_ui_request":
		return KindUIRequest
	case "extension_ui_response":
		return KindUIResponse
	case "model_change":
		return KindModelChange
	case "thinking_level_change":
		return KindThinkingLevelChange
	case "message":
		return KindMessageEntry
	case "compaction":
		return KindCompactionEntry
	case "context_edit":
		return KindContextEdit
	case "session_info":
		return KindSessionInfo
	case "prompt":
		return KindPrompt
	case "steer":
		return KindSteer
	case "follow_up":
		return KindFollowUp
	case "abort":
		return KindAbort
	case "compact":
		return KindCompact
	case "bash":
		return KindBash
	case "new_session":
		return KindNewSession
	case "switch_session":
		return KindSwitchSession
	case "get_state":
		return KindGetState
	case "summarization_retry_scheduled", "summarization_retry_attempt_start", "summarization_retry_finished":
		return KindSummarizationRetry
	case "custom", "custom_message", "branch_summary", "label", "usage":
		return KindOtherEntry
	case "get_messages", "get_session_stats", "get_last_assistant_text", "get_available_models",
		"set_model", "cycle_model", "set_thinking_level", "cycle_thinking_level", "get_available_thinking_levels",
		"set_steering_mode", "set_follow_up_mode", "set_auto_compaction", "set_auto_retry",
		"set_session_name", "abort_retry", "abort_bash", "fork", "clone", "get_commands", "get_fork_messages",
		"clear_queue", "get_entries", "get_tree", "export_html":
		return KindOtherCommand
	}
	return KindUnknown
}
