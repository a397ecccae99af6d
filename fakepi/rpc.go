package fakepi

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// Send hands the worker a line of stdin: an RPC command or the answer to a dialog, in a TUI keys. What Pi answers at
// once is appended to out, after all that was due before (docs/pi-formats.md, section 6).
func (w *Worker) Send(now time.Duration, line []byte, out []Output) []Output {
	w.enter(now, out)
	if w.alive() && !w.leaving() && w.hears() {
		switch w.mode {
		case script.ModeRPC:
			w.receive(bytes.TrimRight(line, "\r\n"))
		case script.ModeTUI:
			w.typed(line)
		}
	}
	return w.result()
}

// hears reports whether the event loop turns.
func (w *Worker) hears() bool { return w.wedge == "" || w.wedge == script.WedgeDeaf }

// receive answers one line in rpc mode.
func (w *Worker) receive(line []byte) {
	v, err := native.ParseValue(line)
	if err != nil {
		w.respond(nil, "parse", "Failed to parse command: "+parseError(line, err))
		return
	}
	if _, null := v.(native.Null); null {
		w.crash()
		return
	}
	r, err := w.rules.codec.Decode(line)
	if err != nil {
		r = &native.UnknownRecord{}
	}
	switch r := r.(type) {
	case *native.Command:
		w.command(r)
	case *native.UIResponse:
		if w.dialog.open && r.ID == w.dialog.id {
			w.answer(w.dialog.react(r))
		}
	default:
		w.unknownCommand(v)
	}
}

// parseError words an error as JSON.parse does, for the two commonest: the end, or a character that fits nothing.
func parseError(line []byte, err error) string {
	syntax, ok := errors.AsType[*native.SyntaxError](err)
	if !ok {
		return err.Error()
	}
	at := syntax.Offset
	for _, word := range []string{"true", "false", "null"} { // a word fails at its first wrong letter
		for n := 1; n < len(word) && bytes.HasPrefix(line[at:], []byte(word[:n])); n++ {
			at = syntax.Offset + n
		}
	}
	if at >= len(line) {
		return "Unexpected end of JSON input"
	}
	r, _ := utf8.DecodeRune(line[at:])
	return fmt.Sprintf("Unexpected token '%c', %s is not valid JSON", r, around(line, at))
}

// around quotes a line, of a long one ten bytes to either side.
func around(line []byte, at int) string {
	const context = 10
	from, to := 0, len(line)
	if to > 2*context {
		from, to = max(0, at-context), min(len(line), at+context)
	}
	quoted := `"` + string(line[from:to]) + `"`
	if from > 0 {
		quoted = "..." + quoted
	}
	if to < len(line) {
		quoted += "..."
	}
	return quoted
}

// unknownCommand answers a value that is no command.
func (w *Worker) unknownCommand(v native.Value) {
	o, _ := v.(native.Object)
	name, ok := o.Get("type").(native.String)
	if !ok {
		w.print(&native.Response{Error: native.Some("Unknown command: undefined")}, false)
		return
	}
	id := o.Get("id")
	if !w.rules.echoesUnknown {
		id = nil
	}
	w.respond(id, string(name), "Unknown command: "+string(name))
}

// respond answers a command without data; an empty failure is success.
func (w *Worker) respond(id native.Value, command, failure string) {
	r := &native.Response{ID: id, Command: native.Some(command), Success: failure == ""}
	if failure != "" {
		r.Error = native.Some(failure)
	}
	w.print(r, false)
}

func (w *Worker) respondData(id native.Value, command string, data native.Data) {
	w.print(&native.Response{ID: id, Command: native.Some(command), Success: true, Data: data}, false)
}

// command carries out a command. Those that this worker does not model succeed without data.
func (w *Worker) command(c *native.Command) {
	switch c.Name {
	case native.CmdPrompt:
		w.prompted(c)
	case native.CmdSteer, native.CmdFollowUp:
		if !c.Message.Set {
			w.respond(c.ID, c.Name, noMessage)
			return
		}
		queue := &w.steering
		if c.Name == native.CmdFollowUp {
			queue = &w.followUp
		}
		w.enqueue(queue, queued{text: c.Message.V, at: w.now, guest: true})
		w.respondData(c.ID, c.Name, w.rules.disposition("queued"))
	case native.CmdAbort:
		w.abort([]native.Value{c.ID})
	case native.CmdGetState:
		w.respondData(c.ID, c.Name, w.stateData())
	default:
		w.respond(c.ID, c.Name, "")
	}
}

// noMessage is JavaScript's complaint about a command without its message.
const noMessage = "Cannot read properties of undefined (reading 'startsWith')"

// prompted takes a prompt that is not the script's.
func (w *Worker) prompted(c *native.Command) {
	m := queued{text: c.Message.V, at: w.now, guest: true}
	switch {
	case !c.Message.Set:
		w.respond(c.ID, c.Name, noMessage)
	case w.asking.answered:
		w.asking.lost = true
		w.respondData(c.ID, c.Name, w.rules.disposition("started"))
	case w.driven && (!w.busy() || w.rules.idleInDelay && w.retries.waiting):
		w.replyTo(c)
	case !w.busy():
		w.respondData(c.ID, c.Name, w.rules.disposition("started"))
		w.startRun(m)
	case c.StreamingBehavior.V == "steer":
		w.enqueue(&w.steering, m)
		w.respondData(c.ID, c.Name, w.rules.disposition("queued"))
	case c.StreamingBehavior.V == "followUp":
		w.enqueue(&w.followUp, m)
		w.respondData(c.ID, c.Name, w.rules.disposition("queued"))
	default:
		w.respond(c.ID, c.Name, "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.")
	}
}

// busy reports whether Pi has work that has not settled.
func (w *Worker) busy() bool { return w.running || w.ended || w.compaction.active }

// State is what get_state says at an instant: a run has not settled (a delay included, a compaction not), a compaction
// is under way, and how many messages wait.
func (w *Worker) State(now time.Duration) (streaming, compacting bool, pending int) {
	return w.running || w.ended && !w.compaction.active && !w.rules.idleInDelay, w.compaction.active, len(w.steering) + len(w.followUp)
}

func (w *Worker) stateData() *native.StateData {
	streaming, compacting, pending := w.State(w.now)
	return &native.StateData{
		Model: &native.Model{
			ID: w.model, Name: w.model, API: "openai-completions", Provider: w.provider,
			BaseURL: "http://127.0.0.1:8080/v1", Input: []string{"text"}, Cost: price,
			Reasoning: w.level != "off", ContextWindow: contextWindow, MaxTokens: maxTokens,
		},
		ThinkingLevel: w.level, IsStreaming: streaming, IsCompacting: compacting,
		SteeringMode: "one-at-a-time", FollowUpMode: "one-at-a-time",
		SessionFile: native.Opt[string]{V: w.sessionPath, Set: !w.unsaved}, SessionID: w.file.id,
		SessionName:           w.name(),
		AutoCompactionEnabled: true, MessageCount: int64(w.count), PendingMessageCount: int64(pending),
	}
}

// clientSends writes a line of the scripted client to stdin and returns its id.
func (w *Worker) clientSends(c *native.Command) string {
	w.requests++
	id := "req-" + strconv.Itoa(w.requests)
	c.ID = native.String(id)
	w.write(In, c, false)
	return id
}
