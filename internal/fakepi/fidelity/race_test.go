package fidelity_test

import (
	"testing"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/fidelity"
)

// whole is a run that was not killed, with its session file.
var (
	whole = []string{
		`{"type":"agent_start"}`,
		`{"type":"message_end","message":{"role":"user"}}`,
		`{"type":"message_end","message":{"role":"assistant"}}`,
		`{"type":"turn_end"}`, `{"type":"turn_start"}`, `{"type":"text_a"}`, `{"type":"text_b"}`, `{"type":"text_c"}`,
		`{"type":"message_end","message":{"role":"assistant"}}`,
	}
	wholeFile = []string{
		`{"type":"session"}`, `{"type":"model_change"}`,
		`{"type":"message","message":{"role":"user"}}`, `{"type":"message","message":{"role":"assistant"}}`,
		`{"type":"message","message":{"role":"assistant"}}`,
	}
)

// TestCheckRace: the kill was sent as line 2, the user's message, or line 3, the reply, was seen.
func TestCheckRace(t *testing.T) {
	tests := []struct {
		reason        string
		dialect       native.Dialect
		seen          int
		lines, onDisk int // that were left
		allowed       bool
	}{
		{"at once", native.Pi16, 2, 2, 3, true},
		{"the entry is missing", native.Pi16, 2, 2, 2, true},
		{"no file yet", native.Pi16, 2, 2, 0, true},
		{"four lines later", native.Pi16, 2, 6, 4, true},
		{"five lines later", native.Pi16, 2, 7, 4, false},
		{"a line that was seen is gone", native.Pi16, 2, 1, 3, false},
		{"all entries", native.Pi16, 2, 2, 5, true},
		{"an entry too few", native.Pi16, 3, 3, 2, false},
		{"pi-0.73 has no file before the reply", native.Pi073, 2, 2, 0, true},
		{"the reply, and no file yet", native.Pi073, 3, 3, 0, true},
		{"long behind the reply, and no file", native.Pi073, 5, 5, 0, false},
		{"the reply, and an entry too few", native.Pi073, 3, 3, 3, true},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := check(test.dialect, whole[:test.lines], wholeFile[:test.onDisk], test.seen)
			if (len(got) == 0) != test.allowed {
				t.Errorf("got %+v, want it allowed: %t", got, test.allowed)
			}
		})
	}
	changed := append([]string{}, whole[:3]...)
	changed[0] = `{"type":"agent_start","x":1}`
	if got := check(native.Pi16, changed, wholeFile[:4], 3); len(got) != 1 || got[0].Line != 1 {
		t.Errorf("a changed line: got %+v, want it at line 1", got)
	}
	entry := append([]string{}, wholeFile[:4]...)
	entry[2] = `{"type":"message","message":{"role":"user","x":1}}`
	if got := check(native.Pi16, whole[:3], entry, 3); len(got) != 1 || got[0].Line != 3 {
		t.Errorf("a changed entry: got %+v, want it at line 3", got)
	}
}

func check(d native.Dialect, lines, onDisk []string, seen int) []fidelity.Difference {
	part := func(name string, lines []string) fidelity.Part {
		return fidelity.Part{Name: name, Records: records(lines)}
	}
	return fidelity.CheckRace(d, part("stdout", whole), part("stdout", lines), part("file", wholeFile), part("file", onDisk), seen)
}
