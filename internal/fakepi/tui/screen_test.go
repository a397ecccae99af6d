package tui_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fakepi.example/internal/fakepi/tui"
)

// person looks at a terminal in which an interface runs, and types.
type person struct {
	ui      *tui.UI
	screen  *vt.Emulator
	written strings.Builder
	now     time.Duration
}

const (
	cols = 60
	rows = 20
)

var versions = []tui.Version{tui.V16, tui.V073}

type cleaner interface{ Cleanup(func()) }

func newScreen(t cleaner, cols, rows int) *vt.Emulator {
	e := vt.NewEmulator(cols, rows)
	go func() { _, _ = io.Copy(io.Discard, e) }() // its answers
	t.Cleanup(func() { _ = e.InputPipe().(io.Closer).Close() })
	return e
}

func look(t cleaner, o tui.Options) *person {
	o.Cols, o.Rows = cols, rows
	p := &person{ui: tui.New(o), screen: newScreen(t, cols, rows)}
	p.ui.Open(0, "π - project", "/home/dev/project", tui.Report{})
	p.pass(0)
	return p
}

// pass lets time pass.
func (p *person) pass(d time.Duration) []tui.Action {
	var actions []tui.Action
	end := p.now + d
	for {
		at, ok := p.ui.Next()
		if !ok || at > end {
			break
		}
		p.now = max(p.now, at)
		actions = append(actions, p.ui.Play(p.now)...)
		p.draw()
	}
	p.now = end
	p.draw()
	return actions
}

func (p *person) draw() {
	for _, s := range p.ui.Written() {
		p.written.WriteString(s)
		_, _ = p.screen.WriteString(s)
	}
}

// types lets the program remember what it is given.
func (p *person) types(keys string) []tui.Action {
	var actions []tui.Action
	for a := range p.ui.Type(p.now, []byte(keys)) {
		if a.Kind == tui.Submit {
			p.ui.Remember(a.Text)
		}
		actions = append(actions, a)
	}
	return append(actions, p.pass(0)...)
}

// sees returns the lines of the screen up to the last one that is not empty.
func sees(e *vt.Emulator) []string {
	var lines []string
	for line := range strings.SplitSeq(e.String(), "\n") {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func (p *person) expect(t *testing.T, texts ...string) {
	t.Helper()
	screen := strings.Join(sees(p.screen), "\n")
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			t.Errorf("the screen does not show %q:\n%s", text, screen)
		}
	}
}

func (p *person) expectNot(t *testing.T, text string) {
	t.Helper()
	if screen := strings.Join(sees(p.screen), "\n"); strings.Contains(screen, text) {
		t.Errorf("the screen shows %q:\n%s", text, screen)
	}
}

// A conversation as a person sees it, to the end.
func TestConversation(t *testing.T) {
	for _, v := range versions {
		t.Run(string(v), func(t *testing.T) {
			p := look(t, tui.Options{Version: v, Model: "fake-1"})
			p.expect(t, "pi v"+string(v), "/home/dev/project", "fake-1")
			p.ui.User(p.now, "Say hello.")
			p.ui.Run(p.now)
			p.ui.Turn(p.now)
			p.pass(time.Second)
			p.expect(t, " Say hello.", "Working")
			p.ui.Thought(p.now, "A greeting.")
			p.ui.Text(p.now, "Hello ")
			p.pass(0)
			p.expect(t, " A greeting.", " Hello")
			p.ui.Text(p.now, "there.")
			p.ui.Said(p.now)
			p.ui.Call(p.now, "1", "$ make", true)
			p.ui.Output(p.now, "1", "one\ntwo\n")
			p.pass(2100 * time.Millisecond)
			p.expect(t, " Hello there.", " $ make", " two", " Elapsed 2.0s")
			p.ui.Output(p.now, "1", "1\n2\n3\n4\n5\n6\n7")
			p.ui.Called(p.now, "1")
			p.ui.Fail(p.now, "Error: 500")
			p.ui.Used(1200, 9, 1209, 128_000)
			p.ui.Rest(p.now)
			p.pass(0)
			p.expect(t, " ... (2 earlier lines)", " 3", " 7", " Took 2.1s", " Error: 500", "↑1.2k ↓9 0.9%/128k (auto)")
			p.expectNot(t, "Working")
			p.ui.Leave(p.now)
			p.ui.Close(p.now)
			p.draw()
			p.expect(t, " Error: 500")
			if at, ok := p.ui.Next(); ok {
				t.Errorf("something is due at %s behind the end", at)
			}
		})
	}
}

// The spinner turns 12.5 times a second, under a dialog too; at rest not a byte comes.
func TestSpinner(t *testing.T) {
	for _, v := range versions {
		p := look(t, tui.Options{Version: v})
		p.ui.Run(p.now)
		p.ui.Turn(p.now)
		frames := func() int {
			p.written.Reset()
			p.pass(10 * time.Second)
			return strings.Count(p.written.String(), "\x1b[?25l")
		}
		if n := frames(); n != 125 && n != 126 {
			t.Errorf("%s: got %d frames in ten seconds, want 125", v, n)
		}
		p.ui.Ask(p.now, tui.Dialog{Title: "Go on?", Options: []string{"Yes"}})
		if n := frames(); n != 125 && n != 126 {
			t.Errorf("%s: got %d frames in ten seconds under a dialog, want 125", v, n)
		}
		p.ui.Unask(p.now)
		p.ui.Rest(p.now)
		p.pass(0)
		if n := frames(); n != 0 {
			t.Errorf("%s: got %d frames at rest", v, n)
		}
	}
}

// The seconds of a call that runs are counted without a spinner too.
func TestElapsedAtRest(t *testing.T) {
	for _, v := range versions {
		p := look(t, tui.Options{Version: v})
		p.ui.Call(p.now, "1", "$ make", true)
		p.pass(2100 * time.Millisecond)
		p.expect(t, " Elapsed 2.0s")
		p.ui.Leave(p.now)
		p.ui.Close(p.now)
		if at, ok := p.ui.Next(); ok {
			t.Errorf("%s: something is due at %s behind the end", v, at)
		}
	}
}

// step is a random act of the program or of the person.
func step(t *rapid.T, p *person) {
	texts := []string{"word ", "a longer one of several words ", "\n", "\n\n", "漢字漢字", strings.Repeat("x", 70), "tab\tand \x1b[31mcolor", ""}
	text := rapid.SampledFrom(texts)
	id := rapid.SampledFrom([]string{"a", "b"})
	switch rapid.IntRange(0, 15).Draw(t, "step") {
	case 0:
		p.ui.User(p.now, text.Draw(t, "text"))
	case 1, 2, 3:
		p.ui.Text(p.now, text.Draw(t, "text"))
	case 4:
		p.ui.Thought(p.now, text.Draw(t, "text"))
	case 5:
		p.ui.Said(p.now)
	case 6:
		p.ui.Call(p.now, id.Draw(t, "id"), text.Draw(t, "text"), true)
	case 7:
		p.ui.Output(p.now, id.Draw(t, "id"), strings.Repeat(text.Draw(t, "text")+"\n", rapid.IntRange(0, 8).Draw(t, "lines")))
	case 8:
		p.ui.Called(p.now, id.Draw(t, "id"))
	case 9:
		p.ui.Turn(p.now)
		p.ui.Run(p.now)
	case 10:
		p.ui.Rest(p.now)
	case 11:
		method := rapid.SampledFrom([]tui.Method{tui.Select, tui.Confirm, tui.Enter, tui.Edit})
		p.ui.Ask(p.now, tui.Dialog{Method: method.Draw(t, "method"), Title: "Go on?", Options: []string{"Yes", "No"}})
	case 12:
		p.ui.Unask(p.now)
	case 13:
		p.ui.Queue(p.now, rapid.SliceOfN(text, 0, 3).Draw(t, "queue"), nil)
	case 14:
		p.types(rapid.SampledFrom([]string{"abc", "\x1b[D", "\x7f", "\n", "\x15", "漢", "\x1b[B"}).Draw(t, "keys"))
	case 15:
		p.ui.Note(p.now, text.Draw(t, "text"))
	}
	p.pass(rapid.SampledFrom([]time.Duration{0, 0, 90 * time.Millisecond}).Draw(t, "wait"))
}

// What is drawn change by change is what is drawn at once.
func TestChangesDrawTheWhole(t *testing.T) {
	for _, v := range versions {
		rapid.Check(t, func(t *rapid.T) {
			p := look(t, tui.Options{Version: v, Model: "fake-1"})
			for range rapid.IntRange(1, 30).Draw(t, "steps") {
				step(t, p)
			}
			fresh := &person{ui: p.ui.Clone(), screen: newScreen(t, cols, rows), now: p.now}
			fresh.ui.Resize(cols, rows)
			fresh.ui.Play(p.now)
			fresh.draw()
			got, want := sees(p.screen), sees(fresh.screen)
			if v == tui.V073 { // the text does not scroll back when it gets shorter
				n := min(len(got), len(want))
				got, want = got[len(got)-n:], want[len(want)-n:]
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: -whole +changes\n%s", v, diff)
			}
		})
	}
}

// By a setting the newer version draws in the scrolling text, in its own manner.
func TestRegular(t *testing.T) {
	p := look(t, tui.Options{Version: tui.V16, Regular: true})
	p.ui.Run(p.now)
	p.ui.Turn(p.now)
	p.pass(0)
	p.expect(t, "── ⠋ Working ──")
	if strings.Contains(p.written.String(), "\x1b[?1049h") {
		t.Error("it is on the alternate screen")
	}
}

func TestResize(t *testing.T) {
	for _, v := range versions {
		p := look(t, tui.Options{Version: v})
		p.ui.Text(p.now, strings.Repeat("word ", 30))
		p.pass(0)
		p.screen.Resize(30, 10)
		p.ui.Resize(30, 10)
		p.pass(0)
		p.expect(t, " word word word word word\n word word word word word\n", strings.Repeat("─", 30)+"\n")
		if got := len(sees(p.screen)); got > 10 {
			t.Errorf("%s: %d lines on a screen of 10", v, got)
		}
	}
}
