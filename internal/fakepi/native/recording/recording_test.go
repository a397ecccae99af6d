package recording_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/fakepi/native/recording"
)

const testdata = "../../../../fakepi/native/testdata/recordings"

func TestRead(t *testing.T) {
	const text = `{"t_ms": 1.4, "dir": "in", "line": "{\"id\":1}"}
{"t_ms":382.7,"dir":"out","line":"a\u2028\ud83d\ude00 \\ud83d"}

{"t_ms":383,"dir":"out","line":"cut \udcf0\udc9f"}
{"t_ms":400,"dir":"err","line":""}
{"t_ms":401,"dir":"eof","line":"out"}
{"t_ms":402,"dir":"eof","li`
	got, err := recording.Read(strings.NewReader(text), "x")
	want := []recording.Event{
		{At: 1400 * time.Microsecond, Dir: recording.In, Line: []byte(`{"id":1}`), N: 1},
		{At: 382700 * time.Microsecond, Dir: recording.Out, Line: []byte("a\u2028😀 \\ud83d"), N: 2},
		{At: 383 * time.Millisecond, Dir: recording.Out, Line: []byte("cut \xf0\x9f"), N: 4},
		{At: 400 * time.Millisecond, Dir: recording.Err, Line: []byte{}, N: 5},
		{At: 401 * time.Millisecond, Dir: recording.EOF, Line: []byte("out"), N: 6},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, (-want +got):\n%s", err, diff)
	}
}

func TestReadTellsWhereItIsWrong(t *testing.T) {
	const good = `{"t_ms":1,"dir":"out","line":"a"}` + "\n"
	tests := []struct {
		reason, text string
		line, column int
	}{
		{"no JSON", good + "nonsense\n" + good, 2, 1},
		{"cut inside the file", good + `{"t_ms":1,"dir"` + "\n" + good, 2, 16},
		{"no object", "[]\n", 1, 1},
		{"time as text", `{"t_ms":"1","dir":"out","line":"a"}` + "\n", 1, 1},
		{"unknown dir", good + good + `{"t_ms":1,"dir":"up","line":"a"}` + "\n", 3, 1},
		{"no line", `{"t_ms":1,"dir":"out"}` + "\n", 1, 1},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			_, err := recording.Read(strings.NewReader(test.text), "a/events.rec.jsonl")
			bad, ok := errors.AsType[*recording.Error](err)
			if !ok || !errors.Is(err, recording.ErrFormat) || bad.Line != test.line || bad.Column != test.column || bad.Remedy == "" {
				t.Fatalf("got %v, want an Error at %d:%d with a remedy", err, test.line, test.column)
			}
			if at := fmt.Sprintf("a/events.rec.jsonl:%d:%d: ", test.line, test.column); !strings.HasPrefix(err.Error(), at) {
				t.Errorf("got %q, want it to begin with %q", err, at)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"t_ms":1,"dir":"out","line":"a"}`)
	f.Add("{\"t_ms\":1e999,\"dir\":\"in\",\"line\":\"\\udc80\"}\n{")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := recording.Read(strings.NewReader(text), "x")
		if err != nil && !errors.Is(err, recording.ErrFormat) {
			t.Errorf("got %v, want an ErrFormat", err)
		}
	})
}

// TestStdoutIsInTheRecording: where a run keeps both, they say the same.
func TestStdoutIsInTheRecording(t *testing.T) {
	for _, name := range []string{"json/01-simple", "json/22a-unicode", "rpc/19-malformed-stdin"} {
		dir := filepath.Join(testdata, "1.6.0", name)
		events, err := recording.ReadFile(filepath.Join(dir, recording.EventsFile))
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, e := range events {
			if e.Dir == recording.Out {
				got.Write(append(e.Line, '\n'))
			}
		}
		want, err := os.ReadFile(filepath.Join(dir, "stdout.raw"))
		if err != nil || got.String() != string(want) {
			t.Errorf("%s: error %v, (-want +got):\n%s", name, err, cmp.Diff(string(want), got.String()))
		}
	}
}

func TestFind(t *testing.T) {
	runs, err := recording.Find(testdata)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]recording.Run{}
	for _, run := range runs {
		byName[run.Meta.Mode+"/"+run.Meta.Scenario] = run
	}
	tests := []struct {
		name     string
		exited   bool
		code     int
		signal   string
		sessions int
	}{
		{"json/01-simple", true, 0, "", 1},
		{"rpc/04-true-stall-sigterm", true, 143, "", 1},
		{"json/08a-kill9-during-tool", true, 0, "SIGKILL", 1},
		{"rpc/20a-stdin-eof-idle", true, 0, "", 0},
		{"json/09a-resume-continue", true, 0, "", 2},
		{"tui/01-simple", true, 0, "", 1},
	}
	for _, test := range tests {
		run, ok := byName[test.name]
		m := run.Meta
		if !ok || m.Exited != test.exited || m.ExitCode != test.code || m.Signal != test.signal || len(run.Sessions) != test.sessions {
			t.Errorf("%s: got %+v with %d sessions, want %+v", test.name, m, len(run.Sessions), test)
		}
		if m.PiVersion != "1.6.0" || len(m.Argv) == 0 || m.Argv[0] != "pi" || m.ExitAt <= m.SpawnedAt {
			t.Errorf("%s: got %+v, want version 1.6.0, pi's arguments, and an end after the start", test.name, m)
		}
	}
}

func TestReadMeta(t *testing.T) {
	tests := []struct {
		reason, text string
		line, column int
	}{
		{"cut", "{\n \"pi_version\": \"1.6.0\",\n", 3, 1},
		{"no JSON", "{\n \"pi_version\": oops\n}", 2, 16},
		{"wrong type", "{\n \"exit_code\": \"0\"\n}", 2, 17},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), recording.MetaFile)
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := recording.ReadMeta(path)
			bad, ok := errors.AsType[*recording.Error](err)
			if !ok || bad.File != path || bad.Line != test.line || bad.Column != test.column {
				t.Errorf("got %v, want an Error in %s at %d:%d", err, path, test.line, test.column)
			}
		})
	}
	if _, err := recording.ReadMeta(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: got %v, want os.ErrNotExist", err)
	}
	path := filepath.Join(t.TempDir(), recording.MetaFile)
	if err := os.WriteFile(path, []byte(`{"mode":"rpc","exit_code":null,"signal":null,"exit_t_ms":12.5,"cwd_files_after":{"a":"b\n"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	want := recording.Meta{
		Mode: "rpc", ExitAt: 12500 * time.Microsecond, Epoch: time.Unix(0, 0).UTC(), Worktree: map[string]string{"a": "b\n"},
	}
	if got, err := recording.ReadMeta(path); err != nil || !cmp.Equal(want, got) {
		t.Errorf("a run that has not ended: error %v, got %+v, want %+v", err, got, want)
	}
}
