//go:build unix

package smoke_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/fidelity"
	"fakepi.example/internal/fakepi/fidelity/realpi"
	"fakepi.example/internal/terminal"
)

// life is what a person does to a Pi in a terminal, up to its end, and the script that both halves of it play.
type life struct {
	name   string
	script string
	live   func(*testing.T, *terminal.Program)
	races  int // so many of the last entries the real Pi may be too late to save (package fidelity, rule 9)
}

// hello is a first run, behind which a session has a file in both dialects.
const hello = `0s       prompt "Say hello."
+100ms   says "Hello there."
+0s      settles
`

// sleeps is a run whose tool takes a while, in the words of its prompt.
const sleeps = `+0s      prompt "Sleep."
+100ms   tool bash "sleep 60" runs 60s  as=sleep
@sleep.end+200ms  says "Awake."
+0s      settles
`

const stalls = `+0s      prompt "Stall."
+200ms   says "First part"
+1h      says ", and the second"
+0s      settles
`

// long makes a conversation that can be compacted.
var long = `0s       prompt "Say much."
+50ms    says "` + strings.Repeat("word ", 400) + `end"
+0s      settles
+1s      prompt "Say more."
+50ms    says "` + strings.Repeat("word ", 400) + `end"
+0s      settles
+1s      compacts manual runs 500ms gives "They said much."
+1s      prompt "Go on."
+50ms    says "I go on."
+0s      settles
`

// asks is a run whose tool is asked about; the word in the command lets the gate ask.
const asks = `+0s      prompt "Run it."
+100ms   tool bash "echo made it # ask-select" runs 50ms gives "made it\n"  as=run
@run     asks select "Allow this command?" "Allow" "Block"
+0s      user answers "Allow" after 1s
@run.end+200ms  says "All done."
+0s      settles
`

// waits are runs in which a message waits for the end of a tool, and one for the end of the run.
const waits = `+0s      prompt "Work."
+100ms   tool bash "sleep 3" runs 3s  as=work
@work+300ms      steer "Faster."
@work.end+200ms  says "Steered."
+0s      settles
+0s      prompt "More."
+100ms   says "First the imports. "  as=first
+300ms   follow_up "Later."
@first+5s  says "Then the rest."
+0s      closes stop
+100ms   says "Followed."
+0s      settles
`

var lives = []life{
	{name: "prompts, names and commands", script: hello + asks, live: func(t *testing.T, p *terminal.Program) {
		send(t, p, "/name first\r")
		expect(t, p, `• first$`)
		sayHello(t, p)
		send(t, p, "/name second one\r")
		expect(t, p, `• second one$`)
		send(t, p, "!echo shown; exit 4\r")
		expect(t, p, `\(exit 4\)`) // it has ended: Pi runs one at a time
		send(t, p, "!!echo hidden; exit 3\r")
		expect(t, p, `\(exit 3\)`)
		send(t, p, "Run it.\r")
		expect(t, p, `→ Allow`)
		send(t, p, "\r")
		expect(t, p, after(`All done\.`))
		leaves(t, p, "\x04")
	}},
	{name: "a dialog declined", script: hello + asks, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		send(t, p, "Run it.\r")
		expect(t, p, `→ Allow`)
		send(t, p, "\x1b[B")
		expect(t, p, `→ Block`)
		send(t, p, "\r")
		expect(t, p, after(`All done\.`))
		leaves(t, p, "\x03\x03")
	}},
	{name: "a dialog left", script: hello + asks, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		send(t, p, "Run it.\r")
		expect(t, p, `→ Allow`)
		send(t, p, escape)
		expect(t, p, after(`All done\.`))
		leaves(t, p, "/quit\r")
	}},
	{name: "escape", script: hello + stalls + sleeps + "+0s prompt \"Wait.\"\n+1h says \"x\"\n+0s settles\n", live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		stall(t, p)
		send(t, p, escape)
		expect(t, p, after(`Operation aborted`))
		sleep(t, p)
		send(t, p, escape)
		expect(t, p, after(`Operation aborted`))
		send(t, p, "Wait.\r")
		expect(t, p, `^ Wait\.`)
		expect(t, p, `\S Working`)
		send(t, p, escape)
		expect(t, p, ` Wait\.(.|\n)*`+after(`Operation aborted`))
		leaves(t, p, "\x04")
	}},
	{name: "messages that wait", script: hello + waits, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		send(t, p, "Work.\r")
		expect(t, p, `Elapsed [0-9]`)
		send(t, p, "Faster.\r")
		expect(t, p, `Steering: Faster\.`)
		expect(t, p, after(`Steered\.`))
		send(t, p, "More.\r")
		expect(t, p, `First the imports\.`)
		send(t, p, "Later.\x1b\r")
		expect(t, p, `Follow-up: Later\.`)
		expect(t, p, after(`Followed\.`))
		leaves(t, p, "\x04")
	}},
	{name: "a compaction", script: long, live: func(t *testing.T, p *terminal.Program) {
		send(t, p, "Say much.\r")
		expect(t, p, after(`word end`))
		send(t, p, "Say more.\r")
		expect(t, p, `Say more\.(.|\n)*`+after(`word end`))
		send(t, p, "/compact\r")
		expect(t, p, `Compacting`)
		expect(t, p, after(`(They said much\.|to expand\))`))
		send(t, p, "Go on.\r")
		expect(t, p, after(`I go on\.`))
		leaves(t, p, "\x04")
	}},
	{name: "escape takes back what waits", script: hello + stalls, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		stall(t, p)
		send(t, p, "Faster.\r")
		expect(t, p, `Steering: Faster\.`)
		send(t, p, escape)
		expect(t, p, `Operation aborted`)
		expect(t, p, `^Faster\.`)
		send(t, p, " Or not.\r")
		expect(t, p, after(`Noted\.`))
		leaves(t, p, "\x04")
	}},
	{name: "escape in a delay", script: hello + "+0s prompt \"Try.\"\n+50ms refused transient\n+0s retries 30s\n+1s says \"Tried.\"\n+0s settles\n", live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		send(t, p, "Try.\r")
		expect(t, p, `Retrying \(1/3\)`)
		send(t, p, escape)
		expect(t, p, `Retry failed after 1 attempts: Retry cancelled`)
		leaves(t, p, "\x04")
	}},
	{name: "escape ends a command", script: hello, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		send(t, p, "!echo begun; sleep 60\r")
		expect(t, p, `^ begun`)
		send(t, p, escape)
		expect(t, p, `\(cancelled\)`)
		leaves(t, p, "\x04")
	}},
	{name: "one command at a time", script: hello, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		send(t, p, "!echo begun; sleep 60\r")
		expect(t, p, `^ begun`)
		send(t, p, "!echo another; exit 3\r")
		expect(t, p, `A bash command is already running\.`)
		expect(t, p, `^!echo another`)
		send(t, p, escape)
		expect(t, p, `\(cancelled\)`)
		send(t, p, "\r")
		expect(t, p, `\(exit 3\)`) // it has ended
		leaves(t, p, "\x04")
	}},
	{name: "a command in a run", script: hello + stalls, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		stall(t, p)
		send(t, p, "!echo shown; exit 4\r")
		expect(t, p, `\(exit 4\)`)
		send(t, p, escape)
		expect(t, p, `Operation aborted`)
		send(t, p, "Go on.\r")
		expect(t, p, after(`Noted\.`))
		leaves(t, p, "\x04")
	}},
	{name: "SIGTERM in a command", script: hello, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		send(t, p, "!echo begun; sleep 60\r")
		expect(t, p, `^ begun`)
		signals(t, p, syscall.SIGTERM)
	}},
	{name: "quit in a command", script: hello, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		send(t, p, "!echo begun; sleep 60\r")
		expect(t, p, `^ begun`)
		leaves(t, p, "\x04")
	}},
	{name: "lines and characters", script: hello, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		for _, keys := range []string{
			"one\x1b[13;2utwo\nthree\\\rfour", "\x1b[200~a\r\nb\tc\x1b[201~ d", "👩‍👩‍👧e\u0301漢\x7f\x7f\x7fx",
			"one two\x17\x17\x19\x19", "\x1b[A\x1b[A", "see\x1b[200~/etc\x1b[201~", "gone\x03kept",
		} {
			send(t, p, keys)
			send(t, p, "\r")
			expect(t, p, after(`Noted\.`))
			send(t, p, "/new\r")
			expect(t, p, after(`New session started`)) // and nothing of the one before
			expect(t, p, prompt(large))
		}
		leaves(t, p, "\x04")
	}},
	{name: "words that are Pi's", script: hello, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		for _, menu := range [][2]string{{"/settings\r", `Settings|Auto-compact`}, {"/tree\r", `Session Tree`}, {"/model\r", `→ .*fake-1`}} {
			send(t, p, menu[0])
			expect(t, p, menu[1])
			send(t, p, "\x03")
			expect(t, p, prompt(large))
		}
		send(t, p, "\x10")
		expect(t, p, `Only one model available`)
		send(t, p, "\x1b[Z")
		expect(t, p, `Current model does not support thinking`)
		send(t, p, "/clone\r")
		expect(t, p, `Cloned to new session`)
		send(t, p, "/quit not\r")
		expect(t, p, after(`Noted\.`))
		send(t, p, "/fork\r")
		expect(t, p, `[→›] /quit not`)
		send(t, p, "\r")
		expect(t, p, `Forked to new session`)
		send(t, p, ".\r")
		expect(t, p, `^ /quit not\.`)
		expect(t, p, after(`Noted\.`))
		leaves(t, p, "\x04")
	}},
	{name: "a new session", script: hello + "+0s prompt \"Say hello.\"\n+100ms says \"Hello there.\"\n+0s settles\n", live: func(t *testing.T, p *terminal.Program) {
		send(t, p, "/name old\r")
		expect(t, p, `• old$`)
		sayHello(t, p)
		send(t, p, "/new\r")
		expect(t, p, `New session started`)
		sayHello(t, p)
		leaves(t, p, "\x04")
	}},
	{name: "suspended in a reply", script: hello + stalls, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		stall(t, p)
		send(t, p, "\x1a")
		signals(t, p, syscall.SIGTERM)
	}},
	{name: "quit in a tool", script: hello + sleeps, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		sleep(t, p)
		leaves(t, p, "\x03\x03")
	}},
	{name: "quit before the first word", script: hello + "+0s prompt \"Wait.\"\n+1h says \"x\"\n+0s settles\n", live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		send(t, p, "Wait.\r")
		expect(t, p, `\S Working`)
		leaves(t, p, "\x04")
	}},
	{name: "quit in a reply", script: hello + stalls, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		stall(t, p)
		leaves(t, p, "\x04")
	}},
	{name: "SIGTERM in a reply", script: hello + stalls, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		stall(t, p)
		signals(t, p, syscall.SIGTERM)
	}},
	{name: "SIGTERM in a tool", script: hello + sleeps, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		sleep(t, p)
		signals(t, p, syscall.SIGTERM)
	}},
	{name: "SIGHUP in a tool", script: hello + sleeps, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		sleep(t, p)
		signals(t, p, syscall.SIGHUP)
	}},
	{name: "the terminal goes away in a reply", script: hello + stalls, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		stall(t, p)
		hangsUp(t, p)
	}, races: 1},
	{name: "the terminal goes away in a tool", script: hello + sleeps, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		sleep(t, p)
		hangsUp(t, p)
	}, races: 2},
	{name: "the terminal goes away under a dialog", script: hello + asks, live: func(t *testing.T, p *terminal.Program) {
		sayHello(t, p)
		send(t, p, "Run it.\r")
		expect(t, p, `→ Allow`)
		hangsUp(t, p)
	}},
}

// large has room for the name of a session behind the longest folder, and for a conversation.
var large = terminal.Size{Cols: 240, Rows: 60}

func sayHello(t *testing.T, p *terminal.Program) {
	t.Helper()
	send(t, p, "Say hello.\r")
	expect(t, p, after(`Hello there\.`))
}

func stall(t *testing.T, p *terminal.Program) {
	t.Helper()
	send(t, p, "Stall.\r")
	expect(t, p, `^ First part`)
}

func sleep(t *testing.T, p *terminal.Program) {
	t.Helper()
	send(t, p, "Sleep.\r")
	expect(t, p, `^ \$ sleep 60`)
	expect(t, p, `Elapsed [1-9]`)
}

// leaves types keys that end a Pi, and waits for its end. How it ends is for others to check.
func leaves(t *testing.T, p *terminal.Program, keys string) {
	t.Helper()
	send(t, p, keys)
	awaitEnd(t, p)
}

func signals(t *testing.T, p *terminal.Program, s syscall.Signal) {
	t.Helper()
	if err := p.Signal(s); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, p)
}

func hangsUp(t *testing.T, p *terminal.Program) {
	t.Helper()
	if err := p.HangUp(); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, p)
}

func awaitEnd(t *testing.T, p *terminal.Program) {
	t.Helper()
	if _, err := p.Exit(); err != nil && !errors.Is(err, terminal.ErrLeftBehind) {
		t.Fatal(err)
	}
}

// testSessions lets the real Pi and the fake live the same lives in a terminal, and compares the session files that they
// leave, entry by entry, by the rules of package fidelity.
func testSessions(t *testing.T, fakepi command) {
	reals, fakes := reals(fakepi), fakes(fakepi)
	for i, real := range reals {
		t.Run(real.name, func(t *testing.T) {
			installed(t, real.name)
			found := make([][]fidelity.Difference, len(lives))
			t.Run("lives", func(t *testing.T) { // returns when all have been lived, side by side
				for j, l := range lives {
					t.Run(l.name, func(t *testing.T) {
						t.Parallel()
						found[j] = l.compare(l.sessions(t, real), l.sessions(t, fakes[i]))
					})
				}
			})
			judgeSessions(t, native.Dialect(fakes[i].name), found)
		})
	}
}

// compare compares sessions.
func (l *life) compare(real, fake []fidelity.Part) []fidelity.Difference {
	for i := range min(len(real), len(fake)) {
		saved, all := len(real[i].Records), len(fake[i].Records)
		if late := all - saved; late > 0 && late <= l.races {
			fake[i].Records = fake[i].Records[:saved]
		}
	}
	return fidelity.Compare(real, fake)
}

// judgeSessions fails for each difference that is not accepted. found are those of each life.
func judgeSessions(t *testing.T, dialect native.Dialect, found [][]fidelity.Difference) {
	t.Helper()
	text, err := os.ReadFile("testdata/accepted.yaml")
	if err != nil {
		t.Fatal(err)
	}
	list, err := fidelity.ParseAccepted(text)
	if err != nil {
		t.Fatal(err)
	}
	for j, l := range lives {
		c := fidelity.Case{Script: &fidelity.Script{Name: l.name}, Dialect: dialect, Mode: script.ModeTUI}
		_, others := list.Sort(c, found[j])
		for _, d := range others {
			t.Errorf("%s: line %d (%s), %s\n Pi:   %s\n fake: %s", l.name, d.Line, d.Kind, d.Path, d.Pi, d.Fake)
		}
	}
	if stale := list.Stale(dialect); len(stale) > 0 && !t.Failed() {
		t.Errorf("testdata/accepted.yaml: entries accept nothing any more; remove them: %+v", stale)
	}
}

// sessions are those that a subject leaves behind a life, in the form in which they are compared.
func (l *life) sessions(t *testing.T, s *subject) []fidelity.Part {
	t.Helper()
	w := s.prepare(t, l.script)
	l.live(t, s.start(t, w, large))
	n := fidelity.NewNormal(w.at.Home, w.at.Work, false)
	files, err := filepath.Glob(filepath.Join(realpi.AgentDir(w.at.Home), "sessions", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s left no session (%v)", s.name, err)
	}
	var parts []fidelity.Part
	for _, file := range files { // by their times
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var records []fidelity.Record
		for line := range strings.Lines(string(data)) {
			records = append(records, fidelity.NewRecord([]byte(line)))
		}
		parts = append(parts, fidelity.Part{Name: "session", Records: n.Entries(records)})
	}
	return parts
}
