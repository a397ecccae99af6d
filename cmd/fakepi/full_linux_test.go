package main

import (
	"os"
	"strings"
	"testing"
)

// What needs no worker ends well though nobody can be told: Pi's console does not heed it.
func TestInformsNobody(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, args := range []string{"--version", "--help", "--list-models"} {
		p := setup{out: full}.start(t, args)
		p.in.Close()
		if status := p.wait(); status != "0" || p.err.String() != "" {
			t.Errorf("%s ended with %s and %q, want 0 and nothing", args, status, p.err.String())
		}
	}
	p := setup{out: full}.start(t, "-p", "--no-session", "go")
	p.in.Close()
	if status := p.wait(); status != "1" || !strings.Contains(p.err.String(), "ENOSPC") {
		t.Errorf("a reply ended with %s and %q, want 1 and ENOSPC", status, p.err.String())
	}
}

// What the model's endpoint tells a client does not depend on its log; that it could not be written its end tells.
func TestModelLogOnAFullDisk(t *testing.T) {
	s := startModel(t, "--once", "--log", "/dev/full")
	for _, prompt := range []string{"one", "two"} {
		if got := s.ask(prompt); !strings.HasSuffix(got, "data: [DONE]\n\n") {
			t.Errorf("%s: got %s, want a whole reply", prompt, got)
		}
	}
	if code := <-s.code; code != exitError {
		t.Errorf("exit %d, want %d", code, exitError)
	}
}
