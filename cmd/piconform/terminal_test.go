package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// onTerminal runs piconform with a terminal as stdout and stderr, and returns what the terminal got of each.
func onTerminal(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	out, outText := terminal(t)
	errs, errText := terminal(t)
	if code := run(context.Background(), args, out, errs); code != exitOK {
		t.Errorf("exit code %d, want 0", code)
	}
	return outText(), errText()
}

// terminal returns a terminal, and a function that closes it and returns all that was written to it.
func terminal(t *testing.T) (*os.File, func() string) {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	text := make(chan string)
	go func() {
		var buf bytes.Buffer
		_, _ = io.Copy(&buf, master) // ends with an error once the other side is closed
		text <- buf.String()
	}()
	return slave, func() string {
		slave.Close()
		defer master.Close()
		return <-text
	}
}

func TestTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	stdout, stderr := onTerminal(t, "run", "--case", "ttft/*")
	if want := "\x1b[32mPASSED\x1b[0m: "; !strings.Contains(stdout, want) {
		t.Errorf("stdout lacks %q:\n%q", want, stdout)
	}
	if want := "cases "; !strings.Contains(stderr, want) || !strings.Contains(stderr, "(1/") {
		t.Errorf("stderr shows no progress:\n%q", stderr)
	}
}

func TestNoColor(t *testing.T) {
	for _, env := range [][2]string{{"NO_COLOR", "1"}, {"TERM", "dumb"}} {
		t.Run(env[0], func(t *testing.T) {
			t.Setenv("TERM", "xterm")
			t.Setenv("NO_COLOR", "")
			t.Setenv(env[0], env[1])
			if stdout, _ := onTerminal(t, "run", "--case", "ttft/*"); strings.Contains(stdout, "\x1b[3") {
				t.Errorf("colors in spite of %s=%s:\n%q", env[0], env[1], stdout)
			}
		})
	}
}
