package fakepi_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
)

// The spinner turns 12 to 13 times a second for as long as a run is open, whatever else is silent, and not a byte comes
// from an idle worker (docs/pi-formats.md, section 13).
func TestSpinner(t *testing.T) {
	const prompt = "0s spawn mode=tui\n+0s prompt \"x\"\n"
	tests := []struct {
		name, src string
		turns     bool
	}{
		{"idle", "0s spawn mode=tui\n", false},
		{"first token due", prompt + "+0s stalls", true},
		{"stalled in mid-message", prompt + "+1s says \"a\"\n+0s stalls", true},
		{"silent tool", prompt + "+1s tool bash \"x\" runs never", true},
		{"dialog", prompt + "+1s asks confirm \"?\"", true},
		{"deaf", prompt + "+1s wedges", true},
		{"frozen", prompt + "+1s wedges frozen", false},
		{"spinning", prompt + "+1s wedges spinning", false},
		{"settled", prompt + "+1s says \"a\"\n+0s settles", false},
		{"killed", prompt + "+1s killed SIGKILL", false},
	}
	for _, tt := range tests {
		w := newWorker(t, tt.src)
		play(w, time.Minute, nil)
		progress := w.Truth(time.Minute).LastProgress
		n := len(play(w, time.Minute+10*time.Second, nil))
		if tt.turns && (n < 120 || n > 130) || !tt.turns && n != 0 {
			t.Errorf("%s: got %d repaints in ten seconds, want them: %v", tt.name, n, tt.turns)
		}
		if got := w.Truth(time.Minute + 10*time.Second).LastProgress; got != progress {
			t.Errorf("%s: the spinner counted as progress at %s", tt.name, got)
		}
	}
}

// The states of OSC 7501, where the script asks for them, and of the progress sign.
func TestProgramStatus(t *testing.T) {
	const prompt = "0s spawn mode=tui status\n+0s prompt \"x\"\n"
	tests := []struct{ src, want string }{
		{prompt + "+0s stalls", "idle working"},
		{prompt + "+1s says \"a\"\n+0s settles", "idle working done"},
		{prompt + "+1s refused auth\n+0s settles", "idle working error"},
		{prompt + "+1s asks select \"Allow?\" \"A\" \"B\"", "idle working blocked"},
		{prompt + "+1s asks select \"Allow?\" \"A\" \"B\" timeout=2s", "idle working blocked working"},
		{"0s spawn mode=tui status\n+200ms asks trust \"Trust?\" \"Yes\" \"No\" timeout=2s", "idle blocked idle"},
		{"0s spawn mode=tui status\n0s asks trust \"Trust?\" \"Yes\" \"No\" timeout=2s", "idle"},
		{"0s spawn mode=tui\n+0s prompt \"x\"\n+0s stalls", ""},
	}
	for _, tt := range tests {
		var got []string
		for _, o := range play(newWorker(t, tt.src), 5*time.Second, nil) {
			for _, part := range strings.Split(string(o.Data), "\x1b]7501;state=")[1:] {
				state, _, _ := strings.Cut(part, ":")
				got = append(got, state)
			}
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%q: got states %q, want %q", tt.src, s, tt.want)
		}
	}
	osc := play(newWorker(t, "0s spawn mode=tui\n+0s prompt \"x\"\n+0s stalls\n+0s chatter osc every 1s over 3s"), 4*time.Second, nil)
	if n := strings.Count(text(osc), "\x1b]9;4;3\a"); n != 4 {
		t.Errorf("got %d progress signs, want 4", n)
	}
}

// Keys answer a dialog or are a prompt; what is said is on the screen, and the session file is written as ever.
func TestTerminal(t *testing.T) {
	w := newWorker(t, "0s spawn mode=tui\n+0s asks trust \"Trust this folder?\" \"Yes\" \"No, exit\"\n+1h says \"Seen.\"\n+0s settles")
	play(w, time.Minute, nil)
	if p := w.Truth(time.Minute).Phase; p != fakepi.AwaitingUser {
		t.Errorf("got phase %s, want awaiting_user", p)
	}
	outs := drive(w, []sent{{at: time.Minute, answer: "Yes"}, {at: 2 * time.Minute, line: "do it\r"}})
	if got := text(outs); !strings.Contains(got, "Seen.") {
		t.Errorf("the reply is not on the screen: %q", got)
	}
	if got, want := tokens(without(outs, fakepi.PTY)), "session:session session:model_change session:thinking_level_change session:system session:user session:assistant"; got != want {
		t.Errorf("got session %s, want %s", got, want)
	}
	if got := w.Truth(2 * time.Hour); got.Phase != fakepi.Settled {
		t.Errorf("got phase %s, want settled", got.Phase)
	}
}
