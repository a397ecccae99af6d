package canary_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/fakepi/native/recording"
	"fakepi.example/internal/watchdog/canary"
	"fakepi.example/watchdog"
)

// instant is so long after the start of the worker.
func instant(after time.Duration) watchdog.Instant {
	return watchdog.Instant{Mono: time.Hour + after, Boot: time.Hour + after, Wall: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC).Add(after), BootID: "b"}
}

type told struct {
	after time.Duration
	body  watchdog.Body
}

func out(text string) watchdog.Body {
	return watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte(text)}
}

// record shows a recorder what was observed, and returns its folder. It is not closed, as if it had been killed.
func record(t *testing.T, o canary.Options, story ...told) (*canary.Recorder, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "r")
	r, err := canary.Create(dir, canary.Meta{Worker: "secret-folder-1", Mode: watchdog.ModeJSON, Model: "big"}, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range story {
		if err := r.Observed(watchdog.Observation{N: i + 1, At: instant(s.after), Worker: "w", Body: s.body}); err != nil {
			t.Fatal(err)
		}
	}
	return r, dir
}

func TestLines(t *testing.T) {
	code := 0
	_, dir := record(t, canary.Options{Contents: true},
		told{0, watchdog.Spawned{Mode: watchdog.ModeJSON, Source: watchdog.SourceHeld}},
		told{10 * time.Millisecond, out("{\"type\":\"agent_start\"}\n{\"type\":\"turn")},
		told{20 * time.Millisecond, out("_start\"}\nbad \xff\n")},
		told{30 * time.Millisecond, watchdog.Bytes{Stream: watchdog.StreamErr, Data: []byte("a warning")}},
		told{40 * time.Millisecond, watchdog.Closed{Stream: watchdog.StreamOut}},
		told{50 * time.Millisecond, watchdog.Exited{Code: code}},
	)
	got, err := recording.ReadFile(filepath.Join(dir, canary.EventsFile))
	if err != nil {
		t.Fatal(err)
	}
	want := []recording.Event{
		{At: 10 * time.Millisecond, Dir: recording.Out, Line: []byte(`{"type":"agent_start"}`), N: 1},
		{At: 20 * time.Millisecond, Dir: recording.Out, Line: []byte(`{"type":"turn_start"}`), N: 2},
		{At: 20 * time.Millisecond, Dir: recording.Out, Line: []byte("bad \xff"), N: 3},
		{At: 40 * time.Millisecond, Dir: recording.EOF, Line: []byte("out"), N: 4},
		{At: 50 * time.Millisecond, Dir: recording.Err, Line: []byte("a warning"), N: 5},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	meta, err := recording.ReadMeta(filepath.Join(dir, canary.MetaFile))
	if err != nil {
		t.Fatal(err)
	}
	if !meta.Exited || meta.ExitCode != 0 || meta.ExitAt != 50*time.Millisecond || meta.Mode != "json" {
		t.Errorf("meta.json says %+v", meta)
	}
}

func TestTerminal(t *testing.T) {
	for _, row := range []struct {
		options canary.Options
		want    []string
	}{
		{canary.Options{}, []string{`[0.01,"o","xx "]`, `[0.02,"o","xx"]`}},
		{canary.Options{Contents: true}, []string{`[0.01,"o","hi "]`, `[0.02,"o","ü!"]`}},
	} {
		_, dir := record(t, row.options, told{0, watchdog.Spawned{Mode: watchdog.ModeTUI}},
			told{10 * time.Millisecond, watchdog.Bytes{Stream: watchdog.StreamPTY, Data: []byte("hi \xc3")}},
			told{20 * time.Millisecond, watchdog.Bytes{Stream: watchdog.StreamPTY, Data: []byte("\xbc!")}})
		got := lines(t, filepath.Join(dir, canary.CastFile))
		if want := `{"version":2,"width":80,"height":24,"timestamp":1772355600}`; got[0] != want {
			t.Errorf("the header is %s, want %s", got[0], want)
		}
		if diff := cmp.Diff(row.want, got[1:]); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", row.options, diff)
		}
	}
}

func TestDecided(t *testing.T) {
	r, dir := record(t, canary.Options{}, told{0, watchdog.Spawned{}})
	err := r.Decided(instant(90*time.Second), &watchdog.Decision{
		Verdicts: []watchdog.Verdict{{Worker: "w", Name: watchdog.VerdictStalledStream, Status: watchdog.StatusConfirmed, Since: time.Hour + time.Minute,
			Detail: watchdog.Detail{}}},
		Commands: []watchdog.Command{
			{Kind: watchdog.CmdProbe}, {Kind: watchdog.CmdAbort, Text: "secret", Cause: watchdog.Cause{Name: watchdog.VerdictStalledStream}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"t_ms":90000,"verdict":"stalled_stream","status":"confirmed","since_ms":60000}`,
		`{"t_ms":90000,"would":"abort","cause":{"name":"stalled_stream"}}`,
	}
	if diff := cmp.Diff(want, lines(t, filepath.Join(dir, canary.VerdictsFile))); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
}

// A redacted recording holds nothing of what was said, and no path, in any of its files.
func TestRedacted(t *testing.T) {
	r, dir := record(t, canary.Options{},
		told{0, watchdog.Spawned{Mode: watchdog.ModeJSON, Session: "/home/sekrit/s.jsonl", Worktree: "/home/sekrit/w", Model: "sekrit", Task: "sekrit", Credential: "sekrit"}},
		told{1, watchdog.Bytes{Stream: watchdog.StreamIn, Data: []byte(`{"type":"prompt","message":"sekrit"}` + "\n")}},
		told{2, watchdog.Bytes{Stream: watchdog.StreamErr, Data: []byte("sekrit\n")}},
		told{3, watchdog.Bytes{Stream: watchdog.StreamSession, Data: []byte(`{"type":"session","cwd":"/home/sekrit"}` + "\n")}},
		told{4, watchdog.Bytes{Stream: watchdog.StreamPTY, Data: []byte("sekrit\x1b]0;sekrit\x07")}},
		told{5, out(`{"type":"sekrit","sekrit":1,"message":{"role":"sekrit","model":"sekrit"}}` + "\n" + "sekrit")},
		told{6, watchdog.Outcome{Key: "sekrit", Reason: "sekrit"}},
		told{7, watchdog.Exited{Signal: "SIGKILL"}},
	)
	err := r.Decided(instant(8), &watchdog.Decision{
		Verdicts: []watchdog.Verdict{{Worker: "sekrit", Name: watchdog.VerdictDead}},
		Commands: []watchdog.Command{{Kind: watchdog.CmdNotify, Key: "sekrit", Worker: "sekrit", Text: "sekrit", Session: "sekrit"}},
	})
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 6 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"sekrit", "secret-folder", "big"} {
			if strings.Contains(string(text), secret) {
				t.Errorf("%s holds %q: %s", f.Name(), secret, text)
			}
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := canary.Create(dir, canary.Meta{}, canary.Options{}); !errors.Is(err, canary.ErrExists) {
		t.Errorf("got %v, want ErrExists", err)
	}
}

func TestReadMetaRefuses(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{`{}`, "names neither a format nor a mode"}, {`{"format":2}`, "has format 2, and this program reads up to 1"}, {`{`, "unexpected end"}, {``, "unexpected end"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, canary.MetaFile), []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := canary.ReadMeta(dir); !errors.Is(err, canary.ErrForeign) || !strings.Contains(fmt.Sprint(err), row.want) {
			t.Errorf("%s: got %v, want ErrForeign with %q", row.text, err, row.want)
		}
	}
	if _, err := canary.ReadMeta(t.TempDir()); !errors.Is(err, canary.ErrForeign) {
		t.Errorf("got %v, want ErrForeign", err)
	}
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, line := range all {
		if !json.Valid([]byte(line)) {
			t.Errorf("%s: no JSON: %s", path, line)
		}
	}
	return all
}

// BenchmarkRecorder records lines of the usual size, redacted.
func BenchmarkRecorder(b *testing.B) {
	r, err := canary.Create(filepath.Join(b.TempDir(), "r"), canary.Meta{}, canary.Options{})
	if err != nil {
		b.Fatal(err)
	}
	line := []byte(`{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":" and so on"}}` + "\n")
	b.SetBytes(int64(len(line)))
	for i := 0; b.Loop(); i++ {
		o := watchdog.Observation{N: i, At: instant(time.Duration(i)), Body: watchdog.Bytes{Stream: watchdog.StreamOut, Data: line}}
		if err := r.Observed(o); err != nil {
			b.Fatal(err)
		}
	}
}
