package wcp_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"fakepi.example/internal/conformance/wcp"
	"fakepi.example/watchdog"
)

func instants(t *rapid.T) watchdog.Instant {
	return watchdog.Instant{
		Mono:   time.Duration(rapid.Int64Range(0, int64(1e18)).Draw(t, "mono")),
		Boot:   time.Duration(rapid.Int64Range(0, int64(1e18)).Draw(t, "boot")),
		Wall:   time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "wall"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC(),
		BootID: rapid.String().Draw(t, "boot id"),
	}
}

func observations(t *rapid.T) watchdog.Observation {
	o := watchdog.Observation{
		N: rapid.IntRange(0, 1<<40).Draw(t, "n"), At: instants(t),
		Worker: rapid.String().Draw(t, "worker"), Generation: rapid.IntRange(0, 9).Draw(t, "generation"),
	}
	if rapid.Bool().Draw(t, "other") {
		o.Body = watchdog.Closed{Stream: watchdog.StreamOut}
		return o
	}
	data := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
	if rapid.Bool().Draw(t, "text") {
		data = []byte(rapid.String().Draw(t, "data"))
	}
	o.Body = watchdog.Bytes{Stream: watchdog.StreamSession, Offset: rapid.Int64Range(0, 1<<40).Draw(t, "offset"), Data: data}
	return o
}

// TestFormsAgree: what is written and read without reflection, for speed, is what encoding/json makes of it.
func TestFormsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := instants(t)
		var seen []watchdog.Observation
		for range rapid.IntRange(0, 3).Draw(t, "observations") {
			seen = append(seen, observations(t))
		}
		line, err := wcp.AppendTick(nil, now, seen)
		if err != nil {
			t.Fatal(err)
		}
		plainNow, plainSeen, err := wcp.PlainTick(line)
		if err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		if diff := cmp.Diff(seen, plainSeen, cmpopts.EquateEmpty()); diff != "" || plainNow != now {
			t.Fatalf("written %s\ncame back at %v with (-want +got):\n%s", line, plainNow, diff)
		}
		fastNow, fastSeen, ok := wcp.FastTick(line)
		if !ok {
			return
		}
		if diff := cmp.Diff(plainSeen, fastSeen, cmpopts.EquateEmpty()); diff != "" || plainNow != fastNow {
			t.Fatalf("%s\nis read differently (-plain +fast):\n%s", line, diff)
		}
	})
}

// TestFastTickIsTaken: the fast way is really gone for what is most frequent.
func TestFastTickIsTaken(t *testing.T) {
	now := watchdog.Instant{Mono: 90*time.Second + 500*time.Microsecond, Boot: time.Hour, Wall: time.Date(2026, 1, 5, 9, 0, 0, 5, time.UTC), BootID: "b"}
	seen := []watchdog.Observation{{N: 1, At: now, Worker: "w1", Generation: 1, Body: watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte("{\"type\":\"é\\u2028\"}\n\x01")}}}
	line, err := wcp.AppendTick(nil, now, seen)
	if err != nil {
		t.Fatal(err)
	}
	if _, got, ok := wcp.FastTick(line); !ok || !cmp.Equal(got, seen) {
		t.Errorf("%s was read %v, %v", line, ok, got)
	}
}

func FuzzTick(f *testing.F) {
	f.Add([]byte(`{"type":"tick","now":{"mono_ms":0,"boot_ms":0.5},"seen":[{"n":1,"at":{"mono_ms":0,"boot_ms":0},"kind":"bytes","bytes":{"stream":"out","offset":0,"data":{"text":"a\n\u0001"}}}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		fastNow, fastSeen, ok := wcp.FastTick(line)
		if !ok {
			return
		}
		now, seen, err := wcp.PlainTick(line)
		if err != nil || now != fastNow || !cmp.Equal(seen, fastSeen, cmpopts.EquateEmpty()) {
			t.Errorf("%q is read fast as %v %v, plainly as %v %v, %v", line, fastNow, fastSeen, now, seen, err)
		}
	})
}

func FuzzQuiescent(f *testing.F) {
	f.Add("91000.5", "7")
	f.Add("0", "0")
	f.Fuzz(func(t *testing.T, wake, ack string) {
		line := fmt.Appendf(nil, `{"type":"quiescent","wake_ms":%s,"ack":%s}`, wake, ack)
		fastWake, fastAck, ok := wcp.FastQuiescent(line)
		if !ok {
			return
		}
		if w, a, ok := wcp.PlainQuiescent(line); !ok || w != fastWake || a != fastAck {
			t.Errorf("%s is read fast as %v %d, plainly as %v %d, %v", line, fastWake, fastAck, w, a, ok)
		}
	})
}

// TestLineSeparators: no byte that some reader takes for the end of a line stands in the middle of one.
func TestLineSeparators(t *testing.T) {
	line, err := wcp.AppendTick(nil, watchdog.Instant{}, []watchdog.Observation{{N: 1, Body: watchdog.Bytes{
		Stream: watchdog.StreamOut, Data: []byte("a\u2028b\u2029c\r\nd\u2027\u202a"),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"tick","now":{"mono_ms":0,"boot_ms":0},"seen":[{"n":1,"at":{"mono_ms":0,"boot_ms":0},"kind":"bytes",` +
		`"bytes":{"stream":"out","offset":0,"data":{"text":"a\u2028b\u2029c\r\nd` + "\u2027\u202a" + `"}}}]}`
	if string(line) != want {
		t.Errorf("got  %s\nwant %s", line, want)
	}
}
