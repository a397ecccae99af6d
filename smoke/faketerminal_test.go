//go:build unix

package smoke_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"fakepi.example/internal/fakepi/fidelity"
	"fakepi.example/internal/fakepi/fidelity/realpi"
	"fakepi.example/internal/terminal"
)

// testInteractive lets the fake live through the story in both dialects, and through what only a fake can do.
func testInteractive(t *testing.T, fakepi command) {
	for _, s := range fakes(fakepi) {
		t.Run(s.name, func(t *testing.T) { live(t, s) })
	}
	t.Run("a menu first", func(t *testing.T) { menuFirst(t, fakepi) })
	t.Run("a file that cannot be written", func(t *testing.T) { breaks(t, fakepi) })
	t.Run("time is virtual", func(t *testing.T) { virtual(t, fakepi) })
}

// fakes are the fake in each dialect, the newest first.
func fakes(fakepi command) []*subject {
	all := []*subject{
		{name: "pi-1.6", status: true, hungUp: hungUp16, ready: `^ pi v1\.6`},
		{name: "pi-0.73", hungUp: hungUp073, dies: true, orphans: true, ready: `^ pi v0\.73`},
	}
	for _, s := range all {
		s.prepare = func(t *testing.T, script string) worker {
			at := newPlace(t)
			writeSettings(t, at)
			return worker{
				at: at, run: func(args ...string) *exec.Cmd { return exec.Command(string(fakepi), args...) },
				env: []string{"FAKEPI_SCRIPT=" + write(t, script), "FAKEPI_DIALECT=" + s.name, "FAKEPI_ALLOW_EXEC=1"},
			}
		}
	}
	return all
}

// scripted starts the fake in a terminal with a script of its own, and with env added to its environment.
func scripted(t *testing.T, fakepi command, at fidelity.Place, script string, env ...string) *terminal.Program {
	t.Helper()
	cmd := exec.Command(string(fakepi))
	cmd.Dir, cmd.Env = at.Work, append(append(realpi.Env(at.Home), "FAKEPI_SCRIPT="+write(t, script)), env...)
	return start(t, usual, cmd)
}

// menuFirst answers the question that a script asks before the program begins.
func menuFirst(t *testing.T, fakepi command) {
	const script = `0s   spawn mode=tui
+0s  asks trust "Trust this folder?" "Trust" "Do not trust"
+0s  user answers "Trust" after 1s
+1s  prompt "Say hello."
+0s  says "Hello."
+0s  settles
`
	p := scripted(t, fakepi, newPlace(t), script)
	expect(t, p, `^ Trust this folder\?`)
	expect(t, p, `→ Trust`)
	send(t, p, "\r")
	expect(t, p, prompt(usual))
	send(t, p, "Say hello.\r")
	expect(t, p, after(`Hello\.`))
	send(t, p, "\x04")
	exits(t, p, 0)
}

// breaks takes the folder of the session away: the next prompt fails, and the process goes on, as Pi's does.
func breaks(t *testing.T, fakepi command) {
	const script = `0s   prompt "Say hello."
+0s  says "Hello."
+0s  settles
+1s  prompt "Say it again."
+0s  says "Hello again."
+0s  settles
`
	at := newPlace(t)
	p := scripted(t, fakepi, at, script)
	expect(t, p, prompt(usual))
	send(t, p, "Say hello.\r")
	expect(t, p, after(`Hello\.`))
	if err := os.RemoveAll(filepath.Join(realpi.AgentDir(at.Home), "sessions")); err != nil {
		t.Fatal(err)
	}
	send(t, p, "Say it again.\r")
	expect(t, p, `^ Error: ENOENT: no such file or directory`)
	send(t, p, "\x04")
	exits(t, p, 0)
}

// virtual plays an hour of silence at once: only the user is waited for.
func virtual(t *testing.T, fakepi command) {
	const script = `0s   prompt "Say hello."
+1h  says "Hello, after an hour."
+0s  settles
`
	p := scripted(t, fakepi, newPlace(t), script, "FAKEPI_TIME=virtual")
	expect(t, p, prompt(usual))
	send(t, p, "Say hello.\r")
	expect(t, p, after(`Hello, after an hour\.`))
	send(t, p, "\x04")
	exits(t, p, 0)
}
