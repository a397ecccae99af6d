//go:build unix

package smoke_test

import (
	"errors"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"fakepi.example/internal/terminal"
)

// leave are the ends that nobody asks for by keys.
func leave(t *testing.T, s *subject) {
	t.Run("SIGTERM", func(t *testing.T) { terminate(t, s) })
	states := []struct {
		name  string
		may   []string
		reach func(*testing.T, *terminal.Program)
	}{
		{"at rest", s.hungUp.rest, greeted},
		{"in a reply", s.hungUp.reply, replying},
		{"in a tool", s.hungUp.tool, running},
		{"under a dialog", s.hungUp.dialog, asking},
	}
	for _, state := range states {
		t.Run("the terminal goes away "+state.name, func(t *testing.T) {
			p := s.start(t, s.prepare(t, story), usual)
			state.reach(t, p)
			if err := p.HangUp(); err != nil {
				t.Fatal(err)
			}
			left, err := p.Exit()
			if err != nil {
				t.Fatal(err)
			}
			if got := ended(left); !slices.Contains(state.may, got) {
				t.Errorf("ended by %s, want one of %q", got, state.may)
			}
		})
	}
}

// The states of the story in which a terminal can go away. Each is reached from the beginning.
func greeted(t *testing.T, p *terminal.Program) {
	send(t, p, "Say hello.\r")
	expect(t, p, after(`streamed reply\.`))
}

func asking(t *testing.T, p *terminal.Program) {
	greeted(t, p)
	send(t, p, "Run it.\r")
	expect(t, p, `→ Allow`)
}

func replying(t *testing.T, p *terminal.Program) {
	asking(t, p)
	send(t, p, "\r")
	expect(t, p, after(`All done\.`))
	send(t, p, "Stall.\r")
	expect(t, p, `^ First part`)
}

func running(t *testing.T, p *terminal.Program) {
	replying(t, p)
	send(t, p, escape)
	expect(t, p, after(`Operation aborted`))
	send(t, p, "Sleep.\r")
	expect(t, p, `Elapsed [1-9]`)
}

// terminate ends a Pi at rest by SIGTERM. What is killed by it leaves the terminal as a program has it.
func terminate(t *testing.T, s *subject) {
	p := s.start(t, s.prepare(t, story), usual)
	greeted(t, p)
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if !s.dies {
		exits(t, p, 0)
		return
	}
	state, err := p.Exit()
	if err != nil {
		t.Fatal(err)
	}
	if got := ended(state); got != "SIGTERM" {
		t.Errorf("ended by %s, want SIGTERM", got)
	}
	if err := p.Restored(); !errors.Is(err, terminal.ErrLine) {
		t.Errorf("got %v, want the line left as the program has it", err)
	}
}

// jobs is a shell in which a program can be suspended; enter lets it go on.
const jobs = `set -m; "$@"; echo "stopped by $?"; read enter; fg; echo "ended by $?"`

// suspend lets ctrl+z suspend a Pi in the middle of a reply: the terminal is the shell's until the Pi goes on.
func suspend(t *testing.T, s *subject) {
	pi := s.prepare(t, story).command()
	shell := exec.Command("sh", append([]string{"-c", jobs, "sh", pi.Path}, pi.Args[1:]...)...)
	shell.Dir, shell.Env = pi.Dir, pi.Env
	p := start(t, usual, shell)
	expect(t, p, s.ready)
	expect(t, p, prompt(usual))
	replying(t, p)
	send(t, p, "not sent")
	expect(t, p, `^not sent`)
	send(t, p, "\x1a")
	expect(t, p, `^stopped by 1`)
	if err := p.Restored(); err != nil {
		t.Error(err)
	}
	send(t, p, "\r yet")
	expect(t, p, `^not sent yet`) // the screen is Pi's again
	turns(t, p)
	send(t, p, escape)
	expect(t, p, `Operation aborted`)
	send(t, p, "\x03\x04")
	expect(t, p, `^ended by 0`)
	exits(t, p, 0)
}
