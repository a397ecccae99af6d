package fidelity

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/model"
	"fakepi.example/internal/fakepi/native/recording"
)

// transcriber writes the worker's half of a recorded run while it follows the lines of stdout, and the client's half.
type transcriber struct {
	meta    recording.Meta
	events  []recording.Event
	records []Record // of the events; those that are no line of stdout are empty
	replies []model.Reply

	steps []timedLine
	at    time.Duration // of the step written last
	acts  []Act

	out     int           // lines of stdout so far
	lastOut time.Duration // when the last one came
	prompts []string      // that were sent and have started no run yet
	reply   int           // the next
	calls   map[string]int
	toolAt  time.Duration // when the tools of the last message started, as far as the script knows; 0: none has
	free    time.Duration // when the last tool ended
	running bool
	hangs   bool // a tool or a dialog never ends
	over    bool // a client has aborted; what follows is no script's

	allowExec bool // a step runs a command
	left      bool // commands have left files
	unordered bool // updates are not compared (rule 5)
}

// timedLine is a step of the worker's half.
type timedLine struct {
	at   time.Duration
	text string
}

func newTranscriber(r recording.Run, events []recording.Event, replies []model.Reply) *transcriber {
	t := &transcriber{meta: r.Meta, events: events, replies: replies, calls: map[string]int{}}
	for _, e := range events {
		var record Record
		if e.Dir == recording.Out {
			record = NewRecord(e.Line)
		}
		t.records = append(t.records, record)
	}
	t.left = t.commandsLeft(r)
	return t
}

// commandsLeft reports whether the worktree ends otherwise than by what the tools write and edit have done to it.
func (t *transcriber) commandsLeft(run recording.Run) bool {
	at := recordedWorktree(run)
	for _, r := range t.records {
		if o, _ := r.Value.(native.Object); r.Kind == "tool_execution_start(write)" || r.Kind == "tool_execution_start(edit)" {
			name := object(o, "args").Text("path")
			at[name] = []byte(run.Meta.Worktree[name])
		}
	}
	for name, text := range run.Meta.Worktree {
		if was, ok := at[name]; !ok || string(was) != text {
			return true
		}
	}
	return false
}

func (t *transcriber) transcribe() {
	if t.meta.Mode == "json" {
		t.prompts = t.meta.Argv[len(t.meta.Argv)-1:]
	}
	for i, e := range t.events {
		switch e.Dir {
		case recording.Out:
			t.printed(i)
			t.out, t.lastOut = t.out+1, e.At
		case recording.In:
			t.sent(i)
		case recording.EOF:
			if string(e.Line) == "in" {
				t.await(e.At)
				t.act("eof", "")
			}
		}
	}
	if t.meta.Killed != "" {
		t.killed()
	}
	t.stall()
}

// killed is the end by a signal, which a command can outlive.
func (t *transcriber) killed() {
	t.await(t.lastOut + time.Second)
	t.act("signal", t.meta.Killed)
	if t.meta.Signal != "" && t.meta.Signal != t.meta.Killed { // the recorder's own, as the first did nothing
		t.acts = append(t.acts, Act{Verb: "wait", Wait: time.Second, N: 1})
		t.act("signal", t.meta.Signal)
	}
	for _, name := range slices.Sorted(maps.Keys(t.meta.Worktree)) {
		t.acts = append(t.acts, Act{Verb: "until", File: name, Text: t.meta.Worktree[name], N: 1})
	}
}

// stall ends the script in the middle of a run.
func (t *transcriber) stall() {
	if t.running && !t.over && !t.hangs {
		t.step(t.lastOut+quiet, "stalls")
	}
	t.over = true
}

// worker is the worker's half.
func (t *transcriber) worker() []byte {
	slices.SortStableFunc(t.steps, func(a, b timedLine) int { return cmp.Compare(a.at, b.at) })
	var b bytes.Buffer
	for _, s := range t.steps {
		fmt.Fprintf(&b, "0s+%s %s\n", script.FormatDuration(s.at), s.text)
	}
	return b.Bytes()
}

// step writes a step of the run, not before the one that was written last.
func (t *transcriber) step(at time.Duration, format string, args ...any) {
	t.at = max(t.at, at.Truncate(time.Millisecond))
	t.steps = append(t.steps, timedLine{t.at, fmt.Sprintf(format, args...)})
}

// aside writes what comes from outside at a time, while a reply may be under way that was written to its end.
func (t *transcriber) aside(at time.Duration, format string, args ...any) {
	t.steps = append(t.steps, timedLine{at.Truncate(time.Millisecond), fmt.Sprintf(format, args...)})
}

func (t *transcriber) act(verb, text string) {
	t.acts = append(t.acts, Act{Verb: verb, Text: text, N: 1})
}

// await lets the client wait for the lines that had come when it did something, and then as long as it did, up to the
// length of a silence (rule 4).
func (t *transcriber) await(at time.Duration) {
	t.acts = append(t.acts, Act{Verb: "lines", N: t.out})
	if gap := min(at-t.lastOut, quiet); gap > 100*time.Millisecond && t.out > 0 {
		t.acts = append(t.acts, Act{Verb: "wait", Wait: gap, N: 1})
	}
}

// sent takes a line of the client.
func (t *transcriber) sent(i int) {
	e := t.events[i]
	t.await(e.At)
	v, _ := native.ParseValue(e.Line)
	o, _ := v.(native.Object)
	message, hasMessage := o.Get("message").(native.String)
	switch o.Text("type") {
	case "extension_ui_response":
		if t.answered(o) {
			return
		}
	case "prompt":
		switch behavior := o.Text("streamingBehavior"); {
		case !hasMessage:
		case behavior == "steer":
			t.aside(e.At, "steer %s", script.Quote(string(message)))
		case behavior == "followUp":
			t.aside(e.At, "follow_up %s", script.Quote(string(message)))
		case !t.running:
			t.prompts = append(t.prompts, string(message))
		}
	case "steer", "follow_up":
		t.aside(e.At, "%s %s", o.Text("type"), script.Quote(string(message)))
	case "abort":
		t.stall()
	case "bash":
		t.allowExec = true
	}
	line := placeholders().Replace(string(e.Line))
	t.acts = append(t.acts, Act{Verb: "send", Text: line + "\n", Raw: true, N: 1})
}

// answered takes the answer to a dialog, whose id is another one in each run, and reports whether it was one. In the script
// it comes at once, so that the calls behind the one that asks are waiting when the client's comes.
func (t *transcriber) answered(o native.Object) bool {
	if !slices.ContainsFunc(t.records, func(r Record) bool {
		asked, _ := r.Value.(native.Object)
		return r.is("extension_ui_request") && asked.Text("id") == o.Text("id")
	}) {
		return false
	}
	value := o.Text("value")
	if confirmed, ok := o.Get("confirmed").(native.Bool); ok {
		value = map[bool]string{true: "yes", false: "no"}[bool(confirmed)]
	}
	if o.Get("cancelled") != nil {
		t.act("cancel", "")
		t.aside(t.at, "user cancels")
		return true
	}
	t.act("answer", value)
	t.aside(t.at, "user answers %s", script.Quote(value))
	return true
}

// summary is what the model says to a compaction that ends with a record, or without one if that is negative, and what
// the provider counts.
func (t *transcriber) summary(end int) string {
	first := t.said()
	if end < 0 {
		return " gives " + script.Quote(first)
	}
	o, _ := t.records[end].Value.(native.Object)
	result := object(o, "result")
	text := " gives " + script.Quote(first)
	history, turn, divided := strings.Cut(result.Text("summary"), "\n\n---\n\n**Turn Context (split turn):**\n\n")
	if divided && history != "No prior history." {
		t.said() // Pi has asked twice, and may have taken either first
		text = fmt.Sprintf(" gives %s turn %s", script.Quote(history), script.Quote(turn))
	}
	if usage := object(result, "usage"); usage != nil {
		input, _ := usage.Get("input").(native.Number)
		output, _ := usage.Get("output").(native.Number)
		text += fmt.Sprintf(" input %d output %d", int(input), int(output))
	}
	return text
}

// said is the text of the next reply.
func (t *transcriber) said() string {
	reply, _ := t.take()
	text := ""
	for _, op := range reply.Ops {
		if chunk, ok := op.(model.Text); ok {
			text += chunk.Delta
		}
	}
	return text
}

// answeredLater reports whether a client answers a dialog.
func (t *transcriber) answeredLater(asked native.Object) bool {
	return slices.ContainsFunc(t.events, func(e recording.Event) bool {
		return e.Dir == recording.In && strings.Contains(string(e.Line), `"id":"`+asked.Text("id")+`"`)
	})
}

// printed takes a line of stdout.
func (t *transcriber) printed(i int) {
	r, at := t.records[i], t.events[i].At
	o, _ := r.Value.(native.Object)
	switch {
	case t.over:
	case r.Kind == "agent_start":
		if t.running = true; len(t.prompts) > 0 {
			t.step(at, "prompt %s", script.Quote(t.prompts[0]))
			t.prompts = t.prompts[1:]
		}
	case r.Kind == "message_start(assistant)":
		t.answer(i)
	case r.is("tool_execution_start"):
		t.tool(i)
	case r.is("extension_ui_request"):
		t.asks(o)
	case r.Kind == "auto_retry_start":
		delay, _ := o.Get("delayMs").(native.Number)
		t.step(at, "retries %s", script.FormatDuration(time.Duration(delay)*time.Millisecond))
	case r.is("compaction_start"):
		t.compaction(i)
	case r.Kind == "agent_end":
		t.ended(i)
	}
}

// next is the first record behind i of one of these kinds, or a negative number.
func (t *transcriber) next(i int, kinds ...string) int {
	for j := i + 1; j < len(t.records); j++ {
		if slices.ContainsFunc(kinds, t.records[j].is) {
			return j
		}
	}
	return -1
}

// ended closes what the run leaves open, unless it goes on.
func (t *transcriber) ended(i int) {
	at := t.events[i].At
	next := t.next(i, "auto_retry_start", "compaction_start", "agent_start", "agent_settled", "response")
	switch {
	case next >= 0 && t.records[next].Kind == "auto_retry_start":
	case next >= 0 && t.records[next].is("compaction_start(threshold)"):
		t.step(at, "ends")
	case next >= 0 && t.records[next].is("compaction_start(overflow)"):
	default:
		t.settled(at)
	}
}

func (t *transcriber) settled(at time.Duration) {
	t.step(at, "settles")
	t.running = false
}

// compaction takes Pi's own summary, for which it asks the model too. Its end is the last that pi-0.73 does as a one-shot,
// without a word.
func (t *transcriber) compaction(i int) {
	at, until := t.events[i].At, t.next(i, "compaction_end")
	end := t.events[len(t.events)-1].At
	if until >= 0 {
		end = t.events[until].At
	}
	o, _ := t.records[i].Value.(native.Object)
	runs := script.FormatDuration((end - at).Truncate(time.Millisecond))
	t.step(at, "compacts %s runs %s%s", o.Text("reason"), runs, t.summary(until))
	if o.Text("reason") == "threshold" {
		t.settled(end)
	}
}

// take is the next reply of the model.
func (t *transcriber) take() (model.Reply, bool) {
	if len(t.replies) == 0 {
		return model.Reply{}, false
	}
	r := t.replies[min(t.reply, len(t.replies)-1)]
	if t.reply >= len(t.replies) && !r.Rest {
		return model.Reply{}, false
	}
	t.reply++
	return r, true
}
