//go:build unix

package smoke_test

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"fakepi.example/internal/fakepi/fidelity"
	"fakepi.example/internal/fakepi/fidelity/realpi"
	"fakepi.example/internal/terminal"
)

// story is what happens in a terminal: the fake plays it, and a real Pi is told the model's half of it. The word in the
// command lets the gate ask, which is an extension of the real Pi.
const story = `0s       prompt "Say hello."
+200ms   says "Hello there, this is a streamed reply." over 600ms
+0s      settles
+0s      prompt "Run it."
+100ms   tool bash "echo made it # ask-select" runs 50ms gives "made it\n"  as=run
@run     asks select "Allow this command?" "Allow" "Block"
+0s      user answers "Allow" after 1s
@run.end+200ms  says "All done."
+0s      settles
+0s      prompt "Stall."
+200ms   says "First part"
+1h      says ", and the second"
+0s      settles
+0s      prompt "Sleep."
+100ms   tool bash "sleep 60" runs 60s  as=sleep
@sleep.end+200ms  says "Awake."
+0s      settles
`

// subject is an interactive Pi, real or not.
type subject struct {
	name    string
	status  bool   // it tells its terminal what it does
	hungUp  hungUp // how it ends when its terminal goes
	dies    bool   // SIGTERM ends it as a signal does; otherwise it exits by itself
	orphans bool   // what a tool runs outlives it when the user quits
	ready   string // what the screen shows once it listens
	prepare func(t *testing.T, script string) worker
}

// hungUp is how a Pi may end when its terminal goes away, as ended has it.
type hungUp struct{ rest, reply, tool, dialog []string }

// The dialects' ends, as the real Pi had them when it was asked. At rest a run that the screen shows the end of may not have
// settled; the older Pi's Node breaks down, in one way or the other.
var (
	nodeCrash = []string{"SIGABRT", "SIGSEGV"}
	hungUp16  = hungUp{rest: []string{"exit 0", "exit 129"}, reply: []string{"exit 129"}, tool: []string{"exit 129"}, dialog: []string{"exit 129"}}
	hungUp073 = hungUp{rest: nodeCrash, reply: nodeCrash, tool: nodeCrash, dialog: nodeCrash}
)

// ended is how a program has ended.
func ended(state *os.ProcessState) string {
	if status := state.Sys().(syscall.WaitStatus); status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return "exit " + strconv.Itoa(state.ExitCode())
}

// worker is a Pi that plays a script from its beginning, in a place of its own.
type worker struct {
	at  fidelity.Place
	run func(args ...string) *exec.Cmd // with more arguments; it still wants its folder and environment
	env []string
}

// newPlace makes a home folder, in which Pi finds its settings, and a worktree.
func newPlace(t *testing.T) fidelity.Place {
	t.Helper()
	return fidelity.Place{Home: home(t), Work: t.TempDir()}
}

func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(realpi.AgentDir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// command starts the worker's Pi with arguments.
func (w worker) command(args ...string) *exec.Cmd {
	cmd := w.run(args...)
	cmd.Dir, cmd.Env = w.at.Work, append(append(realpi.Env(w.at.Home), "PI_PROGRAM_STATUS=1"), w.env...)
	return cmd
}

// start starts the subject and waits until it listens.
func (s *subject) start(t *testing.T, w worker, size terminal.Size) *terminal.Program {
	t.Helper()
	p := start(t, size, w.command())
	expect(t, p, s.ready)
	expect(t, p, prompt(size))
	return p
}

// prompt is what a screen of a size shows where a text can be written and none is: between two edges.
func prompt(size terminal.Size) string {
	edge := strings.Repeat("─", size.Cols)
	return "^" + edge + "\n *\n" + edge + "$"
}

// after is a text, behind which nothing is under way: the prompt follows.
func after(text string) string { return text + `\s*\n\s*\n─+$` }

// interact is the story as a person lives through it, to the end.
func interact(t *testing.T, s *subject) {
	p := s.start(t, s.prepare(t, story), usual)
	send(t, p, "Say hello.\r")
	expect(t, p, `^ Say hello\.`)
	expect(t, p, `\S Working`)
	expect(t, p, `^ Hello`) // and the rest is yet to come
	expect(t, p, after(`Hello there, this is a streamed reply\.`))

	send(t, p, "Run it.\r")
	expect(t, p, `^ \$ echo made it`)
	expect(t, p, `^ Allow this command\?`)
	expect(t, p, `→ Allow`)
	send(t, p, "\x1b[B")
	expect(t, p, `→ Block`)
	send(t, p, "\x1b[A")
	expect(t, p, `→ Allow`)
	send(t, p, "\r")
	expect(t, p, `^ made it`)
	expect(t, p, after(`All done\.`))

	send(t, p, "Stall.\r")
	expect(t, p, `^ First part`)
	before := p.Printed()
	turns(t, p)
	narrow := terminal.Size{Cols: 60, Rows: 20}
	resize(t, p, narrow)
	expect(t, p, "^"+strings.Repeat("─", narrow.Cols)+"$")
	turns(t, p)
	judgesSilence(t, s, before, strings.TrimPrefix(p.Printed(), before))
	send(t, p, escape)
	expect(t, p, after(`Operation aborted`))

	send(t, p, "Sleep.\r")
	expect(t, p, `^ \$ sleep 60`)
	expect(t, p, `Elapsed [1-9]`)
	send(t, p, "not sent\x03")
	expect(t, p, `\S Working`)
	send(t, p, "\x03\x03")
	quits(t, p, s)
	tells(t, p, s)
}

// quits waits for the end of a subject that the user has quit in the middle of a tool.
func quits(t *testing.T, p *terminal.Program, s *subject) {
	t.Helper()
	state, err := p.Exit()
	if left := errors.Is(err, terminal.ErrLeftBehind); err != nil && !left || left != s.orphans {
		t.Errorf("error %v, want a process left behind: %v", err, s.orphans)
	}
	if state == nil || state.ExitCode() != 0 {
		t.Errorf("ended with %v, want exit status 0; the screen shows:\n%s", state, p.Screen())
	}
	if err := p.Restored(); err != nil {
		t.Error(err)
	}
}

// turns waits for a whole turn of the spinner, while no text comes.
func turns(t *testing.T, p *terminal.Program) {
	t.Helper()
	for _, frame := range []string{"⠹", "⠧", "⠹"} {
		expect(t, p, frame+" Working")
		if !strings.Contains(p.Screen(), " First part") {
			t.Errorf("the reply is gone:\n%s", p.Screen())
		}
	}
}

var (
	statusSign   = regexp.MustCompile(`\x1b\]7501;state=(\w+)`)
	progressSign = regexp.MustCompile(`\x1b\]9;4;(\d)`)
)

// tells checks what the terminal has been told beside what it shows, and that the keyboard was given back.
func tells(t *testing.T, p *terminal.Program, s *subject) {
	t.Helper()
	printed := p.Printed()
	if !strings.Contains(printed, "\x1b]0;π - ") {
		t.Error("the window got no title")
	}
	var want []string
	if s.status {
		want = []string{"idle", "working", "done", "working", "blocked", "working", "done", "working", "idle", "working", "clear"}
	}
	if diff := cmp.Diff(want, groups(statusSign, printed)); diff != "" {
		t.Errorf("status: -want +got\n%s", diff)
	}
	signs := groups(progressSign, printed)
	if len(signs) < 6 || signs[0] != "3" || signs[len(signs)-1] != "0" {
		t.Errorf("progress signs %v, want them to begin with 3 and to end with 0", signs)
	}
	for _, pair := range [][2]string{{"\x1b[>7u", "\x1b[<u"}, {"\x1b[>4;2m", "\x1b[>4;0m"}} {
		if on, off := strings.Count(printed, pair[0]), strings.Count(printed, pair[1]); on > off {
			t.Errorf("%q was written %d times, and %q %d times", pair[0], on, pair[1], off)
		}
	}
}

func groups(re *regexp.Regexp, text string) []string {
	var all []string
	for _, m := range re.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// resume ends a conversation, and goes on with it by the menu of sessions.
func resume(t *testing.T, s *subject) {
	w := s.prepare(t, story)
	p := s.start(t, w, usual)
	send(t, p, "Say hello.\r")
	expect(t, p, after(`streamed reply\.`))
	send(t, p, "\x04")
	exits(t, p, 0)

	p = start(t, usual, w.command("--resume"))
	expect(t, p, `Resume Session`)
	expect(t, p, `Say hello\.`)
	send(t, p, "nothing like it")
	expect(t, p, `No sessions in current folder\. Press Tab to view all\.`)
	send(t, p, "\x15hello")
	expect(t, p, `Say hello\.`)
	send(t, p, "\r")
	expect(t, p, s.ready)
	expect(t, p, after(`streamed reply\.`))
	send(t, p, "\x04")
	exits(t, p, 0)
}

// live is all that happens to a subject.
func live(t *testing.T, s *subject) {
	t.Run("a conversation", func(t *testing.T) { interact(t, s) })
	t.Run("resume", func(t *testing.T) { resume(t, s) })
	t.Run("suspended", func(t *testing.T) { suspend(t, s) })
	leave(t, s)
}
