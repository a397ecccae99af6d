package observe_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/fakepi/native/recording"
	"fakepi.example/internal/watchdog/observe"
	"fakepi.example/watchdog"
)

// stall is a worker in json mode whose model says "a" and then nothing.
const stall = `{"t_ms":100,"dir":"out","line":"{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-03-01T12:00:00.000Z\",\"cwd\":\"/w\"}"}
{"t_ms":110,"dir":"out","line":"{\"type\":\"agent_start\"}"}
{"t_ms":120,"dir":"out","line":"{\"type\":\"turn_start\"}"}
{"t_ms":200,"dir":"out","line":"{\"type\":\"message_update\",\"usage\":{},\"assistantMessageEvent\":{\"type\":\"text_delta\",\"contentIndex\":0,\"delta\":\"a\"}}"}
`

// write writes the files of a run and returns the path of its recording.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, recording.EventsFile)
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name   string
		files  map[string]string
		want   error
		at     string // file:line:column that the error names
		remedy string
		reason string
	}{
		{"missing", nil, fs.ErrNotExist, "events.rec.jsonl", "", "the path is the remedy"},
		{"empty", map[string]string{"events.rec.jsonl": ""}, observe.ErrFormat, "events.rec.jsonl:1:1", "give events.rec.jsonl", "nothing shows what it was"},
		{"text", map[string]string{"events.rec.jsonl": "hello\nworld\n"}, observe.ErrFormat, "events.rec.jsonl:1:1", "a session file", "no line is Pi's"},
		{"other JSON", map[string]string{"events.rec.jsonl": `{"t_ms":1,"ev":"step"}` + "\n"}, observe.ErrFormat, "events.rec.jsonl:1:1", "a session file", "a model's log has times too"},
		{"colors", map[string]string{"events.rec.jsonl": "\x1b[31mred\x1b[0m\n"}, observe.ErrFormat, "events.rec.jsonl:1:1", "a session file", "a terminal's bytes start with more"},
		{
			"damaged first line",
			map[string]string{"events.rec.jsonl": `{"t_ms":1,"dir":"out","li` + "\n" + stall},
			recording.ErrFormat, "events.rec.jsonl:1:", "want {", "the rest shows what it is",
		},
		{
			"damaged line in the middle",
			map[string]string{"events.rec.jsonl": strings.Replace(stall, `"dir":"out","line":"{\"type\":\"turn`, `"dir":"out","line" "{\"type\":\"turn`, 1)},
			recording.ErrFormat, "events.rec.jsonl:3:32", "want {", "the column of the missing colon",
		},
		{
			"unknown dir", map[string]string{"events.rec.jsonl": stall + `{"t_ms":1,"dir":"up","line":""}` + "\n"},
			recording.ErrFormat, "events.rec.jsonl:5:1", "want {", "a word of another format",
		},
		{
			"NaN", map[string]string{"events.rec.jsonl": stall + `{"t_ms":NaN,"dir":"out","line":""}` + "\n"},
			recording.ErrFormat, "events.rec.jsonl:5:9", "want {", "no number of JSON",
		},
		{
			"far ahead", map[string]string{"events.rec.jsonl": stall + `{"t_ms":1e300,"dir":"out","line":""}` + "\n"},
			recording.ErrFormat, "events.rec.jsonl:5:1", "mend the time", "no run takes centuries",
		},
		{
			"eof of nothing", map[string]string{"events.rec.jsonl": stall + `{"t_ms":300,"dir":"eof","line":"all"}` + "\n"},
			recording.ErrFormat, "events.rec.jsonl:5:1", "want out, err or in", "only these streams end",
		},
		{
			"damaged meta", map[string]string{"events.rec.jsonl": stall, "meta.json": "{\n \"mode\": \"json\",\n \"exit_code\": zero\n}\n"},
			recording.ErrFormat, "meta.json:3:", "remove the file", "the run can be played without it",
		},
		{
			"unknown mode", map[string]string{"events.rec.jsonl": stall, "meta.json": `{"mode":"gui"}`},
			recording.ErrFormat, "meta.json:1:1", "want rpc, json, print or tui", "a mode decides what is expected",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := observe.Open(write(t, test.files))
			if !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v (%s)", err, test.want, test.reason)
			}
			if !strings.Contains(err.Error(), test.at) || !strings.Contains(err.Error(), test.remedy) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %q, want one line with %q and %q (%s)", err, test.at, test.remedy, test.reason)
			}
		})
	}
}

func TestOpenRefusesDirectory(t *testing.T) {
	dir := t.TempDir()
	_, err := observe.Open(dir)
	if want := filepath.Join(dir, recording.EventsFile); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error that names %s", err, want)
	}
}

// TestHostileLines plays what no worker prints, after the stall has begun: none of it is progress, so that the verdict
// of the stall comes at its time.
func TestHostileLines(t *testing.T) {
	limit, want := 60*time.Second, []string{"100 starting ok", "110 awaiting_first_token ok", "200 streaming ok", "60200 stalled_stream suspected", "120200 stalled_stream confirmed"}
	tests := []struct{ name, lines string }{
		{"nothing", ""},
		{"20 MiB in one line", out(300, strings.Repeat("x", 20<<20))},
		{"20 MiB of an update that is cut", out(300, `{\"type\":\"message_update\",\"x\":\"`+strings.Repeat("y", 20<<20))},
		{"deep nesting", out(300, strings.Repeat("[", 1<<20))},
		{"deep nesting in a record", out(300, `{\"type\":\"novel\",\"x\":`+strings.Repeat("[", 1<<20))},
		{"NUL bytes", out(300, `\u0000\u0000{}\u0000`)},
		{"invalid UTF-8", out(300, `\udcff\udcfe{\"type\":\"message_update\"}`)},
		{"invalid UTF-8 in the file", out(300, "\xff\xfe\x80")},
		{"U+2028", out(300, "\u2028{\\\"type\\\":\\\"agent_settled\\\"}")},
		{"time runs back", out(5, "x") + out(-1e300, "x") + out(300, "x")},
		{"answers", out(300, `{\"type\":\"response\",\"command\":\"get_state\",\"success\":true}`)},
		{"unknown events", out(300, `{\"type\":\"novel\",\"delta\":\"progress\"}`)},
		{"stderr", `{"t_ms":300,"dir":"err","line":"{\"type\":\"agent_settled\"}"}` + "\n"},
		{"a torn last line", `{"t_ms":300,"dir":"out","line":"{\"type\":\"agent_en`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			opts := observe.Options{Policy: watchdog.DefaultPolicy(), Until: 3 * time.Minute}
			opts.Policy.StreamGap = limit
			var got []string
			for _, c := range observed(t, write(t, map[string]string{"events.rec.jsonl": stall + test.lines}), opts) {
				got = append(got, strings.Join(strings.Fields(text(&c))[:3], " "))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// out is a line of a recording; text is spelled as in a JSON string.
func out(ms float64, text string) string {
	return fmt.Sprintf("{\"t_ms\":%g,\"dir\":\"out\",\"line\":\"%s\"}\n", ms, text)
}
