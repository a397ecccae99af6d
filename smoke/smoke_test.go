//go:build unix

// Package smoke_test installs the commands as a user does and runs them as a user does: on a terminal, and in a pipe.
// `make smoke` runs it.
package smoke_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/terminal"
)

var enabled = flag.Bool("smoke", false, "install the commands and run them")

// deadline bounds the whole life of a program, far beyond what any needs.
const deadline = 5 * time.Minute

// usual is the size of a terminal that nobody has changed.
var usual = terminal.Size{Cols: 80, Rows: 24}

func TestInstalled(t *testing.T) {
	if !*enabled {
		t.Skip("it installs the commands and takes a minute; make smoke runs it")
	}
	prefix := install(t)
	t.Run("piconform", func(t *testing.T) { testPiconform(t, command(filepath.Join(prefix, "piconform"))) })
	t.Run("fakepi", func(t *testing.T) { testFakepi(t, command(filepath.Join(prefix, "fakepi"))) })
	t.Run("fakepi in pipes", func(t *testing.T) { testRPC(t, command(filepath.Join(prefix, "fakepi"))) })
	t.Run("fakepi in a terminal", func(t *testing.T) { testInteractive(t, command(filepath.Join(prefix, "fakepi"))) })
	t.Run("the real Pi in a terminal", func(t *testing.T) { testRealPi(t, command(filepath.Join(prefix, "fakepi"))) })
	t.Run("sessions of a terminal", func(t *testing.T) { testSessions(t, command(filepath.Join(prefix, "fakepi"))) })
	t.Run("piwatch", func(t *testing.T) { testPiwatch(t, command(filepath.Join(prefix, "piwatch"))) })
	t.Run("under piwatch", func(t *testing.T) {
		testSupervised(t, command(filepath.Join(prefix, "fakepi")), command(filepath.Join(prefix, "piwatch")))
	})
	t.Run("recovery by hand", func(t *testing.T) { testRecovery(t, prefix) })
}

// install installs all commands into an empty folder.
func install(t *testing.T) string {
	t.Helper()
	prefix := t.TempDir()
	cmd := exec.Command("go", "install", "./cmd/...")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "GOBIN="+prefix)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	entries, err := os.ReadDir(prefix)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if diff := cmp.Diff([]string{"fakepi", "piconform", "piwatch"}, names); diff != "" {
		t.Fatalf("go install made other commands (-want +got):\n%s", diff)
	}
	return prefix
}

// command is the path of an installed command.
type command string

// start runs the command on a terminal, with env added to its environment.
func (c command) start(t *testing.T, size terminal.Size, env []string, args ...string) *terminal.Program {
	t.Helper()
	cmd := exec.Command(string(c), args...)
	cmd.Dir, cmd.Env = t.TempDir(), env
	return start(t, size, cmd)
}

func start(t *testing.T, size terminal.Size, cmd *exec.Cmd) *terminal.Program {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	t.Cleanup(cancel)
	p, err := terminal.Start(ctx, cmd, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// pipe runs the command in pipes, without any terminal, and returns what it wrote there and its exit status.
func (c command) pipe(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	var out, errOut bytes.Buffer
	cmd := exec.CommandContext(ctx, string(c), args...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if cmd.ProcessState == nil || ctx.Err() != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out.String(), errOut.String(), cmd.ProcessState.ExitCode()
}

func expect(t *testing.T, p *terminal.Program, pattern string) {
	t.Helper()
	if err := p.Expect(pattern); err != nil {
		t.Fatal(err)
	}
}

func send(t *testing.T, p *terminal.Program, keys string) {
	t.Helper()
	if err := p.Send(keys); err != nil {
		t.Fatal(err)
	}
}

func resize(t *testing.T, p *terminal.Program, size terminal.Size) {
	t.Helper()
	if err := p.Resize(size); err != nil {
		t.Fatal(err)
	}
}

// exits waits for the program's end and checks its exit status, that no process is left behind, and that the terminal is
// as it was.
func exits(t *testing.T, p *terminal.Program, status int) {
	t.Helper()
	state, err := p.Exit()
	if err != nil {
		t.Fatal(err)
	}
	if state.ExitCode() != status {
		t.Errorf("ended with %s, want exit status %d; the screen shows:\n%s", state, status, p.Screen())
	}
	if err := p.Restored(); err != nil {
		t.Error(err)
	}
}
