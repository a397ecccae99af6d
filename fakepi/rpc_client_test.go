package fakepi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/native/grammar"
)

// A client that sends anything at any time: valid commands with fitting, odd and missing arguments, lines that are no
// commands, answers, signals, the end of stdin. The worker never panics or hangs; what it prints is the dialect's, in the
// grammar's order; every line but a dialog's answer gets one answer unless something that is open keeps it waiting; and
// each session file is a tree whose ids are unique, but for what others have written that is none: half of the clients
// meet such files. A failing sequence is cut down to what it needs.
func TestClient(t *testing.T) {
	t.Parallel()
	sequences := 10_000
	if testing.Short() {
		sequences = 1_000
	}
	written := writtenSessions(t)
	for seed := range uint64(sequences) {
		c := drawClient(seed, written)
		if err := c.run(t); err != nil {
			c.shrink(t)
			t.Fatalf("seed %d, %s, driven %v, exec %v:\n%s\n%.9999v\n%q\n%.9999v", seed, c.lang.dialect, c.driven, c.exec, c.src, c.acts, c.foreign, c.run(t))
		}
	}
}

// shrink leaves out what is not needed to fail.
func (c *client) shrink(t *testing.T) {
	for i := 0; i < len(c.acts); {
		shorter := *c
		if shorter.acts = slices.Delete(slices.Clone(c.acts), i, i+1); shorter.run(t) != nil {
			c.acts = shorter.acts
		} else {
			i++
		}
	}
}

// client is a worker and what is done to it.
type client struct {
	lang         tongue
	driven, exec bool
	src          string
	foreign      map[string]string // session files that are there
	goesOn       bool              // with the first of them
	acts         []act
}

// act is one thing that a client, or the machine, does after a while.
type act struct {
	after time.Duration
	what  string // line, signal, eof, answer, cancel, ran, clone
	text  string
}

func (a act) String() string { return fmt.Sprintf("\n+%s %s %s", a.after, a.what, a.text) }

// clientScripts hold each situation that a command can meet.
var clientScripts = []string{
	"0s chatter queue",
	"0s prompt \"x\"\n+1s says \"one two three\" over 3s\n+0s settles\n+1s prompt \"y\"\n+1s says \"b\"\n+0s settles",
	"0s prompt \"x\"\n+1s tool bash \"make\" runs 5s bursts 1s as=t\n@t.end says \"done\"\n+0s settles\n+1s compacts manual runs 2s\n+1s prompt \"y\"\n+0s stalls",
	"0s prompt \"x\"\n+1s tool bash \"a\" runs 1s as=t\n@t asks confirm \"?\"\n@t+1s says \"done\"\n+0s settles",
	"0s prompt \"x\"\n+1s asks select \"?\" \"A\" \"B\" timeout=10s\n+1s says \"a\"\n+0s settles",
	"0s prompt \"x\"\n+1s refused transient\n+0s retries 2s\n+1s refused transient\n+0s retries 4s\n+1s says \"a\"\n+0s settles",
	"0s prompt \"x\"\n+1s refused overflow\n+0s compacts overflow runs 3s\n+1s says \"a\"\n+0s settles",
	"0s prompt \"x\"\n+1s says \"a\"\n+0s ends\n+0s compacts threshold runs 3s\n+0s settles\n+1s prompt \"y\"\n+1s thinks \"hm\" over 1s\n+0s stalls",
	"0s prompt \"x\"\n+1s tool read \"f\" runs 1s as=t\n@t tool write \"g\" runs 2s\n@t+3s says \"a\"\n+0s settles\n+1s prompt \"y\" takes 3s\n+1s says \"b\"\n+0s wedges deaf",
	"0s prompt \"x\" handled\n+1s prompt \"y\"\n+1s opens\n+9s closes\n+0s settles",
	"0s prompt \"x\"\n+1s says \"a\"\n+0s compacts threshold runs 1s fails\n+0s settles",
}

func drawClient(seed uint64, written []string) *client {
	r := rand.New(rand.NewPCG(seed, 1))
	c := &client{lang: tongues[r.IntN(len(tongues))], driven: r.IntN(3) > 0, exec: r.IntN(2) == 0, src: one(r, clientScripts)}
	if r.IntN(2) == 0 {
		c.foreign, c.goesOn = map[string]string{}, r.IntN(2) == 0
		for _, file := range foreignFiles {
			c.foreign[file] = drawSession(r, written)
		}
	}
	for range 1 + r.IntN(25) {
		c.acts = append(c.acts, drawAct(r))
	}
	return c
}

func one[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

func drawAct(r *rand.Rand) act {
	a := act{after: one(r, []time.Duration{0, 0, ms / 2, ms, 300 * ms, time.Second, 5 * time.Second, time.Minute})}
	switch n := r.IntN(100); {
	case n < 82:
		a.what, a.text = "line", drawWrite(r)
	case n < 90:
		a.what = one(r, []string{"answer", "cancel"})
	case n < 95:
		a.what = "ran"
	case n < 98:
		a.what = "clone"
	case n < 99:
		a.what = "eof"
	default:
		a.what, a.text = "signal", one(r, []string{"SIGTERM", "SIGHUP", "SIGINT", "SIGKILL", "SIGSTOP"})
	}
	return a
}

var clientCommands = []string{
	"prompt", "prompt", "prompt", "steer", "follow_up", "abort", "abort_retry", "clear_queue", "get_state", "get_messages",
	"get_session_stats", "get_last_assistant_text", "get_commands", "get_fork_messages", "get_entries", "get_tree",
	"get_available_models", "set_model", "cycle_model", "set_thinking_level", "cycle_thinking_level",
	"get_available_thinking_levels", "set_steering_mode", "set_follow_up_mode", "set_auto_compaction", "set_auto_retry",
	"set_session_name", "new_session", "switch_session", "fork", "clone", "compact", "bash", "abort_bash", "export_html",
	"extension_ui_response", "bogus", "constructor",
}

// clientIDs are ids of commands.
var clientIDs = []string{
	`"a"`, `7`, `null`, `{"b":[1]}`, `0.5`, `""`, `false`, `1e400`, `-0`, `12345678901234567890`, `"\ud83d\u2028"`, "\"\xe2\x80\"",
}

// clientArguments are members with values that fit somewhere. ENTRY and FILE stand for an entry and a session file that
// there are.
var clientArguments = []string{
	`"message":"x"`, `"message":"x"`, `"message":"héllo \u2028 \ud83d"`, `"message":3`, `"message":null`,
	`"streamingBehavior":"steer"`, `"streamingBehavior":"followUp"`, `"streamingBehavior":7`,
	`"images":[{"type":"image","data":"AA==","mimeType":"image/png"}]`, `"images":"x"`,
	`"mode":"all"`, `"mode":"one-at-a-time"`, `"mode":3`, `"enabled":false`, `"enabled":true`, `"enabled":"no"`,
	`"provider":"demo","modelId":"demo-r1"`, `"provider":"demo","modelId":"demo-1"`, `"modelId":[1]`,
	`"level":"high"`, `"level":"max"`, `"level":{}`, `"name":"n\nm "`, `"name":" "`, `"name":false`,
	`"entryId":"ENTRY"`, `"entryId":"ENTRY"`, `"entryId":9`, `"since":"ENTRY"`, `"since":null`,
	`"sessionPath":"FILE"`, `"sessionPath":"FILE"`, `"sessionPath":"/none/x.jsonl"`, `"sessionPath":"rel.jsonl"`, `"sessionPath":"/bad.jsonl"`, `"sessionPath":true`,
	`"parentSession":"/p"`, `"parentSession":3`, `"command":"ls"`, `"command":null`, `"excludeFromContext":true`,
	`"sessionPath":"/s/one.jsonl"`, `"sessionPath":"/s/one.jsonl"`, `"sessionPath":"/s/two.jsonl"`, `"sessionPath":"/s/../s/two.jsonl"`, `"sessionPath":"\u0000"`,
	`"entryId":"11111111"`, `"entryId":"66666666"`, `"since":"22222222"`, `"since":1e400`, `"since":{}`, `"entryId":[["ENTRY"]]`,
	`"outputPath":"o.html"`, `"outputPath":"/s/one.jsonl"`, `"outputPath":7`, `"customInstructions":"short"`, `"type":"abort"`, `"id":"other"`,
}

// drawWrite draws what the client writes at once: mostly one line. What comes with it is drawn from the line.
func drawWrite(r *rand.Rand) string {
	first := drawLine(r)
	sum := fnv.New64a()
	sum.Write([]byte(first))
	r = rand.New(rand.NewPCG(sum.Sum64(), 0))
	lines := []string{first}
	for r.IntN(6) == 0 {
		lines = append(lines, drawLine(r))
	}
	return strings.Join(lines, "\n")
}

func drawLine(r *rand.Rand) string {
	switch n := r.IntN(4_000); {
	case n == 0:
		return `{"type":"` + one(r, clientCommands) + `","message":"` + strings.Repeat("long ", 300_000) + `"}`
	case n < 200:
		return one(r, oddLines)
	}
	members := []string{`"type":"` + one(r, clientCommands) + `"`}
	if r.IntN(8) > 0 {
		members = append(members, `"id":`+one(r, clientIDs))
	}
	for range r.IntN(4) {
		members = append(members, one(r, clientArguments))
	}
	if r.IntN(2) == 0 { // the text that most commands want
		members = append(members, `"message":"m"`, `"name":"n"`, `"entryId":"ENTRY"`, `"sessionPath":"FILE"`)
	}
	return "{" + strings.Join(members, ",") + one(r, []string{"}", "}", "}", "}\r"})
}

// disk is a file system of session files.
type disk map[string]string

func (d disk) Read(path string) ([]byte, error) {
	if data, ok := d[path]; ok {
		return []byte(data), nil
	}
	return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
}

// Exists finds everything but one folder, and what would be in a file.
func (d disk) Exists(path string) bool { return path != "/gone" && path != "/file/." }

func (d disk) Path(named string) string { return named }

func (d disk) MakeFolder(path string) error {
	if path == "/bad.jsonl" {
		return fmt.Errorf("ENOTDIR: not a directory, mkdir '%s'", path)
	}
	return nil
}

func (d disk) Export(path string, page []byte) error {
	if strings.HasPrefix(path, "/") {
		return fmt.Errorf("EACCES: permission denied, open '%s'", path)
	}
	return nil
}

// dealing is a client at work.
type dealing struct {
	*client
	worker  *fakepi.Worker
	checker *grammar.Checker
	disk    disk
	emptied map[string]bool // files
	now     time.Duration
	runs    []string // calls of commands that run
	asked   int      // lines that want an answer
	lines   int      // answers
	exited  bool
	err     error
}

func (c *client) run(t testing.TB) error {
	s := parse(t, c.src)
	d := &dealing{client: c, checker: c.lang.grammar("rpc"), disk: disk{"/bad.jsonl": "no session\n"}, emptied: map[string]bool{}}
	maps.Copy(d.disk, c.foreign)
	models := []native.Model{{ID: "demo-1", Provider: "demo", ContextWindow: 128000}, {ID: "demo-r1", Provider: "demo", Reasoning: true}}
	config := fakepi.Config{
		Steps: s.For(script.DefaultActor), Seed: 3, Mode: script.ModeRPC, Dialect: c.lang.dialect, Driven: c.driven, Exec: c.exec,
		Models: models, Sessions: d.disk,
	}
	if history, err := fakepi.ReadHistory(native.Pi16, []byte(c.foreign[foreignFiles[0]])); err == nil && c.goesOn {
		config.History, config.SessionPath = history, foreignFiles[0]
	}
	w, err := fakepi.New(config)
	if err != nil {
		t.Fatal(err)
	}
	d.worker = w
	for _, a := range c.acts {
		d.do(a)
	}
	d.finish()
	return d.err
}

func (d *dealing) do(a act) {
	d.now += a.after
	d.take(d.worker.Step(d.now, nil))
	switch a.what {
	case "line":
		d.send(a.text)
	case "answer", "cancel":
		if line := d.worker.Answer("yes", a.what == "cancel"); line != nil {
			d.take(d.worker.Send(d.now, line, nil))
		}
	case "ran":
		if len(d.runs) > 0 {
			d.take(d.worker.Ran(d.now, d.runs[0], []byte("out\n"), -9, nil))
			d.runs = d.runs[1:]
		}
	case "clone":
		d.compareClone()
	case "eof":
		d.take(d.worker.CloseStdin(d.now, nil))
	case "signal":
		d.take(d.worker.Signal(d.now, a.text, nil))
	}
}

func (d *dealing) send(line string) {
	entry, file := "", ""
	for path, data := range d.disk {
		if path > file && path != "/bad.jsonl" {
			file = path
			if at := strings.LastIndex(data, `"id":"`); at >= 0 {
				entry, _, _ = strings.Cut(data[at+6:], `"`)
			}
		}
	}
	file = strings.ReplaceAll(file, "\x00", `\u0000`)
	line = strings.NewReplacer("ENTRY", entry, "FILE", file).Replace(line)
	for part := range strings.SplitSeq(line, "\n") {
		answers := strings.Contains(part, "extension_ui_response") && !strings.Contains(part, `"type":"abort"`)
		if !answers || !json.Valid([]byte(part)) { // a damaged id that it names may have a line end
			d.asked++
		}
	}
	d.take(d.worker.Send(d.now, []byte(line+"\n"), nil))
}

// compareClone checks that a copy goes on as the original does, and leaves it alone.
func (d *dealing) compareClone() {
	const line = `{"id":"c","type":"get_messages"}`
	c := d.worker.Clone()
	later := d.now + 10*time.Second
	first := text(c.Send(later, []byte(line), nil))
	c.Send(later, []byte(`{"type":"new_session"}`), nil)
	c.Send(later, []byte(`{"type":"steer","message":"in the copy"}`), nil)
	if second := text(d.worker.Clone().Send(later, []byte(line), nil)); first != second {
		d.fail("two copies differ: %s and %s", first, second)
	}
}

func (d *dealing) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

func (d *dealing) take(outs []fakepi.Output) {
	for i := range outs {
		o := &outs[i]
		d.exited = d.exited || o.Exit != nil
		switch {
		case o.Effect != nil && o.Effect.Kind == script.EffectRun:
			d.runs = append(d.runs, o.Effect.Call)
		case o.Data == nil:
		case o.Stream == fakepi.Out:
			d.line(o.Data)
		case o.Stream == fakepi.Session:
			d.save(o)
		}
	}
}

// oddPlaces are where a line may repeat something odd that it was sent: a command, a mode that is no word, an image.
var oddPlaces = regexp.MustCompile(`^\$\.(command|id|data|(message|messages\[\d+\])\.content\[[1-9])`)

// line checks what is printed.
func (d *dealing) line(line []byte) {
	record, unknown, err := d.lang.codec.Examine(line)
	for _, u := range unknown {
		if !oddPlaces.MatchString(u.Path) {
			err = errors.Join(err, fmt.Errorf("%v", u))
		}
	}
	if err != nil || !utf8.Valid(line) {
		d.fail("no line of the dialect (%v): %q", err, line)
	}
	if r, ok := record.(*native.Response); ok {
		if id, _ := r.ID.(native.String); !strings.HasPrefix(string(id), "req-") { // those are of the script's own client
			d.lines++
		}
	}
	var s native.Skimmed
	native.Skim(line, &s)
	if err := d.checker.Observe(&s); err != nil {
		d.fail("%v: %s", err, line)
	}
}

// save writes to a session file, and checks that it stays a tree.
func (d *dealing) save(o *fakepi.Output) {
	switch _, there := d.disk[o.Path]; {
	case o.Path == "":
		d.fail("a line of no file: %s", o.Data)
	case o.Emptied:
		d.disk[o.Path] = ""
		d.emptied[o.Path] = true
	case !there && !strings.HasPrefix(string(o.Data), `{"type":"session"`):
		d.fail("%s begins with %s", o.Path, o.Data)
	}
	d.disk[o.Path] += string(o.Data)
}

// finish lets everything end, and asks for a sign of life.
func (d *dealing) finish() {
	for n := 0; ; n++ {
		at, ok := d.worker.Next()
		if !ok || at > d.now+horizon {
			break
		}
		if n > 10_000 {
			d.fail("it never rests")
			break
		}
		d.now = max(d.now, at)
		d.take(d.worker.Step(d.now, nil))
	}
	if d.lines > d.asked {
		d.fail("%d answers to %d lines", d.lines, d.asked)
	}
	before := d.lines
	d.take(d.worker.Send(d.now, []byte(`{"id":"last","type":"get_state"}`), nil))
	if !d.exited && d.lines != before+1 {
		d.fail("get_state got %d answers", d.lines-before)
	}
	for path, data := range d.disk {
		if err := d.checkFile(path, data); err != nil {
			d.fail("%s: %w\n%s", path, err, data)
		}
	}
}

// checkFile checks what a session file holds at the end. Where others have written, it is what those wrote, unless Pi
// begins such a file anew, and behind that what is JSON.
func (d *dealing) checkFile(path, data string) error {
	switch {
	case path == "/bad.jsonl":
		return nil
	case d.foreign == nil:
		return checkTree(data)
	case !d.emptied[path] && !strings.HasPrefix(data, d.foreign[path]):
		return errors.New("what was there is gone")
	case !d.emptied[path]:
		data = data[len(d.foreign[path]):]
	}
	if data == "" {
		return nil
	}
	return checkAdded(data, strings.Join(slices.Collect(maps.Values(d.foreign)), ""))
}
