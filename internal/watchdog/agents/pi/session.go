package pi

import (
	"encoding/json"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/watchdog/agents"
)

// entry takes one entry of a session file. The file shows finished messages only: no deltas, no dialogs, no starts and ends
// of tools.
func (r *Reader) entry(line []byte) {
	s, ev := &r.skim, &r.event
	*ev = agents.Event{Kind: agents.Noise, Saved: true}
	if !r.records {
		r.detector.Observe(s)
	}
	switch s.Kind {
	case native.KindMessageEntry:
		ev.Kind, ev.Parent = agents.MessageEnded, parentOf(s.ParentID)
		r.message()
		if ev.Role == agents.Assistant {
			r.savedReply(line)
		}
	case native.KindContextEdit: // a failed message was dropped for a retry
		ev.Kind = agents.Retried
	case native.KindCompactionEntry:
		ev.Kind = agents.Compacted
	}
}

func parentOf(id []byte) uint64 {
	if len(id) < 3 || id[0] != '"' {
		return 0
	}
	return hash(fnvOffset, id)
}

// savedReply adds what the file does not say by itself. A failed message may be followed by a retry of which it tells
// nothing: only newer dialects drop the message by an entry. The call of a reply that has one is known by its name.
func (r *Reader) savedReply(line []byte) {
	reply := &r.event.Reply
	dialect, _ := r.detector.Dialect()
	reply.Unsure = reply.Stop == agents.StopError && reply.Trouble == agents.TroubleNone && dialect != native.Pi16
	if reply.Stop != agents.StopToolUse || reply.Calls != 1 {
		return
	}
	var entry struct {
		Message struct {
			Content []struct {
				Type                string
				ID, Name, Arguments json.RawMessage
			}
		}
	}
	_ = json.Unmarshal(line, &entry) // where it fails, nothing is known but that there is a call
	for _, b := range entry.Message.Content {
		if b.Type == "toolCall" {
			tool := nameOf(b.Name)
			reply.HasCall = true
			reply.Single = agents.Call{ID: nameOf(b.ID), Tool: tool, Key: callKey([]byte(tool), b.Arguments), Shell: tool == shellTool}
			break
		}
	}
}
