//go:build unix

package smoke_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// testSupervised lets each Pi, fake and real, live through its story in a terminal under piwatch run: a person must not
// notice it.
func testSupervised(t *testing.T, fakepi, piwatch command) {
	for _, s := range append(fakes(fakepi), reals(fakepi)...) {
		t.Run(s.name, func(t *testing.T) {
			under := supervised(s, t.TempDir(), piwatch, "run")
			t.Run("a conversation", func(t *testing.T) { interact(t, under) })
			t.Run("resume", func(t *testing.T) { resume(t, under) })
			t.Run("a canary run", func(t *testing.T) {
				dir := t.TempDir()
				interact(t, supervised(s, dir, piwatch, "canary"))
				recorded(t, dir)
			})
		})
	}
}

// supervised is a subject that piwatch runs, by its command run or canary.
func supervised(s *subject, dir string, piwatch command, by string) *subject {
	under := *s
	under.prepare = func(t *testing.T, script string) worker {
		w := s.prepare(t, script)
		run := w.run
		w.run = func(args ...string) *exec.Cmd {
			cmd := run(args...)
			return exec.Command(string(piwatch), append([]string{by, "--dir", dir, "--", cmd.Path}, cmd.Args[1:]...)...)
		}
		return w
	}
	return &under
}

// sequences are what a terminal does not show.
var sequences = regexp.MustCompile(`\x1b(\[[0-9;:<=>?]*[ -/]*[@-~]|\][^\x07]*\x07|[ -/]*[0-~])`)

// recorded checks the recordings of canary runs: what was drawn is there, and nobody can read it; verdicts and the end are there,
// and the folder with the contents is not.
func recorded(t *testing.T, dir string) {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(dir, "recordings", "*"))
	if err != nil || len(runs) == 0 {
		t.Fatal("no recording", err)
	}
	for _, run := range runs {
		cast, err := os.ReadFile(filepath.Join(run, "terminal.cast"))
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		for line := range strings.Lines(string(cast)) {
			var event []any
			if json.Unmarshal([]byte(line), &event) != nil || len(event) != 3 {
				continue // the header
			}
			text := sequences.ReplaceAllString(event[2].(string), "")
			shown += strings.Count(text, "x")
			if letters := strings.Map(func(c rune) rune {
				if c < 0x80 && c > ' ' && c != 'x' && c != 0x7f {
					return c
				}
				return -1
			}, text); letters != "" {
				t.Errorf("%s shows %q, in %q", run, letters, line)
			}
		}
		if shown < 100 {
			t.Errorf("%s shows %d signs only", run, shown)
		}
		meta, err := os.ReadFile(filepath.Join(run, "meta.json"))
		if err != nil || !strings.Contains(string(meta), `"complete": true`) {
			t.Errorf("%s is not complete: %s, %v", run, meta, err)
		}
		if verdicts, err := os.ReadFile(filepath.Join(run, "verdicts.jsonl")); err != nil || len(verdicts) == 0 {
			t.Errorf("%s has no verdicts (error %v)", run, err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(dir, "workers")); err != nil || len(left) > 0 {
		t.Errorf("the folders of the workers are still there: %v, %v", left, err)
	}
}
