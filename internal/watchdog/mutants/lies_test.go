package mutants_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fakepi.example/internal/watchdog/mutants"
	"fakepi.example/watchdog"
)

// torn is a story about a last line without its end.
const torn = `
0s spawn json
0s agent_start
1s raw {\"type\":\"message_update\",\"assistantMessageEvent\":{\"type\":\"text_delta\",\"delta\":\"x\"}}
2s closed out
until 5s`

// TestVerbatim tells every story to the reference behind lies that change nothing, with the streams cut into pieces of
// several sizes: what lies do besides their defect would show.
func TestVerbatim(t *testing.T) {
	tales := stories(t)
	tales["torn"] = torn
	for name, tale := range tales {
		for _, chunk := range []int{0, 1, 7, 100} {
			if name == "long-line-lost" && chunk > 0 && chunk < 100 {
				continue // the same as with 100, for longer
			}
			want, got := playIn(t, tale, reference, chunk), playIn(t, tale, mutants.Verbatim, chunk)
			if diff := differences(want, got); diff != "" {
				t.Errorf("%s in pieces of %d bytes:\n%s", name, chunk, diff)
			}
		}
	}
}

// recorder remembers what it was shown.
type recorder struct{ bodies []watchdog.Body }

func (r *recorder) Step(_ watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	for _, o := range seen {
		r.bodies = append(r.bodies, o.Body)
	}
	return watchdog.Decision{}, nil
}

// doubled leaves out lines that begin with "-" and writes the others twice.
func doubled(line []byte) []byte {
	if bytes.HasPrefix(line, []byte("-")) {
		return nil
	}
	return bytes.Join([][]byte{line, line}, []byte("\n"))
}

// TestLinesProperties cuts streams anywhere. The rewritten stream has the edited lines, each once its end has come, at
// offsets without a break; an inspect that found what was shown so far says so of the rewritten one, and one that found
// more finds as much more.
func TestLinesProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.StringMatching(`-?[a-c]{0,5}`)).Draw(t, "lines"), "\n")
		var next recorder
		dog := mutants.Rewritten(&next, doubled)
		at := 0
		for at < len(text) {
			n := rapid.IntRange(1, len(text)-at).Draw(t, "piece")
			more := rapid.Int64Range(0, 3).Draw(t, "more")
			show(t, dog, watchdog.Bytes{Stream: watchdog.StreamOut, Offset: int64(at), Data: []byte(text[at : at+n])})
			at += n
			show(t, dog, watchdog.Inspect{What: watchdog.WhatStream, Stream: watchdog.StreamOut, Offset: int64(at) + more})
			checkRewritten(t, &next, text[:at], more)
		}
	})
}

func show(t *rapid.T, dog watchdog.Watchdog, b watchdog.Body) {
	if d, err := dog.Step(watchdog.Instant{}, []watchdog.Observation{{N: 1, Worker: "w1", Generation: 1, Body: b}}); err != nil || d.Ack != 1 {
		t.Fatalf("read up to %d (error %v), want 1", d.Ack, err)
	}
}

func checkRewritten(t *rapid.T, next *recorder, text string, more int64) {
	var want, got []byte
	for line := range strings.Lines(text) {
		if whole, ok := strings.CutSuffix(line, "\n"); ok {
			if d := doubled([]byte(whole)); d != nil {
				want = append(append(want, d...), '\n')
			}
		}
	}
	for _, body := range next.bodies {
		if b, ok := body.(watchdog.Bytes); ok {
			if b.Offset != int64(len(got)) {
				t.Fatalf("a piece at offset %d, want %d", b.Offset, len(got))
			}
			got = append(got, b.Data...)
		}
	}
	if !bytes.Equal(want, got) {
		t.Fatalf("rewritten %q: %s", text, cmp.Diff(string(want), string(got)))
	}
	in, ok := next.bodies[len(next.bodies)-1].(watchdog.Inspect)
	if !ok || in.Offset != int64(len(got))+more {
		t.Fatalf("an inspect of %d bytes more than were shown found %d, want %d", more, in.Offset, int64(len(got))+more)
	}
}

// TestLinesAfterGap: what a gap has dropped is missing from the rewritten stream too, and a file that starts afresh does
// so there.
func TestLinesAfterGap(t *testing.T) {
	var next recorder
	dog := mutants.Rewritten(&next, doubled)
	seen := []watchdog.Body{
		watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte("a\nb")},
		watchdog.Gap{Stream: watchdog.StreamOut, Missing: 10},
		watchdog.Bytes{Stream: watchdog.StreamOut, Offset: 13, Data: []byte("c\n")},
		watchdog.File{Stream: watchdog.StreamOut, Change: watchdog.FileTruncated},
		watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte("d\ne")},
		watchdog.Closed{Stream: watchdog.StreamOut},
	}
	for _, b := range seen {
		if _, err := dog.Step(watchdog.Instant{}, []watchdog.Observation{{N: 1, Worker: "w1", Body: b}}); err != nil {
			t.Fatal(err)
		}
	}
	want := []watchdog.Body{
		watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte("a\na\n")},
		watchdog.Gap{Stream: watchdog.StreamOut, Missing: 10},
		watchdog.Bytes{Stream: watchdog.StreamOut, Offset: 14, Data: []byte("c\nc\n")},
		watchdog.File{Stream: watchdog.StreamOut, Change: watchdog.FileTruncated},
		watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte("d\nd\n")},
		watchdog.Bytes{Stream: watchdog.StreamOut, Offset: 4, Data: []byte("e\ne\n")},
		watchdog.Closed{Stream: watchdog.StreamOut},
	}
	if diff := cmp.Diff(want, next.bodies); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzMutants gives every mutant hostile streams: none may panic or fail.
func FuzzMutants(f *testing.F) {
	f.Add([]byte("{\"type\":\"tool_execution_end\"}\n{\"type\":\"extension_ui_request\",\"method\":\"notify\"}\n"), uint8(5))
	f.Add([]byte("{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\",\"stopReason\":\"error\"}}\n"), uint8(200))
	f.Add([]byte("{}\n{ }\nnull\n\x1b]7501;state=working\x1b\\"), uint8(1))
	streams := []watchdog.Stream{watchdog.StreamOut, watchdog.StreamIn, watchdog.StreamSession, watchdog.StreamPTY}
	f.Fuzz(func(t *testing.T, data []byte, piece uint8) {
		for _, m := range mutants.All() {
			dog, err := m.New(watchdog.Boot{Policy: watchdog.DefaultPolicy()})
			if err != nil {
				t.Fatal(err)
			}
			now := watchdog.Instant{Wall: epoch}
			seen := []watchdog.Observation{{N: 1, At: now, Worker: "w1", Generation: 1, Body: watchdog.Spawned{Mode: watchdog.ModeRPC, PID: 1}}}
			for at := 0; at < len(data); at += int(piece) + 1 {
				for _, s := range streams {
					body := watchdog.Bytes{Stream: s, Offset: int64(at), Data: data[at:min(len(data), at+int(piece)+1)]}
					seen = append(seen, watchdog.Observation{N: len(seen) + 1, At: now, Worker: "w1", Generation: 1, Body: body})
				}
			}
			if _, err := dog.Step(now, seen); err != nil {
				t.Errorf("%s: %v", m.ID, err)
			}
			now.Mono, now.Boot = 24*time.Hour, 24*time.Hour
			if _, err := dog.Step(now, nil); err != nil {
				t.Errorf("%s: %v", m.ID, err)
			}
		}
	})
}
