//go:build unix

package smoke_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"fakepi.example/internal/terminal"
)

// What piconform shows.
const (
	bar    = `^cases +\d+% \|.*\(\d+/\d+\)`
	passed = `^PASSED: \d+ pass`
	escape = "\x1b"
)

func testPiconform(t *testing.T, piconform command) {
	t.Run("the whole matrix", func(t *testing.T) {
		p := piconform.start(t, usual, nil, "run")
		expect(t, p, bar)
		resize(t, p, terminal.Size{Cols: 120, Rows: 50})
		expect(t, p, passed)
		exits(t, p, 0)
		if regexp.MustCompile("(?m)" + bar).MatchString(p.Screen()) {
			t.Errorf("the progress bar is still there:\n%s", p.Screen())
		}
		if !strings.Contains(p.Printed(), escape+"[32mPASSED") {
			t.Error("the summary has no color")
		}
	})
	t.Run("a narrow terminal", func(t *testing.T) {
		p := piconform.start(t, terminal.Size{Cols: 40, Rows: 60}, nil, "run", "--case", "ttft/*")
		expect(t, p, bar)
		exits(t, p, 0)
		if first, _, _ := strings.Cut(p.Screen(), "\n"); !strings.HasPrefix(first, "reference: suite") {
			t.Errorf("the progress bar left a trace:\n%s", p.Screen())
		}
	})
	t.Run("no colors", func(t *testing.T) {
		for _, env := range []string{"NO_COLOR=1", "TERM=dumb"} {
			p := piconform.start(t, usual, []string{env}, "run", "--case", "ttft/*")
			expect(t, p, passed)
			exits(t, p, 0)
			if strings.Contains(p.Printed(), escape+"[3") {
				t.Errorf("colors in spite of %s: %q", env, p.Printed())
			}
		}
	})
	t.Run("no case fits", func(t *testing.T) {
		p := piconform.start(t, usual, nil, "run", "--case", "nothing/*")
		expect(t, p, `^piconform: no cases: `)
		exits(t, p, 3)
		if strings.Contains(p.Printed(), "PASSED") {
			t.Errorf("a run without cases passed:\n%s", p.Screen())
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		p := piconform.start(t, usual, nil, "run")
		expect(t, p, bar)
		send(t, p, "\x03")
		expect(t, p, `^piconform: interrupted in [a-z]`)
		exits(t, p, 3)
	})
	t.Run("in a pipe", func(t *testing.T) {
		stdout, stderr, status := piconform.pipe(t, "run", "--case", "ttft/*")
		if status != 0 || !strings.Contains(stdout, "\nPASSED: ") {
			t.Errorf("exit status %d, want 0 and a summary:\n%s", status, stdout)
		}
		if strings.ContainsAny(stdout, escape+"\r") || stderr != "" {
			t.Errorf("not quiet: %q, stderr %q", stdout, stderr)
		}
	})
	t.Run("JSON in a pipe, progress on the terminal", func(t *testing.T) {
		var stdout bytes.Buffer
		cmd := exec.Command(string(piconform), "run", "--json", "--case", "ttft/*")
		cmd.Stdout = &stdout
		p := start(t, usual, cmd)
		expect(t, p, bar)
		exits(t, p, 0)
		var report struct {
			Counts map[string]int
		}
		if err := json.Unmarshal(stdout.Bytes(), &report); err != nil || report.Counts["pass"] == 0 {
			t.Errorf("no JSON report with passes (error %v) in %s", err, stdout.Bytes())
		}
		if p.Screen() != "" {
			t.Errorf("the terminal shows more than progress:\n%s", p.Screen())
		}
	})
}
