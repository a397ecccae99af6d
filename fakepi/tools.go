package fakepi

import (
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

// call is a tool call of the last reply.
type call struct {
	id, name string
	args     native.Value
	written  string // by the model, as arguments
	step     int    // of the script: where the tool runs; -1 while only its call was streamed
	from     string
	run      script.Tool

	started bool // tool_execution_start was printed
	begun   bool // the tool does its work; a gate may stand between
	ended   bool
	frozen  bool // nothing more comes of it, and it does not end

	startAt  time.Duration
	beginAt  time.Duration
	paused   time.Duration // time that dialogs took since it began
	progress time.Duration // its last
	bursts   int           // outputs so far
	emitted  time.Duration // when the last was due, from beginAt
	output   []byte
	broken   string // why the arguments are none; empty: they are
	invalid  string // why the tool cannot take them; empty: it can
	result   *native.ToolResultMessage
	pid      int          // of its shell
	commands bool         // it runs commands, or has run some
	runs     int          // of them that have not ended
	code     int          // exit status of one that failed
	details  native.Value // of the result of an edit that was really made
}

func (c *call) open() bool { return c.started && !c.ended }

// working is how long a tool has worked at an instant.
func (c *call) working(now time.Duration) time.Duration { return now - c.beginAt - c.paused }

// lasts is how long the tool works before it ends by itself, or never.
func (c *call) lasts() time.Duration {
	d := c.run.Runs.D
	if c.run.Runs.Never {
		d = never
	}
	if c.run.Timeout.Given() && !c.run.Deaf {
		d = min(d, c.run.Timeout.D)
	}
	return d
}

// timedOut reports whether its own timeout is what ends it.
func (c *call) timedOut() bool {
	return c.run.Timeout.Given() && !c.run.Deaf && (c.run.Runs.Never || c.run.Timeout.D < c.run.Runs.D)
}

// period is how often it prints, or 0. Pi prints at most every 100 ms (docs/pi-formats.md, section 3.2).
func (c *call) period() time.Duration {
	if d := max(c.run.Bursts.D, c.run.Repeats.D); d > 0 {
		return max(d, 100*time.Millisecond)
	}
	return 0
}

// active is how long output or CPU lasts from its beginning.
func (c *call) active() time.Duration {
	if c.run.For.Given() && !c.run.For.Never {
		return min(c.run.For.D, c.lasts())
	}
	return c.lasts()
}

// callEvent is what a call does next.
type callEvent uint8

const (
	callNothing callEvent = iota
	callBegins
	callPrints
	callEnds
)

// nextEvent tells what a call does next by itself, and when. held says that a dialog stops its clock.
func (c *call) nextEvent(held bool) (callEvent, time.Duration) {
	if !c.open() || held || c.frozen {
		return callNothing, never
	}
	if !c.begun {
		return callBegins, c.startAt
	}
	base := c.beginAt + c.paused
	if d, p := c.emitted, c.period(); p > 0 && d+p <= c.active() && d+p < c.lasts() {
		return callPrints, base + d + p
	}
	if d := c.lasts(); d != never && (c.runs == 0 || c.timedOut()) {
		return callEnds, base + d
	}
	return callNothing, never
}

// addCall adds a call of step i to the message that is open or comes next.
func (w *Worker) addCall(i int, name, id string, run script.Tool, verbatim bool) int {
	if id == "" {
		id = w.ids.word("call_", 24)
	}
	c := call{id: id, name: name, step: -1, written: w.texts[i]}
	if verbatim {
		c.args, c.broken = w.rules.readArguments([]byte(c.written))
		c.invalid = w.rules.invalid(name, c.args)
	} else {
		c.args = provider.Arguments(name, c.written, run.Timeout.D)
		c.written = string(native.AppendValue(nil, c.args))
	}
	w.calls = append(w.calls, c)
	return len(w.calls) - 1
}

// streamCall is the verb calls.
func (w *Worker) streamCall(i int, a script.Calls) {
	w.newBatch()
	at := w.addCall(i, a.Name, "", script.Tool{}, a.Args != script.Text{})
	w.calls[at].from = w.steps[i].Label
	w.openCall(at, native.Usage{})
	w.stream = newStream(blockCall, w.calls[at].written, a.Over, a.Chunks, w.now)
}

// newBatch forgets the calls of the message before.
func (w *Worker) newBatch() {
	if !w.reply.open {
		w.calls = nil
	}
}

// startTool is the verb tool. The first of a message closes it, with the calls of all tools that share it.
func (w *Worker) startTool(i int, a script.Tool) {
	at := w.callOf(i, a)
	if at < 0 || w.reply.open {
		w.callTools(i, a.Batch)
		at = w.callOf(i, a)
	}
	c := &w.calls[at]
	c.run, c.step = a, i
	c.started, c.startAt, c.progress = true, w.now, w.now
	w.owed = false
	w.noteOpen()
	w.print(&native.ToolStart{ToolCallID: c.id, ToolName: c.name, Args: c.args}, true)
	if w.refuse(c) {
		w.endBatch()
	}
}

// refuse ends a call that cannot run.
func (w *Worker) refuse(c *call) bool {
	if text := w.refusal(c); text != "" {
		w.endCall(c, outcome{text: text, failed: true, unrun: true})
		return true
	}
	if len(w.asksNow()) > 0 && !w.hasUI() {
		w.endCall(c, outcome{text: "Blocked: no UI to ask", failed: true, unrun: true})
		return true
	}
	return false
}

// callOf finds the call that a tool step runs, or -1.
func (w *Worker) callOf(i int, a script.Tool) int {
	for at := range w.calls {
		c := &w.calls[at]
		if c.started {
			continue
		}
		if a.Call != "" && c.from == a.Call || c.step == i {
			return at
		}
	}
	return -1
}

// callTools streams the calls of a batch and closes their message.
func (w *Worker) callTools(first, batch int) {
	w.newBatch()
	var added []int
	for i := first; i < len(w.steps); i++ {
		t, ok := w.steps[i].Action.(script.Tool)
		if !ok && waitsForCalls(w.steps[i].Action) {
			break // what is said behind it is another message
		}
		if !ok || t.Batch != batch {
			continue
		}
		if at := w.callOf(i, t); at >= 0 {
			w.calls[at].step = i
			continue
		}
		at := w.addCall(i, t.Name, t.ID, t, t.Args != script.Text{})
		w.calls[at].step = i
		added = append(added, at)
	}
	w.sayCalls(added)
	w.closeReply(ending{stop: "toolUse"})
}

// sayCalls streams whole calls. They come with the last chunk, which also reports the usage.
func (w *Worker) sayCalls(added []int) {
	if len(added) == 0 {
		return
	}
	if !w.reply.open {
		w.openReply()
	}
	said := 0
	for _, at := range added {
		said += len(w.calls[at].written)
	}
	usage := w.reported("", said)
	for _, at := range added {
		w.openCall(at, usage)
		args := w.calls[at].written
		b := &w.reply.blocks[len(w.reply.blocks)-1]
		for pieces := provider.CutCall(args); pieces.More(); {
			part := pieces.Next()
			b.text = append(b.text, part...)
			w.update(native.AssistantEvent{
				Type: deltaNames[blockCall], ContentIndex: int64(len(w.reply.blocks) - 1), Delta: native.Some(part),
			}, usage)
			w.endChunk(w.rules.streaming, native.Usage{})
		}
	}
}

// beginCall lets a tool work. Of bash Pi prints an empty update as it starts the command.
func (w *Worker) beginCall(c *call) {
	c.begun, c.beginAt = true, w.now
	if w.hasProcesses(c) {
		c.pid = w.newPID()
	}
	if c.name == "bash" {
		w.printPartial(c, false)
	}
}

// printOutput prints what a tool has put out since, or again what it had.
func (w *Worker) printOutput(c *call) {
	c.emitted += c.period()
	c.bursts++
	fresh := !c.run.Repeats.Given() || c.bursts == 1 && w.given(c) != ""
	switch {
	case c.run.Bursts.Given():
		c.output = appendBurst(c.output, w.given(c), c.bursts)
	case fresh:
		c.output = append(c.output, w.given(c)...)
	}
	if fresh {
		c.progress = w.now
	}
	w.printPartial(c, fresh)
}

func (w *Worker) printPartial(c *call, fresh bool) {
	w.print(&native.ToolUpdate{
		ToolCallID: c.id, ToolName: c.name, Args: c.args, PartialResult: w.partial(c),
	}, fresh)
}

// endTool ends a tool whose time is over.
func (w *Worker) endTool(c *call) {
	w.changeWorld(c)
	o := outcome{failed: c.fails(), exited: true}
	if c.timedOut() {
		o = outcome{note: "Command timed out after " + seconds(c.run.Timeout.D) + " seconds", failed: true}
	}
	w.endCall(c, o)
	w.endBatch()
}

// endCall prints tool_execution_end. The results follow when the last call of the message has ended.
func (w *Worker) endCall(c *call, o outcome) {
	if c.begun && !c.run.Repeats.Given() && o.exited {
		w.lastOutput(c)
	}
	c.ended, c.progress = true, w.now
	if c.commands && o.exited {
		w.detach(c.id)
	}
	w.noteOpen()
	result, message := w.results(c, o)
	c.result = message
	w.print(&native.ToolEnd{
		ToolCallID: c.id, ToolName: c.name, Result: result, IsError: message.IsError, DurationMs: message.DurationMs,
	}, true)
	if len(w.openIDs) == 0 {
		w.request()
	}
}

// lastOutput comes right before the end: all that a silent bash gives, or what its bursts have left.
func (w *Worker) lastOutput(c *call) {
	text := linesFrom(w.given(c), c.bursts)
	if text == "" {
		return
	}
	c.output = append(c.output, text...)
	if c.name == "bash" {
		w.printPartial(c, true)
	}
}

// given is the output that the script gives a tool.
func (w *Worker) given(c *call) string {
	if c.step < 0 {
		return ""
	}
	return w.gives(c.step)
}

// endBatch prints the results of a message's calls, in the order of the calls, once all have ended; then the next turn
// begins.
func (w *Worker) endBatch() {
	for i := range w.calls {
		if !w.calls[i].ended {
			return
		}
	}
	w.sayResults()
	if !w.nextTurn(false) {
		w.startTurn()
	}
}

// sayResults prints the results and closes the turn.
func (w *Worker) sayResults() {
	results := make([]native.Message, len(w.calls))
	for i := range w.calls {
		m := w.calls[i].result
		m.Timestamp = w.stamp(w.now)
		w.context += w.resultTokens(m)
		w.say(m)
		results[i] = m
	}
	w.calls = nil
	w.endTurn(results)
}

// noteOpen lists the calls that run.
func (w *Worker) noteOpen() {
	w.openIDs = nil
	for i := range w.calls {
		if w.calls[i].open() {
			w.openIDs = append(w.openIDs, w.calls[i].id)
		}
	}
}
