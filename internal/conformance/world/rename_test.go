package world_test

import (
	"bytes"
	"testing"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/internal/conformance/world/pi"
	"fakepi.example/watchdog"
)

// stdout is a sink that keeps what the subject was shown of it.
type stdout struct {
	t    *testing.T
	data []byte
}

func (s *stdout) Advance(watchdog.Instant) {}
func (s *stdout) Act(*trace.Act)           {}
func (s *stdout) Fault(*trace.Fault)       {}
func (s *stdout) End(watchdog.Instant)     {}
func (s *stdout) Step(step *trace.Step) {
	for i := range step.Seen {
		b, ok := step.Seen[i].Body.(watchdog.Bytes)
		if !ok || b.Stream != watchdog.StreamOut {
			continue
		}
		if b.Offset != int64(len(s.data)) {
			s.t.Errorf("%q comes at offset %d, want %d", b.Data, b.Offset, len(s.data))
		}
		s.data = append(s.data, b.Data...)
	}
}

// TestRenames: a worker of a dialect that nobody knows writes the same records under other names, at offsets of their own.
func TestRenames(t *testing.T) {
	steps := timeline(t, `
0s    w1 spawn
+0s   w1 prompt "say message_update"
+1s   w1 says "\"type\":\"message_update\"" over 1s chunks 3
+1s   w1 settles`)
	for _, dialect := range []native.Dialect{native.Pi16, native.Pi073} {
		play := func(renames ...world.Rename) []byte {
			w, err := world.New(world.Config{
				Agents: pi.Agents(dialect), Steps: steps, Policy: watchdog.DefaultPolicy(), Horizon: time.Hour, Renames: renames,
			})
			if err != nil {
				t.Fatal(err)
			}
			seen := stdout{t: t}
			if _, err := w.Run(func(watchdog.Boot) (watchdog.Watchdog, error) { return sleeper{}, nil }, world.NewChooser(nil), &seen); err != nil {
				t.Fatal(err)
			}
			return seen.data
		}
		got := play(world.Rename{From: "message_update", To: "message_chunk"}, world.Rename{From: "turn_end", To: "turn_over"})
		want := bytes.ReplaceAll(play(), []byte("{\"type\":\"message_update\",\""), []byte("{\"type\":\"message_chunk\",\""))
		want = bytes.ReplaceAll(want, []byte(`{"type":"turn_end","`), []byte(`{"type":"turn_over","`))
		if !bytes.Equal(got, want) || !bytes.Contains(got, []byte("message_chunk")) {
			t.Errorf("%s: got\n%s\nwant\n%s", dialect, got, want)
		}
	}
}
