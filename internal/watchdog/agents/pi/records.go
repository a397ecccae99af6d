package pi

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/watchdog/agents"
)

// shellTool is Pi's own tool that runs a command in a process; others may work inside Pi itself.
const shellTool = "bash"

// record takes one record of stdout.
func (r *Reader) record() {
	s, ev := &r.skim, &r.event
	if s.Kind == native.KindMessageUpdate && s.Delta != native.DeltaNone && s.Delta != native.DeltaOther {
		r.detector.Observe(s)
		r.records = true
		ev.Kind, ev.Terminal = agents.Delta, !s.Cumulative
		ev.Words = s.Delta == native.DeltaText || s.Delta == native.DeltaThinking || s.Delta == native.DeltaToolCall
		return
	}
	*ev = agents.Event{Kind: agents.Noise}
	if s.Kind == native.KindMalformed {
		return
	}
	r.detector.Observe(s)
	switch k := s.Kind; {
	case k == native.KindUnknown, k.IsEntry(), k.IsCommand(), k == native.KindUIResponse:
		ev.Kind = agents.Unread
	case k == native.KindMessageUpdate, s.Method == native.MethodOther:
		ev.Kind, ev.Foreign = agents.Unread, true
	default:
		r.records, ev.Known = true, true
		r.known()
	}
}

// known takes a record that Pi is known to write.
func (r *Reader) known() {
	s, ev := &r.skim, &r.event
	switch s.Kind {
	case native.KindAgentStart:
		ev.Kind = agents.RunBegan
	case native.KindAgentEnd:
		ev.Kind, ev.Retry = agents.RunEnded, s.WillRetry
	case native.KindAgentSettled:
		ev.Kind, ev.Aborted = agents.Settled, s.Aborted
	case native.KindTurnStart:
		ev.Kind = agents.TurnBegan
	case native.KindTurnEnd:
		ev.Kind = agents.TurnEnded
		r.message()
	case native.KindMessageStart:
		if ev.Kind, ev.Role = agents.MessageBegan, roleOf(s.Role); ev.Role == agents.Assistant {
			ev.Model = name(s.Model)
		}
	case native.KindMessageEnd:
		ev.Kind = agents.MessageEnded
		r.message()
	case native.KindToolStart, native.KindToolUpdate, native.KindToolEnd:
		r.tool()
	default:
		r.between()
	}
}

// tool takes a record of a tool call.
func (r *Reader) tool() {
	s, ev := &r.skim, &r.event
	ev.ID = name(s.ToolCallID)
	switch s.Kind {
	case native.KindToolStart:
		ev.Kind, ev.Tool = agents.CallBegan, name(s.ToolName)
		ev.Key, ev.Shell = callKey([]byte(ev.Tool), s.Args), ev.Tool == shellTool
		if s.HasTimeout {
			ev.Timeout = s.Timeout
		}
	case native.KindToolUpdate:
		ev.Kind, ev.Output = agents.CallOutput, outputKey(s.Partial)
	case native.KindToolEnd:
		ev.Kind, ev.Result = agents.CallEnded, resultKey(s.Result)
	}
}

// between takes the records that can stand anywhere: retries, compaction, dialogs, responses.
func (r *Reader) between() {
	s, ev := &r.skim, &r.event
	switch s.Kind {
	case native.KindRetryStart:
		ev.Kind, ev.Delay = agents.DelayBegan, s.Delay
	case native.KindRetryEnd:
		ev.Kind, ev.OK = agents.DelayEnded, s.Success
	case native.KindCompactionStart:
		ev.Kind, ev.Manual = agents.CompactionBegan, string(s.Reason) == "manual"
	case native.KindCompactionEnd:
		ev.Kind, ev.Retry, ev.Aborted = agents.CompactionEnded, s.WillRetry, s.Aborted
		ev.Before, ev.After = s.TokensBefore, s.TokensAfter
	case native.KindUIRequest:
		if s.Method.Blocks() { // the rest is decoration (WDC-WAIT-002)
			ev.Kind, ev.ID, ev.Timeout = agents.DialogAsked, idOf(s.ID), s.Timeout
		}
	case native.KindResponse:
		r.response()
	}
}

// response takes the answers that change a run: to a prompt, and to a change of session.
func (r *Reader) response() {
	s, ev := &r.skim, &r.event
	switch string(s.Command) {
	case "prompt":
		ev.Kind, ev.OK = agents.PromptTaken, s.Success
		switch s.Disposition {
		case native.DispositionStarted:
			ev.Run = agents.RunStarts
		case native.DispositionNone:
			ev.Run = agents.RunUnsaid
		}
	case "new_session", "switch_session", "fork", "clone":
		if s.Success && !s.Cancelled {
			ev.Kind = agents.SessionChanged
		}
	}
}

// command takes one line that was sent to the worker's stdin.
func (r *Reader) command() {
	s, ev := &r.skim, &r.event
	*ev = agents.Event{Kind: agents.Noise}
	switch s.Kind {
	case native.KindPrompt:
		ev.Kind = agents.PromptSent
	case native.KindUIResponse:
		ev.Kind, ev.ID = agents.DialogAnswered, idOf(s.ID)
	}
}

// message takes the finished message that a record holds.
func (r *Reader) message() {
	s, ev := &r.skim, &r.event
	ev.Role = roleOf(s.Role)
	switch ev.Role {
	case agents.Assistant:
		ev.Reply = r.reply()
	case agents.Result:
		ev.ID = name(s.ToolCallID)
	}
}

func (r *Reader) reply() agents.Reply {
	s := &r.skim
	reply := agents.Reply{
		Stop: agents.Stop(s.Stop), Calls: s.Calls, Empty: s.TextLen == 0 && s.Calls == 0, Silent: max(s.TextLen, s.ThinkingLen, s.Calls) == 0,
		Trouble: troubleOf(s),
	}
	if s.HasUsage {
		reply.Tokens, reply.Cost = s.Usage.Total, s.Usage.Cost
	}
	if reply.Trouble == agents.TroubleQuota {
		reply.Quota = quotaOf(s.Error, r.now)
	}
	return reply
}

func roleOf(role native.Role) agents.Role {
	switch role {
	case native.RoleUser:
		return agents.User
	case native.RoleAssistant:
		return agents.Assistant
	case native.RoleToolResult:
		return agents.Result
	}
	return agents.OtherRole
}
