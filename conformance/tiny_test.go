package conformance_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/internal/conformance/world/pi"
	"fakepi.example/internal/fakepi/native/pi16"
	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/watchdog"
)

// This file holds a second kind of worker, tiny, and the reader of what it writes: one JSON object a line, with one member
// that says what it is. Nothing of it is known to the engine, the world or the oracle.
//
//	out: {"t":"start"} {"t":"ask"} {"t":"delta"} {"t":"message","stop":"stop","calls":1,"text":true} {"t":"call","id":"c1","tool":"bash","key":7}
//	     {"t":"output","id":"c1","n":9} {"t":"done","id":"c1","n":9} {"t":"kept","id":"c1"} {"t":"dialog","id":"d1","ms":500}
//	     {"t":"end"} {"t":"over"} {"t":"took","starts":true} {"t":"note"}
//	in:  {"t":"prompt"} {"t":"answer","id":"d1"} {"t":"state"}
type tinyLine struct {
	T      string `json:"t"`
	ID     string `json:"id,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Key    uint64 `json:"key,omitempty"`
	N      uint64 `json:"n,omitempty"`
	MS     int64  `json:"ms,omitempty"`
	Stop   string `json:"stop,omitempty"`
	Calls  int    `json:"calls,omitempty"`
	Text   bool   `json:"text,omitempty"`
	Starts bool   `json:"starts,omitempty"`
	Retry  bool   `json:"retry,omitempty"`
	Value  string `json:"value,omitempty"`
	Cancel bool   `json:"cancel,omitempty"`
}

func (l tinyLine) bytes() []byte {
	line, err := json.Marshal(l)
	if err != nil {
		panic(err) // strings and numbers
	}
	return append(line, '\n')
}

// tinyAgent makes tiny workers: each has the story of a script played by another worker, and tells it in its own words.
type tinyAgent struct{ player world.Agent }

func newTinyAgent() tinyAgent { return tinyAgent{pi.Agents(native.Pi16)[watchdog.DefaultAgent]} }

// Start implements world.Agent.
func (a tinyAgent) Start(p world.Part) (world.Process, error) {
	process, err := a.player.Start(p)
	if err != nil {
		return nil, err
	}
	return tinyProcess{process}, nil
}

type tinyProcess struct{ world.Process }

func (p tinyProcess) Clone() world.Process { return tinyProcess{p.Process.Clone()} }

func (p tinyProcess) Step(now time.Duration, out []world.Output) []world.Output {
	return retold(p.Process.Step(now, nil), out)
}

func (p tinyProcess) Signal(now time.Duration, pid int, signal string, out []world.Output) []world.Output {
	return retold(p.Process.Signal(now, pid, signal, nil), out)
}

// Send implements world.Process: the player gets its own lines.
func (p tinyProcess) Send(now time.Duration, lines []byte, out []world.Output) []world.Output {
	for line := range bytes.Lines(lines) {
		var l tinyLine
		if json.Unmarshal(line, &l) != nil {
			continue
		}
		switch l.T {
		case "state":
			line = p.Process.Ask(l.ID)
		case "answer":
			line = p.Process.Answer(l.Value, l.Cancel)
		default:
			continue // a script's own prompts go another way, and nobody else sends one
		}
		out = retold(p.Process.Send(now, line, nil), out)
	}
	return out
}

func (p tinyProcess) Ask(key string) []byte { return tinyLine{T: "state", ID: key}.bytes() }

func (p tinyProcess) Line(c *watchdog.Command) []byte { return c.Input }

func (p tinyProcess) Answer(value string, cancel bool) []byte {
	line := p.Process.Answer(value, cancel)
	if line == nil {
		return nil
	}
	var asked struct{ ID string }
	if err := json.Unmarshal(line, &asked); err != nil {
		panic(err)
	}
	return tinyLine{T: "answer", ID: asked.ID, Value: value, Cancel: cancel}.bytes()
}

// retold appends what the player wrote, in the words of a tiny worker.
func retold(player, out []world.Output) []world.Output {
	for _, o := range player {
		if len(o.Data) > 0 {
			record, err := pi16.Decode(bytes.TrimSuffix(o.Data, []byte("\n")))
			if err != nil {
				panic(fmt.Sprintf("the player wrote %s: %v", o.Data, err))
			}
			o.Data = tinyOf(record, &o).bytes()
		}
		out = append(out, o)
	}
	return out
}

func tinyOf(record native.Record, o *world.Output) tinyLine {
	switch r := record.(type) {
	case *native.AgentStart:
		return tinyLine{T: "start"}
	case *native.TurnStart:
		return tinyLine{T: "ask"}
	case *native.MessageUpdate:
		return tinyLine{T: "delta"}
	case *native.MessageEnd:
		return tinyMessage(r.Message)
	case *native.ToolStart:
		return tinyLine{T: "call", ID: r.ToolCallID, Tool: r.ToolName, Key: sum(o.Record.Key)}
	case *native.ToolUpdate:
		return tinyLine{T: "output", ID: r.ToolCallID, N: sum(string(o.Data))}
	case *native.ToolEnd:
		return tinyLine{T: "done", ID: r.ToolCallID, N: sum(o.Record.Result)}
	case *native.UIRequest:
		if native.ParseMethod(r.Method).Blocks() {
			return tinyLine{T: "dialog", ID: r.ID, MS: int64(r.Timeout.V)}
		}
	case *native.AgentEnd:
		return tinyLine{T: "end", Retry: r.WillRetry}
	case *native.AgentSettled:
		return tinyLine{T: "over"}
	case *native.Response:
		if r.Command.V == "prompt" && r.Success {
			return tinyLine{T: "took", Starts: true}
		}
	case *native.Command:
		if r.Name == "prompt" {
			return tinyLine{T: "prompt"}
		}
	}
	return tinyLine{T: "note"}
}

func tinyMessage(m native.Message) tinyLine {
	switch m := m.(type) {
	case *native.UserMessage:
		return tinyLine{T: "ask"}
	case *native.ToolResultMessage:
		return tinyLine{T: "kept", ID: m.ToolCallID}
	case *native.AssistantMessage:
		l := tinyLine{T: "message", Stop: m.StopReason}
		for _, b := range m.Content {
			switch b.(type) {
			case *native.ToolCall:
				l.Calls++
			case *native.TextBlock:
				l.Text = true
			}
		}
		return l
	}
	return tinyLine{T: "note"}
}

func sum(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64() | 1 // 0 is nothing
}

// tinyReader implements agents.Reader.
type tinyReader struct {
	tails map[watchdog.Stream][]byte
	from  watchdog.Stream
	event agents.Event
}

func newTinyReader(string) agents.Reader { return &tinyReader{tails: map[watchdog.Stream][]byte{}} }

func (r *tinyReader) Start(watchdog.Spawned) {}

func (r *tinyReader) Feed(from watchdog.Stream, data []byte, _ time.Time) {
	r.from = from
	if from == watchdog.StreamOut || from == watchdog.StreamIn {
		r.tails[from] = append(r.tails[from], data...)
	}
}

func (r *tinyReader) Close(from watchdog.Stream, _ time.Time) { r.from = from }

func (r *tinyReader) Forget(from watchdog.Stream) { delete(r.tails, from) }

func (r *tinyReader) Pending() bool {
	return len(r.tails[watchdog.StreamOut])+len(r.tails[watchdog.StreamIn]) > 0
}

func (r *tinyReader) Traits() agents.Traits { return agents.Traits{Known: true} }

func (r *tinyReader) Prompt(id, _ string) []byte { return tinyLine{T: "prompt", ID: id}.bytes() }

func (r *tinyReader) Next() *agents.Event {
	line, rest, whole := bytes.Cut(r.tails[r.from], []byte("\n"))
	if !whole {
		return nil
	}
	r.tails[r.from] = bytes.Clone(rest)
	var l tinyLine
	if err := json.Unmarshal(line, &l); err != nil {
		r.event = agents.Event{Kind: agents.Noise}
	} else {
		r.event = eventOf(l)
	}
	return &r.event
}

func eventOf(l tinyLine) agents.Event {
	ev := agents.Event{ID: l.ID, Tool: l.Tool, Key: l.Key, Timeout: time.Duration(l.MS) * time.Millisecond, Known: true}
	switch l.T {
	case "start":
		ev.Kind = agents.RunBegan
	case "ask":
		ev.Kind = agents.TurnBegan
	case "delta":
		ev.Kind, ev.Words, ev.Terminal = agents.Delta, true, true
	case "message":
		ev.Kind, ev.Role = agents.MessageEnded, agents.Assistant
		ev.Reply = agents.Reply{Stop: stopOf(l.Stop), Calls: l.Calls, Empty: !l.Text && l.Calls == 0}
	case "call":
		ev.Kind, ev.Shell = agents.CallBegan, l.Tool == "bash"
	case "output":
		ev.Kind, ev.Output = agents.CallOutput, l.N
	case "done":
		ev.Kind, ev.Result = agents.CallEnded, l.N
	case "kept":
		ev.Kind, ev.Role = agents.MessageEnded, agents.Result
	case "dialog":
		ev.Kind = agents.DialogAsked
	case "answer":
		ev.Kind = agents.DialogAnswered
	case "prompt":
		ev.Kind = agents.PromptSent
	case "took":
		ev.Kind, ev.OK, ev.Run = agents.PromptTaken, true, agents.RunStarts
	case "end":
		ev.Kind, ev.Retry = agents.RunEnded, l.Retry
	case "over":
		ev.Kind = agents.Settled
	}
	return ev
}

func stopOf(word string) agents.Stop {
	for s := agents.StopNone; s < agents.StopOther; s++ {
		if s.String() == word {
			return s
		}
	}
	return agents.StopOther
}
