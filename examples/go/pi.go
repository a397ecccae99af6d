package main

import (
	"encoding/json"
	"slices"
	"time"

	"fakepi.example/watchdog"
)

// record is what matters of a line of Pi's.
type record struct {
	Type, ID, Command, Method, ToolCallID string
	Timeout                               float64                   // of a dialog, in ms
	Args                                  struct{ Timeout float64 } // of a call, in s
	PartialResult                         json.RawMessage
	Message                               struct{ Role, StopReason string }
}

// enter changes the phase, or restarts its count.
func (w *dog) enter(phase watchdog.VerdictName, at time.Duration) { w.phase, w.count = phase, at }

func (w *dog) sent(r *record, at time.Duration) {
	if r.Type == "prompt" && (w.phase == watchdog.VerdictIdle || w.phase == watchdog.VerdictSettled) {
		w.enter(watchdog.VerdictStarting, at)
	} else if r.Type == "extension_ui_response" {
		w.answered(at, func(d dialog) bool { return d.id == r.ID })
	}
}

// wrote reports whether a line is progress.
func (w *dog) wrote(r *record, at time.Duration) bool {
	switch r.Type {
	case "response":
		if r.Command == "prompt" && w.phase == watchdog.VerdictStarting {
			w.enter(watchdog.VerdictAwaitingFirstToken, at)
		}
		return false
	case "extension_ui_request":
		if slices.Contains([]string{"select", "confirm", "input", "editor"}, r.Method) { // the others are decoration
			d := dialog{id: r.ID, call: w.last}
			if r.Timeout > 0 {
				d.until = at + time.Duration(r.Timeout)*time.Millisecond
			}
			w.dialogs = append(w.dialogs, d)
		}
		return false
	case "agent_start", "turn_start":
		w.enter(watchdog.VerdictAwaitingFirstToken, at)
	case "message_update":
		w.enter(watchdog.VerdictStreaming, at)
	case "message_end":
		switch {
		case r.Message.StopReason == "toolUse": // its calls are about to start
			w.enter(watchdog.VerdictStreaming, at)
		case r.Message.Role == "assistant":
			w.enter(watchdog.VerdictWorking, at)
		case len(w.calls) == 0:
			w.enter(watchdog.VerdictAwaitingFirstToken, at)
		}
	case "tool_execution_start":
		c := call{id: r.ToolCallID, count: at, limit: w.limits.Tool}
		if own := time.Duration(r.Args.Timeout * float64(time.Second)); own > 0 {
			c.limit = max(c.limit, own+w.limits.DeclaredGrace)
		}
		w.calls, w.last = append(w.calls, c), c.id
	case "tool_execution_update", "tool_execution_end":
		w.answered(at, func(d dialog) bool { return d.call == r.ToolCallID }) // it could not go on otherwise
		i := slices.IndexFunc(w.calls, func(c call) bool { return c.id == r.ToolCallID })
		switch {
		case i < 0:
			return false
		case r.Type == "tool_execution_end":
			if w.calls = slices.Delete(w.calls, i, i+1); len(w.calls) == 0 {
				w.enter(watchdog.VerdictAwaitingFirstToken, at)
			}
		case w.calls[i].output == string(r.PartialResult): // the same again
			return false
		default:
			w.calls[i].output, w.calls[i].count = string(r.PartialResult), at
		}
	case "agent_end":
		w.enter(watchdog.VerdictEnding, at)
	case "agent_settled":
		w.enter(watchdog.VerdictSettled, at)
	default:
		return r.Type == "message_start" || r.Type == "turn_end"
	}
	return true
}

// answered closes dialogs. Whatever they held up counts afresh.
func (w *dog) answered(at time.Duration, which func(dialog) bool) {
	open := len(w.dialogs)
	if w.dialogs = slices.DeleteFunc(w.dialogs, which); len(w.dialogs) < open {
		w.count = at
		for i := range w.calls {
			w.calls[i].count = at
		}
	}
}

// expire closes dialogs whose own timeout has passed.
func (w *dog) expire(now time.Duration) {
	for _, x := range slices.Clone(w.dialogs) {
		if x.until > 0 && x.until <= now {
			w.answered(x.until, func(d dialog) bool { return d.id == x.id })
		}
	}
}
