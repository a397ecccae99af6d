package engine_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

// TestDialogues plays the files of testdata: each opens with what it proves, tells what happens to workers line by
// line, and holds what the engine said.
func TestDialogues(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no dialogues: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, f := range archive.Files {
				if name, ok := strings.CutSuffix(f.Name, ".in"); ok {
					got[name+".out"] = play(t, string(f.Data))
				}
			}
			for i := range archive.Files {
				f := &archive.Files[i]
				said, ok := got[f.Name]
				if !ok {
					continue
				}
				if *update {
					f.Data = []byte(said)
				} else if diff := cmp.Diff(string(f.Data), said); diff != "" {
					t.Errorf("%s (-want +got):\n%s", f.Name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// dialogue is one engine with a clock that jumps, and whoever answers its questions.
type dialogue struct {
	t       *testing.T
	engine  *engine.Engine
	policy  watchdog.Policy
	now     watchdog.Instant
	n       int
	at      []time.Duration // when each observation was made
	offsets map[string]int64
	answers map[watchdog.What]string
	said    strings.Builder
	decided bytes.Buffer // JSON of all decisions
	wake    time.Duration
	asked   map[string]bool
	depth   int                      // of steps that answers of one instant make
	along   map[watchdog.What]string // an event that comes with the next answer
	late    time.Duration
	durable *durable // nil: an engine that observes
}

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// play runs one dialogue. Lines: "TIME worker event", "policy NAME=VALUE", "answer WHAT TEXT", "until TIME",
// "mum WHAT", which ends an answer, "along WHAT EVENT", which comes in one step with the next answer, "late D", how long before
// they are told the events were from now on, "suspend D", "clock D", "boot ID", "wakes", which prints when the engine wants
// to be woken, "unchecked CLASS PERMISSION", which no check of a policy has seen; "#" comments. The events "begins MODE", up to a first token, and "settles" stand for
// several. A worker "w1.2" is the second generation of w1. For an engine with
// durable state see durable_test.go.
func play(t *testing.T, script string) string {
	said, _ := playAll(t, script)
	return said
}

// playAll returns all that the engine decided and all that is durable in the end, too.
func playAll(t *testing.T, script string) (said, all string) {
	d := newDialogue(t, script)
	if d.durable != nil {
		data, err := d.durable.memory.Read()
		if err != nil {
			t.Fatal(err)
		}
		d.decided.Write(data)
	}
	return d.said.String(), d.decided.String()
}

// newDialogue plays one up to its end.
func newDialogue(t *testing.T, script string) *dialogue {
	d := &dialogue{t: t, policy: watchdog.DefaultPolicy(), offsets: map[string]int64{}, asked: map[string]bool{}, answers: map[watchdog.What]string{}, along: map[watchdog.What]string{}}
	d.now = watchdog.Instant{Wall: epoch, BootID: "boot-1"}
	for i, line := range strings.Split(script, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := d.line(line); err != nil {
			t.Fatalf("line %d: %s: %v", i+1, line, err)
		}
	}
	return d
}

func (d *dialogue) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	if known, err := d.durableLine(word, rest); known {
		return err
	}
	switch word {
	case "policy":
		name, value, _ := strings.Cut(rest, "=")
		return d.policy.Set(name, value)
	case "override":
		parts := strings.Fields(rest)
		name, value, _ := strings.Cut(parts[1], "=")
		key, match, _ := strings.Cut(parts[0], "=")
		o := watchdog.Override{Set: map[string]string{name: value}}
		switch key {
		case "model":
			o.Model = match
		case "tool":
			o.Tool = match
		case "worker":
			o.Worker = match
		}
		d.policy.Overrides = append(d.policy.Overrides, o)
		return nil
	case "unchecked":
		class, permission, _ := strings.Cut(rest, " ")
		d.policy.Effects[watchdog.EffectClass(class)] = watchdog.Permission(permission)
		return nil
	case "along":
		what, event, _ := strings.Cut(rest, " ")
		d.along[watchdog.What(what)] = event
		return nil
	case "late":
		var err error
		d.late, err = time.ParseDuration(rest)
		return err
	case "mum":
		delete(d.answers, watchdog.What(rest))
		return nil
	case "answer":
		what, text, _ := strings.Cut(rest, " ")
		d.answers[watchdog.What(what)] = text
		return nil
	case "until":
		at, err := time.ParseDuration(rest)
		d.advance(at)
		return err
	case "suspend":
		span, err := time.ParseDuration(rest)
		d.now.Boot += span
		d.now.Wall = d.now.Wall.Add(span)
		return err
	case "clock":
		span, err := time.ParseDuration(rest)
		d.now.Wall = d.now.Wall.Add(span)
		return err
	case "wakes":
		fmt.Fprintf(&d.said, "%s   wake at %s\n", d.now.Mono, d.wake)
		return nil
	case "boot":
		d.now.BootID = rest
		d.step(nil)
		return nil
	}
	at, err := time.ParseDuration(word)
	if err != nil {
		return err
	}
	worker, event, _ := strings.Cut(rest, " ")
	for _, event := range events(event) {
		body, err := d.body(worker, event)
		if err != nil {
			return err
		}
		d.advance(at)
		d.observe(worker, body)
	}
	return nil
}

// advance lets time pass, stepping the engine whenever it asked to be woken.
func (d *dialogue) advance(to time.Duration) {
	for turns := 0; d.wake > 0 && d.wake < to; turns++ {
		if turns > maxTurns {
			d.t.Fatalf("%s: it asks to be woken over and over, now at %s", d.now.Mono, d.wake)
		}
		if d.wake <= d.now.Mono {
			d.t.Fatalf("asked to be woken at %s, which is not after %s", d.wake, d.now.Mono)
		}
		d.move(d.wake)
		d.step(nil)
	}
	d.move(to)
	if d.wake > 0 && d.wake == to {
		d.step(nil)
	}
}

// maxTurns is how often the engine may ask to be woken while nothing happens.
const maxTurns = 1000

func (d *dialogue) move(to time.Duration) {
	by := to - d.now.Mono
	if by < 0 {
		d.t.Fatalf("time runs back from %s to %s", d.now.Mono, to)
	}
	d.now.Mono, d.now.Boot, d.now.Wall = to, d.now.Boot+by, d.now.Wall.Add(by)
}

func (d *dialogue) observe(worker string, bodies ...watchdog.Body) {
	var seen []watchdog.Observation
	for _, body := range bodies {
		d.n++
		at := d.now
		at.Mono, at.Boot, at.Wall = at.Mono-d.late, at.Boot-d.late, at.Wall.Add(-d.late)
		d.at = append(d.at, at.Mono)
		o := watchdog.Observation{N: d.n, At: at, Worker: worker, Generation: 1, Body: body}
		if id, n, ok := strings.Cut(worker, "."); ok {
			o.Worker = id
			o.Generation, _ = strconv.Atoi(n)
		}
		if body.Kind() == watchdog.KindLink {
			o.Worker, o.Generation = "", 0
		}
		seen = append(seen, o)
	}
	d.durable.keep(seen)
	if d.durable == nil || !d.durable.down {
		d.step(seen)
	}
}

// start starts an engine, unless one runs.
func (d *dialogue) start() {
	if d.engine != nil {
		return
	}
	var err error
	if d.engine, err = engine.New(d.durable.boot(watchdog.Boot{Policy: d.policy, Incarnation: 1, Now: d.now})); err != nil {
		d.t.Fatal(err)
	}
}

// step gives the engine what was seen, writes down what it says, and answers its questions at once.
func (d *dialogue) step(seen []watchdog.Observation) {
	d.start()
	dec, err := d.engine.Step(d.now, seen)
	if err != nil {
		d.t.Fatal(err)
	}
	if err := json.NewEncoder(&d.decided).Encode(dec); err != nil {
		d.t.Fatal(err)
	}
	d.wake = dec.Wake
	d.durable.acked(dec.Ack)
	for _, v := range dec.Verdicts {
		d.verdict(&v)
	}
	var answers [][]watchdog.Body
	var to []string
	for _, c := range dec.Commands {
		bodies := d.act(&c)
		from := fmt.Sprintf("%s.%d", c.Worker, c.Generation)
		if body := d.command(&c); body != nil {
			bodies = append(d.facts(&c, body), d.comrade(c.What, from)...)
		}
		if bodies != nil {
			answers, to = append(answers, bodies), append(to, from)
		}
	}
	if d.depth == maxDepth {
		return // whoever answers is tired
	}
	d.depth++
	for i, bodies := range answers {
		d.observe(to[i], bodies...)
	}
	d.depth--
}

// comrade is the event that comes along with an answer, if there is one.
func (d *dialogue) comrade(what watchdog.What, worker string) []watchdog.Body {
	event, ok := d.along[what]
	if !ok {
		return nil
	}
	delete(d.along, what)
	body, err := d.body(worker, event)
	if err != nil {
		d.t.Fatalf("along %s: %v", event, err)
	}
	return []watchdog.Body{body}
}

// maxDepth is how many answers of one instant may each lead to the next.
const maxDepth = 50

func (d *dialogue) verdict(v *watchdog.Verdict) {
	fmt.Fprintf(&d.said, "%s %s %s %s %s/%s", d.now.Mono, v.Worker, v.Name, v.Status, v.Cause.Phase, or(string(v.Cause.Limit), "-"))
	if v.Since != d.now.Mono {
		fmt.Fprintf(&d.said, " since=%s", v.Since)
	}
	for _, e := range v.Evidence {
		fmt.Fprintf(&d.said, " #%d", e.N)
		if age := d.now.Mono - d.at[e.N-1]; e.Age != age {
			d.t.Errorf("%s: %s on #%d of age %s, want %s", d.now.Mono, v.Name, e.N, e.Age, age)
		}
	}
	det := v.Detail
	for _, f := range []struct{ name, value string }{
		{"calls", strings.Join(det.Calls, ",")}, {"dialog", det.Dialog}, {"credential", det.Credential},
		{"reason", det.Reason}, {"holder", number(det.Holder)}, {"terminal", number(det.Terminal)},
	} {
		if f.value != "" {
			fmt.Fprintf(&d.said, " %s=%s", f.name, f.value)
		}
	}
	if det.DeadChain {
		d.said.WriteString(" dead_chain")
	}
	if !det.Until.IsZero() {
		fmt.Fprintf(&d.said, " until=%s", det.Until.UTC().Format(time.TimeOnly))
	}
	for _, f := range v.Flags {
		fmt.Fprintf(&d.said, " %s", f)
	}
	for _, x := range v.Vetoes {
		fmt.Fprintf(&d.said, " veto=%s", x)
	}
	d.said.WriteByte('\n')
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// command writes a command down, unless it is a question that has an answer: that it returns.
func (d *dialogue) command(c *watchdog.Command) watchdog.Body {
	answer, known := d.answers[c.What]
	if d.durable.hides(c, known) {
		return nil
	}
	if c.Kind == watchdog.CmdProbe && known {
		return d.probe(c, answer)
	}
	if c.Kind == watchdog.CmdInspect && known {
		in := watchdog.Inspect{Key: c.Key, What: c.What, Stream: c.Stream}
		if c.What == watchdog.WhatWorld {
			in.World = answer
			return in
		}
		in.Offset = d.offsets[c.Worker+string(c.Stream)]
		switch answer {
		case "more":
			in.Offset++
		case "less":
			in.Offset--
		case "unknown":
			in.Offset = -1
		}
		return in
	}
	if c.What != "" && d.asked[c.Worker+string(c.What)] {
		return nil // asked again and again while nobody answers: once is enough here
	}
	d.asked[c.Worker+string(c.What)] = true
	fmt.Fprintf(&d.said, "%s   %s %s", d.now.Mono, c.Kind, c.Worker)
	if c.What != "" {
		fmt.Fprintf(&d.said, " %s", c.What)
	}
	if c.Kind == watchdog.CmdNotify {
		fmt.Fprintf(&d.said, " %s/%s %q", c.Cause.Name, or(string(c.Cause.Limit), "-"), c.Text)
	} else if d.durable != nil && c.What == "" {
		d.said.WriteString(particulars(c))
	}
	d.said.WriteByte('\n')
	return nil
}

// probe answers a probe: "fail", "unknown", "gone SOURCE [generation=N]", "streaming", "idle", "compacting", "mute", or
// processes as "pid:role:state:cpu[:flags]" (pid 100 is the worker; the flag "of=ID" names a call).
func (d *dialogue) probe(c *watchdog.Command, answer string) watchdog.Body {
	p := watchdog.Probe{Key: c.Key, What: c.What, Source: "proc", Result: watchdog.ProbeOK}
	words := strings.Fields(answer)
	switch words[0] {
	case "fail":
		p.Result, p.Text = watchdog.ProbeFailed, "permission denied"
	case "unknown":
		p.Result, p.Text = watchdog.ProbeUnknown, "no server running"
	case "gone":
		p.Source = words[1]
		p.Generation, _ = strconv.Atoi(options(answer)["generation"])
	case "streaming", "idle", "compacting", "mute":
		p.Source, p.State = "rpc", &watchdog.RPCState{Streaming: words[0] == "streaming", Compacting: words[0] == "compacting"}
		if words[0] == "mute" {
			p.Result = watchdog.ProbeUnknown
		}
	default:
		for _, w := range words {
			p.Processes = append(p.Processes, d.process(w))
		}
	}
	return p
}

func (d *dialogue) process(word string) watchdog.Process {
	f := strings.Split(word, ":")
	pid, err := strconv.Atoi(f[0])
	if err != nil {
		d.t.Fatal(err)
	}
	cpu := d.now.Mono
	if f[3] != "grows" {
		if cpu, err = time.ParseDuration(f[3]); err != nil {
			d.t.Fatal(err)
		}
	}
	io := int64(0)
	if len(f) > 4 && strings.Contains(f[4], "io") {
		io = int64(d.now.Mono)
	}
	p := watchdog.Process{PID: pid, Start: 7, IO: io, Role: watchdog.Role(f[1]), State: f[2], CPU: cpu}
	if len(f) > 4 {
		if strings.Contains(f[4], "unstarted") {
			p.Start = 0
		}
		p.HoldsPipe, p.ReadsTTY = strings.Contains(f[4], "pipe"), strings.Contains(f[4], "tty")
		_, p.ToolCall, _ = strings.Cut(f[4], "of=")
	}
	return p
}
