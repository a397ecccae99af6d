package ledger_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"fakepi.example/internal/fakepi/ledger"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// A line that broke off costs the reader itself alone, and what is no file is no ledger.
func TestTornBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	if err := os.WriteFile(path, []byte(`{"kind":"start","pi`), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := ledger.Open(path, &ledger.Start{}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if lines := strings.Split(string(text), "\n"); err != nil || len(lines) != 4 || !strings.HasPrefix(lines[1], `{"kind":"start"`) {
		t.Errorf("%v: got %q, want the torn line, two starts and no more", err, lines)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Open(pipe, &ledger.Start{}); !errors.Is(err, ledger.ErrNoFile) {
		t.Errorf("a pipe: got %v, want %v", err, ledger.ErrNoFile)
	}
}

// one is a record of every kind, with every member.
func one() []ledger.Record {
	events := []ledger.Event{
		&ledger.Start{
			Argv: []string{"pi", "--mode", "rpc", "<&>"}, CWD: "/home/dev", ParentPID: 10, Parent: "watchdog", PGID: 20, SID: 10,
			StartTicks: 12345, BootID: "b", FDs: []string{"pipe:[1]", "pipe:[2]", "/dev/null"}, Ignored: []string{"SIGHUP"},
			Blocked: []string{}, UID: 1000, Path: "/bin", Home: "/home/dev", Term: "xterm", Dialect: "pi-1.6", Script: "s.txtar",
		},
		&ledger.Stdin{Offset: 0, Line: "{\"type\":\"get_state\"}\u2028"},
		&ledger.Stdin{Offset: 24, Bytes: []byte{0xff, 0xfe}},
		&ledger.Truth{Phase: "running_tool", Since: 1, LastProgress: 2, At: 3, Stuck: true, Calls: []string{"call_1"}, Dialog: "d"},
		&ledger.Delta{Stream: "out", Offset: 0, Length: 7, Progress: true},
		&ledger.ToolChild{PID: 21, Call: "call_1", Command: "make"},
		&ledger.Effect{What: "run", Call: "call_1", Path: "a", Remote: "origin", Command: "make", Code: 2, Error: "no"},
		&ledger.ToolChild{PID: 21, Call: "call_1", Command: "make", Ended: true, Killed: true},
		&ledger.SessionWrite{Path: "/s.jsonl", Length: 9, Type: "message", ID: "0a1b2c3d"},
		&ledger.Settled{Proven: true},
		&ledger.ParentDeath{PID: 10},
		&ledger.Signal{Name: "SIGTERM", Handled: true},
		&ledger.StdinEOF{},
		&ledger.Exit{Code: -1, Signal: "SIGTERM"},
	}
	var records []ledger.Record
	for i, e := range events {
		at := time.Duration(i) * time.Millisecond
		records = append(records, ledger.Record{
			Stamp: ledger.Stamp{PID: 20, Generation: 1, Mono: at, Boot: 2 * at, Wall: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).Add(at)},
			Event: e,
		})
	}
	return records
}

func encode(t testing.TB, records []ledger.Record) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, r := range records {
		line, err := r.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes()
}

// The form is a contract with readers in other languages.
func TestForm(t *testing.T) {
	const golden = "testdata/ledger.golden.jsonl"
	got := encode(t, one())
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
	records, torn, err := ledger.ReadAll(bytes.NewReader(want))
	if err != nil || torn > 0 {
		t.Fatalf("%d torn, %v", torn, err)
	}
	for i := range records {
		records[i].Kind = "" // the event says it
	}
	if diff := cmp.Diff(one(), records); diff != "" {
		t.Error(diff)
	}
	if problems := ledger.Check(records); len(problems) > 0 {
		t.Errorf("an honest ledger: %q", problems)
	}
}

// Wherever the last write was cut, the records before it are read, and the one that another writer appended to the torn
// one is found.
func TestTornAnywhere(t *testing.T) {
	records := one()[:4]
	whole := encode(t, records)
	last := len(encode(t, records[:3]))
	next := encode(t, one()[9:10])
	for cut := last + 1; cut < len(whole); cut++ {
		got, torn, err := ledger.ReadAll(bytes.NewReader(whole[:cut]))
		if err != nil || torn != 1 || len(got) != 3 {
			t.Fatalf("cut at %d: %d records, %d torn, %v; want 3, 1, none", cut, len(got), torn, err)
		}
		glued := append(bytes.Clone(whole[:cut]), next...)
		got, torn, err = ledger.ReadAll(bytes.NewReader(glued))
		if err != nil || torn != 0 || len(got) < 4 {
			t.Fatalf("glued at %d: %d records, %d torn, %v", cut, len(got), torn, err)
		}
		if _, ok := got[len(got)-1].Event.(*ledger.Settled); !ok {
			t.Fatalf("glued at %d: the last record is a %T", cut, got[len(got)-1].Event)
		}
	}
}

func TestLinesThatAreNoRecords(t *testing.T) {
	tests := []struct {
		name, line string
		want       error
		reason     string
	}{
		{"no JSON", "x", ledger.ErrTorn, ""},
		{"another type", `{"kind":7}`, ledger.ErrTorn, ""},
		{"a member of another type", `{"kind":"exit","code":"x"}`, ledger.ErrTorn, ""},
		{"unknown", `{"kind":"later"}`, ledger.ErrKind, "a ledger of a later version"},
		{"none", `{}`, ledger.ErrKind, ""},
	}
	for _, tt := range tests {
		r := ledger.NewReader(strings.NewReader("\n" + tt.line + "\n" + `{"kind":"stdin_eof"}` + "\n"))
		if _, err := r.Next(); !errors.Is(err, tt.want) || r.Line() != 2 {
			t.Errorf("%s: line %d, %v, want line 2, %v", tt.name, r.Line(), err, tt.want)
		}
		if got, err := r.Next(); err != nil || got.Kind != "stdin_eof" {
			t.Errorf("%s: behind it %v, %v, want stdin_eof", tt.name, got, err)
		}
	}
}

// A reader goes on where it was, also in the middle of a line.
func TestFollows(t *testing.T) {
	var file bytes.Buffer
	r := ledger.NewReader(&file)
	data := encode(t, one())
	read := 0
	for i := 0; i < len(data); i += 50 {
		file.Write(data[i:min(i+50, len(data))])
		for {
			_, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			read++
		}
	}
	if want := len(one()); read != want {
		t.Errorf("read %d records, want %d", read, want)
	}
}

// What several writers append at once, long records among it, is whole.
func TestSeveralWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	const writers, each = 8, 200
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			l, err := ledger.Open(path, &ledger.Start{})
			if err != nil {
				t.Error(err)
				return
			}
			for i := range each {
				if err := l.Append(&ledger.Stdin{Line: strings.Repeat("x", i*i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	records := read(t, path)
	generations := map[int]int{}
	for _, r := range records {
		generations[r.Generation]++
	}
	for g := 1; g <= writers; g++ {
		if generations[g] != each+1 {
			t.Errorf("generation %d has %d records, want %d", g, generations[g], each+1)
		}
	}
}

func read(t *testing.T, path string) []ledger.Record {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, torn, err := ledger.ReadAll(file)
	if err != nil || torn > 0 {
		t.Fatalf("%d torn, %v", torn, err)
	}
	return records
}

func TestGenerations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	open := func() (int, error) {
		l, err := ledger.Open(path, &ledger.Start{})
		return l.Generation(), err
	}
	for want := 1; want <= 11; want++ {
		if got, err := open(); got != want || err != nil {
			t.Fatalf("start %d: generation %d, %v", want, got, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got, err := open(); got != 1 || err != nil {
		t.Errorf("a new ledger: generation %d, %v; want 1", got, err)
	}
	child, err := ledger.Join(path, 1)
	if err != nil || child.Generation() != 1 || child.Append(&ledger.Effect{What: "write"}) != nil {
		t.Errorf("a child: generation %d, %v", child.Generation(), err)
	}
	if err := os.WriteFile(path+".lock", []byte("many"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := open(); !errors.Is(err, ledger.ErrCounter) {
		t.Errorf("a counter that is none: %v, want %v", err, ledger.ErrCounter)
	}
	if _, err := ledger.Open(filepath.Join(t.TempDir(), "no/such/folder"), &ledger.Start{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v, want %v", err, os.ErrNotExist)
	}
}

// Nothing is appended to a file that holds something else, and no counter is made beside it.
func TestForeignFile(t *testing.T) {
	tests := []struct {
		text   string
		want   error
		reason string
	}{
		{"", nil, "an empty file becomes a ledger"},
		{`{"kind":"sta`, nil, "a first record that broke off on a full disk"},
		{"{\"kind\":\"sta\n", nil, "the same after its line was ended"},
		{`{"kind":"start","pid":1}` + "\n", nil, ""},
		{"dear diary\n", ledger.ErrForeign, ""},
		{"x", ledger.ErrForeign, "shorter than a header"},
		{"\n" + `{"kind":"start","pid":1}`, ledger.ErrForeign, ""},
		{`{"type":"session","version":3}` + "\n", ledger.ErrForeign, "a session of Pi"},
		{`{"kind":"exit"}` + "\n", ledger.ErrForeign, "a ledger begins with a start"},
	}
	for _, tt := range tests {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(tt.text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := ledger.Open(path, &ledger.Start{})
		_, joins := ledger.Join(path, 1)
		if !errors.Is(err, tt.want) || !errors.Is(joins, tt.want) {
			t.Errorf("%q: opened %v, joined %v, want %v (%s)", tt.text, err, joins, tt.want, tt.reason)
		}
		if tt.want == nil {
			continue
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != tt.text {
			t.Errorf("%q: the file holds %q, %v", tt.text, text, err)
		}
		if _, err := os.Stat(path + ".lock"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%q: a counter beside it: %v", tt.text, err)
		}
	}
}

// The process of a tool notes what its commands do at once: the records stand in the order of their clock.
func TestAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	l, err := ledger.Open(path, &ledger.Start{})
	if err != nil {
		t.Fatal(err)
	}
	var all errgroup.Group
	for range 8 {
		all.Go(func() error {
			for range 200 {
				if err := l.Append(&ledger.Effect{What: "run"}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records, torn, err := ledger.ReadAll(bytes.NewReader(data))
	if err != nil || torn > 0 || len(records) != 1601 {
		t.Errorf("%d records, %d torn, %v; want 1601", len(records), torn, err)
	}
	if problems := ledger.Check(records); len(problems) > 0 {
		t.Errorf("%d problems: %s", len(problems), problems[0])
	}
}

// Without a ledger there is nothing to write.
func TestNone(t *testing.T) {
	var none *ledger.Log
	if err := none.Append(&ledger.StdinEOF{}); err != nil || none.Generation() != 1 {
		t.Errorf("generation %d, %v; want 1, none", none.Generation(), err)
	}
}

func TestCheck(t *testing.T) {
	at := func(pid, generation int, mono time.Duration, e ledger.Event) ledger.Record {
		return ledger.Record{Stamp: ledger.Stamp{PID: pid, Generation: generation, Mono: mono}, Event: e}
	}
	start := at(1, 1, 0, &ledger.Start{})
	tests := []struct {
		name    string
		records []ledger.Record
		want    int // problems
		reason  string
	}{
		{"nothing", nil, 0, ""},
		{"two workers", []ledger.Record{start, at(2, 2, 5, &ledger.Start{}), at(1, 1, 3, &ledger.StdinEOF{})}, 0, "clocks are compared within a process"},
		{"a pid again", []ledger.Record{start, at(1, 1, 2, &ledger.Exit{}), at(1, 2, 1, &ledger.Start{}), at(1, 2, 3, &ledger.StdinEOF{})}, 0, "pids are used again"},
		{"one missing", []ledger.Record{start, at(2, 3, 1, &ledger.Start{})}, 0, "killed before its first record"},
		{"a child", []ledger.Record{start, at(1, 1, 1, &ledger.ToolChild{PID: 9}), at(9, 1, 2, &ledger.Effect{})}, 0, ""},
		{"no start", []ledger.Record{at(1, 1, 0, &ledger.StdinEOF{})}, 1, ""},
		{"a generation twice", []ledger.Record{start, at(2, 1, 1, &ledger.Start{})}, 1, ""},
		{"another generation", []ledger.Record{start, at(1, 2, 1, &ledger.StdinEOF{})}, 1, ""},
		{"behind the exit", []ledger.Record{start, at(1, 1, 1, &ledger.Exit{}), at(1, 1, 2, &ledger.StdinEOF{})}, 1, ""},
		{"a clock that goes back", []ledger.Record{start, at(1, 1, 9, &ledger.StdinEOF{}), at(1, 1, 8, &ledger.Exit{})}, 1, ""},
		{"a line behind the end", []ledger.Record{start, at(1, 1, 1, &ledger.StdinEOF{}), at(1, 1, 2, &ledger.Stdin{})}, 1, ""},
		{"a line lost", []ledger.Record{start, at(1, 1, 1, &ledger.Stdin{Line: "a"}), at(1, 1, 2, &ledger.Stdin{Offset: 3})}, 1, "the line and its line feed are two bytes"},
		{"two ends", []ledger.Record{start, at(1, 1, 1, &ledger.StdinEOF{}), at(1, 1, 2, &ledger.StdinEOF{})}, 1, ""},
		{"a write lost", []ledger.Record{start, at(1, 1, 1, &ledger.Delta{Stream: "out", Length: 3}), at(1, 1, 2, &ledger.Delta{Stream: "out", Offset: 4})}, 1, ""},
		{"streams apart", []ledger.Record{start, at(1, 1, 1, &ledger.Delta{Stream: "out", Length: 3}), at(1, 1, 2, &ledger.Delta{Stream: "err"})}, 0, ""},
		{"a child that exits", []ledger.Record{start, at(1, 1, 1, &ledger.ToolChild{PID: 9}), at(9, 1, 2, &ledger.Exit{})}, 1, "its worker tells its end"},
	}
	for _, tt := range tests {
		if got := ledger.Check(tt.records); len(got) != tt.want {
			t.Errorf("%s: %d problems, want %d (%s): %q", tt.name, len(got), tt.want, tt.reason, got)
		}
	}
}

// FuzzReader looks for bytes that make the reader panic, or for a record that is another one when written and read again.
func FuzzReader(f *testing.F) {
	f.Add(encode(f, one()))
	f.Add([]byte("{\"kind\":\"stdin\",\"line\":\"{\"kind\":\"exit\"}\n\n{}\n{\"kind\":\"exit\",\"code\":1e9}\nx"))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, _, err := ledger.ReadAll(bytes.NewReader(data))
		if err != nil && !errors.Is(err, ledger.ErrKind) {
			t.Fatal(err)
		}
		ledger.Check(records)
		again, torn, err := ledger.ReadAll(bytes.NewReader(encode(t, records)))
		if err != nil || torn > 0 || !cmp.Equal(records, again) {
			t.Fatalf("%d torn, %v: %s", torn, err, cmp.Diff(records, again))
		}
	})
}
