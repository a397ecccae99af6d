//go:build unix

package smoke_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/terminal"
)

// wide has room for any line that shows a delta.
var wide = terminal.Size{Cols: 1000, Rows: 30}

func testFakepi(t *testing.T, fakepi command) {
	t.Run("a script in real time", func(t *testing.T) {
		script := write(t, "0s prompt \"count\"\n+500ms says \"one two three four\" over 1500ms\n+0s settles\n")
		began := time.Now()
		p := fakepi.start(t, wide, nil, "script", "play", script)
		words := []string{"one", " two", " three", " four"}
		for _, word := range words {
			expect(t, p, `"delta":"`+word+`"`)
		}
		expect(t, p, `^{"type":"agent_settled"`)
		exits(t, p, 0)
		// The script has two seconds: less would not be real time, and more is the machine's affair.
		if took := time.Since(began); took < 2*time.Second {
			t.Errorf("a script of 2 s took %v", took)
		}
		if diff := cmp.Diff(words, deltas(t, p.Printed())); diff != "" {
			t.Errorf("deltas (-want +got):\n%s", diff)
		}
	})
	t.Run("interrupted in the middle", func(t *testing.T) {
		script := write(t, "0s prompt \"count\"\n+0s says \"one\"\n+1h says \"two\"\n+0s settles\n")
		p := fakepi.start(t, wide, nil, "script", "play", script)
		expect(t, p, `"delta":"one"`)
		resize(t, p, usual)
		send(t, p, "\x03")
		exits(t, p, 130)
		if diff := cmp.Diff([]string{"one"}, deltas(t, p.Printed())); diff != "" {
			t.Errorf("deltas (-want +got):\n%s", diff)
		}
	})
	t.Run("an interactive worker interrupted", func(t *testing.T) {
		script := write(t, "0s prompt \"count\"\n+0s stalls\n")
		p := fakepi.start(t, usual, nil, "script", "play", "--mode", "tui", script)
		expect(t, p, "Working")
		send(t, p, "\x03")
		exits(t, p, 130)
	})
	t.Run("the status of an interrupt is documented", func(t *testing.T) {
		if help, _, status := fakepi.pipe(t, "script", "play", "--help"); status != 0 || !strings.Contains(help, "130 interrupted") {
			t.Errorf("exit status %d, want 0 and help that tells what 130 is:\n%s", status, help)
		}
	})
}

func write(t *testing.T, script string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.txtar")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// deltas returns the text that a stream of events brings, in its order. Everything but the terminal's echo of control-C
// has to be an event.
func deltas(t *testing.T, stream string) []string {
	t.Helper()
	var texts []string
	for line := range strings.Lines(strings.TrimSuffix(stream, "^C")) {
		var event struct {
			Type                  string
			AssistantMessageEvent struct{ Type, Delta string }
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil || event.Type == "" {
			t.Errorf("no event (error %v): %q", err, line)
		}
		if event.AssistantMessageEvent.Type == "text_delta" {
			texts = append(texts, event.AssistantMessageEvent.Delta)
		}
	}
	return texts
}
