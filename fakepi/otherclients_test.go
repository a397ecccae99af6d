package fakepi_test

import (
	"testing"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
)

// A prompt that is not the script's gets a short reply, or none where the script stalls again.
func TestGuests(t *testing.T) {
	tests := []struct {
		steps string
		phase fakepi.Phase
		stuck bool
	}{
		{"0s prompt \"go\"\n+1s says \"Let me\"\n+0s stalls", fakepi.Settled, false},
		{"0s prompt \"go\"\n+1s says \"Let me\"\n+0s stalls again", fakepi.AwaitingFirstToken, true},
		{"0s prompt \"go\"\n+1s says \"Let me\"\n+0s wedges deaf", fakepi.Streaming, true},
	}
	for _, tt := range tests {
		s, err := script.Parse("test", []byte(tt.steps+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Resolve(nil); err != nil {
			t.Fatal(err)
		}
		w, err := fakepi.New(fakepi.Config{Steps: s.Steps, OtherClients: true})
		if err != nil {
			t.Fatal(err)
		}
		w.Step(time.Minute, nil)
		if got := w.Truth(time.Minute); !got.Stuck || got.Phase != fakepi.Streaming {
			t.Errorf("%s: got %+v before the prompt, want a stuck stream", tt.steps, got)
		}
		w.Send(time.Minute, []byte(`{"id":"1","type":"abort"}`+"\n"), nil)
		w.Send(time.Minute, []byte(`{"id":"2","type":"prompt","message":"go on"}`+"\n"), nil)
		w.Step(2*time.Minute, nil)
		if got := w.Truth(2 * time.Minute); got.Phase != tt.phase || got.Stuck != tt.stuck {
			t.Errorf("%s: got %+v behind it, want phase %s, stuck %t", tt.steps, got, tt.phase, tt.stuck)
		}
	}
}

// A tool that outlives its worker runs to its end, or is ended by a signal of its own; one that is deaf by SIGKILL only.
func TestSignalProcess(t *testing.T) {
	for _, tt := range []struct {
		deaf, signal string
		left         int
	}{
		{"", "SIGTERM", 0}, {"", "SIGCHLD", 2}, {" timeout=2h deaf", "SIGTERM", 2}, {" timeout=2h deaf", "SIGKILL", 0},
	} {
		s, err := script.Parse("test", []byte("0s prompt \"go\"\n+1s tool bash \"make\" runs 1h writes"+tt.deaf+"\n+0s exits 1\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Resolve(nil); err != nil {
			t.Fatal(err)
		}
		w, err := fakepi.New(fakepi.Config{Steps: s.Steps})
		if err != nil {
			t.Fatal(err)
		}
		w.Step(2*time.Second, nil)
		w.Signal(2*time.Second, "SIGKILL", nil)
		tree := w.Processes(2 * time.Second)
		if len(tree) != 2 {
			t.Fatalf("got %d processes behind the exit, want the shell and the tool", len(tree))
		}
		w.SignalProcess(3*time.Second, tree[1].PID, tt.signal, nil)
		if got := len(w.Processes(3 * time.Second)); got != tt.left {
			t.Errorf("%s%s: %d processes are left, want %d", tt.signal, tt.deaf, got, tt.left)
		}
		w.Step(2*time.Hour, nil)
		if writes, _, _ := w.Changes(); (writes == 1) != (tt.left == 2) {
			t.Errorf("%s%s: %d writes, want one if nobody ended it", tt.signal, tt.deaf, writes)
		}
	}
}
