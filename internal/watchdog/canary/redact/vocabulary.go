package redact

import "strings"

// set makes a set of the words of a text.
func set(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(text) {
		all[w] = true
	}
	return all
}

var (
	// knownMembers are those of Pi's records, by docs/pi-formats.md. The name of any other is replaced too: it may be a file's.
	knownMembers = set(`aborted api args arguments argumentsError assistantMessageEvent assistantMessages attempt
		autoCompactionEnabled baseUrl cacheRead cacheWrite cacheWrite1h cancelled children command commands confirmed
		constrainedSampling content contentIndex contextUsage contextWindow cost customType cwd data delayMs delta description
		details disposition display docs durationMs enabled entries entry entryId error errorMessage estimatedTokensAfter exitCode
		finalError firstKeptEntryId followUp followUpMode fromHook id images index input isCompacting isError isScoped isStreaming
		label leafId level levels maxAttempts maxTokens message messageCount messages method mimeType mode model modelId models
		name notifyType options origin output parameters parentId parentSession partial partialArgs partialJson partialResult path
		pendingMessageCount percent placeholder preamble prefill provider rawStopReason reason reasoning replacement responseId
		result role rules scope sections sessionFile sessionId sessionName source sourceInfo statusKey statusText steering
		steeringMode stopReason streamIndex streamingBehavior strict structuredContent success summary systemMessage targetId text
		thinking thinkingLevel thinkingSignature timeout timestamp title tokens tokensBefore toolCall toolCallId toolCalls
		toolName toolResults tools toolsAdded total totalFromProvider totalMessages totalTokens tree truncated type usage
		userMessages value version widgetKey widgetLines willRetry`)

	// freeMembers hold what a model, a tool or an extension has made up.
	freeMembers = set(`args arguments details structuredContent parameters partialArgs partialJson value`)

	// runningMembers hold text that comes in pieces and again as a whole.
	runningMembers = set(`content delta message partial summary text thinking`)

	// numbers are counts, sizes, prices and times.
	numbers = set(`assistantMessages attempt cacheRead cacheWrite cacheWrite1h contentIndex contextWindow cost delayMs durationMs
		estimatedTokensAfter exitCode index input maxAttempts maxTokens messageCount output pendingMessageCount percent reasoning
		streamIndex timeout timestamp tokens tokensBefore toolCalls toolResults total totalMessages totalTokens userMessages version`)

	// wordMembers hold words of Pi's, those in words.
	wordMembers = set(`type role stopReason rawStopReason reason method command level levels thinkingLevel mode steeringMode
		followUpMode streamingBehavior disposition notifyType api origin scope source`)

	words = set(`session agent_start agent_end agent_settled turn_start turn_end message_start message_update message_end
		tool_execution_start tool_execution_update tool_execution_end auto_retry_start auto_retry_end compaction_start compaction_end
		auto_compaction_start auto_compaction_end queue_update response extension_ui_request extension_ui_response extension_error
		message model_change thinking_level_change compaction branch_summary custom custom_message label session_info
		session_info_changed thinking_level_changed model_changed text thinking toolCall image
		start text_start text_delta text_end thinking_start thinking_delta thinking_end toolcall_start toolcall_delta toolcall_end
		done error
		user assistant system toolResult bashExecution branchSummary compactionSummary hookMessage
		stop toolUse length aborted pending end_turn tool_calls tool_use max_tokens content_filter
		manual threshold overflow new resume fork reload startup
		select confirm input editor notify setStatus setTitle setWidget set_editor_text info warning
		prompt steer follow_up abort bash abort_bash abort_retry clear_queue compact cycle_model cycle_thinking_level clone
		export_html fork get_available_models get_available_thinking_levels get_commands get_entries get_fork_messages
		get_last_assistant_text get_messages get_session_stats get_state get_tree new_session parse set_auto_compaction
		set_auto_retry set_follow_up_mode set_model set_session_name set_steering_mode set_thinking_level switch_session
		off minimal low medium high xhigh max all one-at-a-time followUp queued started
		openai-completions openai-responses anthropic-messages google-generative-ai bedrock-converse-stream
		top-level builtin extension temporary project user skill`)

	// toolMembers and nameMembers hold names. Pi's own tools are told in any case.
	toolMembers = set(`toolName name`)
	nameMembers = set(`model modelId provider`)
	tools       = set(`bash read edit write grep find ls`)

	timeMembers  = set(`timestamp`)
	errorMembers = set(`error errorMessage finalError`)

	// errorWords are those by which errors are classed.
	errorWords = set(`rate limit limits limited quota exceeded insufficient_quota insufficient usage usage_limit session spend spending
		weekly daily monthly current your the credit credits balance too low reached reset resets reset_at available again try in at after retry
		later overloaded overloaded_error unauthorized incorrect credentials has authentication authentication_error permission permission_error forbidden
		invalid invalid_api_key api key expired token tokens context length maximum too many requests request aborted was timeout timed out
		connection error errors terminated fetch failed socket hang up other side closed econnreset econnrefused etimedout network
		internal server service unavailable bad gateway stream ended without finish reason prompt is long input hours minutes seconds
		hour minute second h m s ms d status code unknown`)
)
