package journal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// TestGolden fixes the form of every kind. A change of the golden file is a new version of the journal.
func TestGolden(t *testing.T) {
	got, records := written(t, samples()...)
	file := filepath.Join("testdata", "every-kind.jsonl")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run the test with -update if it is new", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("the form changed (-want +got):\n%s", cmp.Diff(string(want), string(got)))
	}
	var replayed keep
	if _, err := journal.Replay(want, replayed.fold); err != nil {
		t.Fatal(err)
	}
	if d := diff(records, replayed); d != "" {
		t.Errorf("replayed (-want +got):\n%s", d)
	}
}

// TestSamplesAreFull keeps the samples honest: a kind or a field without a value would not be fixed by the golden file.
func TestSamplesAreFull(t *testing.T) {
	seen := map[journal.Kind]bool{journal.KindStart: true}
	for _, b := range samples() {
		seen[b.Kind()] = true
		v := reflect.ValueOf(b)
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("%s: %s is zero in the sample", b.Kind(), v.Type().Field(i).Name)
			}
		}
	}
	for _, kind := range journal.Kinds() {
		if !seen[kind] {
			t.Errorf("no sample of kind %s", kind)
		}
	}
}

// TestRoundTrip replays any record to what was written, and reads each line as any reader of JSON would.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := watchdog.Instant{
			Mono:   time.Duration(rapid.Int64().Draw(t, "mono")),
			Boot:   time.Duration(rapid.Int64().Draw(t, "boot")),
			BootID: rapid.String().Draw(t, "boot id"),
		}
		if rapid.Bool().Draw(t, "wall") {
			at.Wall = time.Unix(rapid.Int64Range(0, 1e10).Draw(t, "seconds"), 1000).UTC()
		}
		m := new(journal.Memory)
		w, err := m.Acquire("test", now, 0)
		if err != nil {
			t.Fatal(err)
		}
		var records, replayed keep
		l, err := journal.Open(w, at, records.fold)
		if err != nil {
			t.Fatal(err)
		}
		for n := range rapid.IntRange(1, 4).Draw(t, "records") {
			if err := l.Add(journal.Record{N: n, At: at, Body: drawBody(t)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Commit(); err != nil {
			t.Fatal(err)
		}
		text, _ := m.Read()
		if _, err := journal.Replay(text, replayed.fold); err != nil {
			t.Fatal(err)
		}
		if d := diff(records, replayed); d != "" {
			t.Fatalf("replayed (-want +got):\n%s\n%s", d, text)
		}
		wantJSON(t, text, at)
	})
}

func wantJSON(t *rapid.T, text []byte, at watchdog.Instant) {
	for line := range bytes.Lines(text) {
		var r struct {
			Seq  int64
			N    int
			At   watchdog.Instant
			Kind journal.Kind
			Data map[string]any
			Sum  string
		}
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&r); err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		if d := cmp.Diff(at, r.At); d != "" || r.Data == nil || len(r.Sum) != 8 {
			t.Fatalf("the instant has another form than watchdog.Instant (-want +got):\n%s\n%s", d, line)
		}
	}
}

// TestStrings writes every character that JSON may treat in its own way, alone and among others.
func TestStrings(t *testing.T) {
	var bodies []journal.Body
	for r := range rune(0x100) {
		bodies = append(bodies, journal.Outcome{Key: string(r), Reason: "a" + string(r) + "b"})
	}
	for _, r := range "\u2028\u2029\ufeff\ufffd\U0001f600" {
		bodies = append(bodies, journal.Outcome{Key: string(r), Reason: "<" + string(r) + ">"})
	}
	text, records := written(t, bodies...)
	var replayed keep
	if _, err := journal.Replay(text, replayed.fold); err != nil {
		t.Fatal(err)
	}
	if d := diff(records, replayed); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for line := range bytes.Lines(text) {
		if !json.Valid(line) {
			t.Errorf("no JSON: %s", line)
		}
	}
}

// TestUnwritable lists what has no form. Nothing of it may be folded, since a replay could not fold it.
func TestUnwritable(t *testing.T) {
	for _, row := range []struct {
		record journal.Record
		want   string
		reason string
	}{
		{journal.Record{Body: journal.Outcome{Key: "a\xffb"}}, "not UTF-8", "a string that JSON would change"},
		{journal.Record{Body: journal.Model{State: []byte(`{"a":`)}}, "unexpected end", "a state that is no JSON"},
		{journal.Record{Body: journal.Model{State: []byte(`1 2`)}}, "after top-level value", "two values"},
		{journal.Record{Body: journal.Approval{NotAfter: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}}, "year", "a time beyond RFC 3339"},
		{journal.Record{At: watchdog.Instant{Wall: time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)}, Body: journal.Ack{}}, "year", "a wall clock before it"},
		{journal.Record{Body: journal.Start{Version: 1}}, "Compact", "a Start is not for callers"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			m := new(journal.Memory)
			var folded keep
			l := openLog(t, acquire(t, m), folded.fold)
			add(t, l, 1, journal.Ack{N: 1})
			staged := l.Staged()
			if err := l.Add(row.record); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got error %v, want one with %q", err, row.want)
			}
			if l.Staged() != staged || len(folded) != 1 {
				t.Errorf("%d bytes are staged and %d records folded, want %d and 1", l.Staged(), len(folded), staged)
			}
			add(t, l, 2, journal.Ack{N: 2})
			commit(t, l)
			text, _ := m.Read()
			if _, err := journal.Replay(text, new(keep).fold); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRefusedByFold does not write what the state could not take.
func TestRefusedByFold(t *testing.T) {
	refused := errors.New("refused")
	m := new(journal.Memory)
	l := openLog(t, acquire(t, m), func(r journal.Record) error {
		if _, ok := r.Body.(journal.Outcome); ok {
			return refused
		}
		return nil
	})
	if err := l.Add(journal.Record{Body: journal.Outcome{Key: "k"}}); !errors.Is(err, refused) {
		t.Errorf("got error %v, want that of the fold", err)
	}
	add(t, l, 1, journal.Ack{N: 1})
	commit(t, l)
	var replayed keep
	text, _ := m.Read()
	if _, err := journal.Replay(text, replayed.fold); err != nil || len(replayed) != 1 {
		t.Errorf("replayed %d records, error %v; want 1", len(replayed), err)
	}
}

// TestUnreadable has lines with a right sum that this version does not know: somebody else's version wrote them.
func TestUnreadable(t *testing.T) {
	for _, row := range []struct {
		kind, data string
		want       string
		reason     string
	}{
		{"nap", `{}`, `kind "nap" is not known`, "an unknown kind"},
		{"ack", `{"n":1,"m":2}`, `\"m\":2`, "an unknown member"},
		{"ack", `{"m":2}`, `\"m\":2`, "an unknown member alone"},
		{"ack", `{"n":"1"}`, `no whole number`, "a value of another type"},
		{"ack", `{"n":1.5}`, `no whole number`, "half a number"},
		{"ack", `{"n":99999999999999999999}`, `no whole number`, "a number that does not fit"},
		{"ack", `{"n":1}}`, `more after the end`, "more than an object"},
		{"outcome", `{"key":"k`, `without end`, "a string without end"},
		{"outcome", `{"key":"\x"}`, `invalid character`, "a broken escape"},
		{"outcome", `{"result":"odd"}`, `result "odd"; known: done`, "an unknown word of the contract"},
		{"queue", `{"step":"odd"}`, `unknown word "odd"`, "an unknown word of the journal"},
		{"approval", `{"approve":1}`, `want true`, "a number for a yes"},
		{"approval", `{"not_after":"soon"}`, `not_after`, "a time that is none"},
		{"verdict", `{"since_ms":1.0000001}`, `finer than a nanosecond`, "a duration too fine"},
		{"verdict", `{"evidence":[1,]}`, `no whole number`, "a broken list"},
		{"model", `{"state":{]}}`, `state`, "a broken state"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			text := journal.Sum(`{"seq":1,"at":{"mono_ms":0,"boot_ms":0},"kind":"start","data":{"version":1}`) +
				journal.Sum(`{"seq":2,"at":{"mono_ms":0,"boot_ms":0},"kind":"`+row.kind+`","data":`+row.data)
			var folded keep
			_, err := journal.Replay([]byte(text), folded.fold)
			if !errors.Is(err, journal.ErrVersion) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got error %v, want ErrVersion with %q", err, row.want)
			}
			if len(folded) != 0 {
				t.Errorf("%d records of a refused journal were folded", len(folded))
			}
		})
	}
}
