package grammar_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/grammar"
	"fakepi.example/internal/fakepi/native/recording"
)

const testdata = "../../../../fakepi/native/testdata/recordings"

// grammars are the dialects and the versions of Pi whose recordings prove them.
var grammars = []struct {
	version string // prefix of pi_version
	begin   func(mode string) *grammar.Checker
}{
	{"0.73.", grammar.Pi073},
	{"1.6.", grammar.Pi16},
}

// TestRecordingsObeyTheGrammar runs every recording of a known dialect through its
// checker; with FAKEPI_RECORDINGS also those of a folder of one's own.
func TestRecordingsObeyTheGrammar(t *testing.T) {
	roots := []string{testdata}
	if dir := os.Getenv("FAKEPI_RECORDINGS"); dir != "" {
		roots = append(roots, dir)
	}
	for _, root := range roots {
		runs, err := recording.Find(root)
		if err != nil {
			t.Fatal(err)
		}
		all := 0
		for _, g := range grammars {
			var checked, open int
			for _, run := range runs {
				if !strings.HasPrefix(run.Meta.PiVersion, g.version) || run.Meta.Mode != "json" && run.Meta.Mode != "rpc" {
					continue
				}
				checked++
				finished, err := check(g.begin(run.Meta.Mode), run)
				if err != nil {
					t.Errorf("%s: %v", run.Dir, err)
				}
				if !finished {
					open++
				}
			}
			t.Logf("%s: %d recordings of %sx, %d of them cut off", root, checked, g.version, open)
			if all += checked; root == testdata && checked == 0 {
				t.Errorf("no recording of Pi %sx below %s", g.version, root)
			}
		}
		if all == 0 {
			t.Errorf("no recording of a known dialect below %s", root)
		}
	}
}

// check runs a recording through the grammar; finished is whether Pi ended by itself,
// with all work done.
func check(c *grammar.Checker, run recording.Run) (finished bool, err error) {
	events, err := run.Events()
	if err != nil {
		return false, err
	}
	finished = run.Meta.Signal == "" && run.Meta.ExitCode == 0
	closed := false // stdin of rpc mode: that aborts the run
	for _, e := range events {
		if e.Dir == recording.EOF && string(e.Line) == "in" && run.Meta.Mode == "rpc" {
			closed = true
			finished = finished && c.Idle()
		}
		if e.Dir != recording.Out {
			continue
		}
		finished = finished && !closed
		var s native.Skimmed
		native.Skim(e.Line, &s)
		if err := c.Observe(&s); err != nil {
			return finished, fmt.Errorf("%s line %d: %w", recording.EventsFile, e.N, err)
		}
	}
	return finished, c.End(finished)
}

// stdout returns the stdout of a run in testdata; name is version, mode and scenario.
func stdout(t *testing.T, name string) (lines []native.Skimmed) {
	t.Helper()
	events, err := recording.ReadFile(filepath.Join(testdata, name, recording.EventsFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Dir == recording.Out {
			var s native.Skimmed
			native.Skim(e.Line, &s)
			lines = append(lines, s)
		}
	}
	return lines
}

func verdict(name string, lines []native.Skimmed) error {
	version, rest, _ := strings.Cut(name, "/")
	mode, _, _ := strings.Cut(rest, "/")
	for _, g := range grammars {
		if strings.HasPrefix(version, g.version) {
			return walk(g.begin(mode), lines)
		}
	}
	return fmt.Errorf("no grammar of %s", version)
}

func walk(c *grammar.Checker, lines []native.Skimmed) error {
	for i := range lines {
		if err := c.Observe(&lines[i]); err != nil {
			return err
		}
	}
	return c.End(true)
}

var samples = []string{
	"1.6.0/json/05-tool-bash", "1.6.0/json/07-parallel-tools", "1.6.0/json/16e-compact-auto-threshold", "1.6.0/json/15c-anthropic-text",
	"1.6.0/json/10c-retry-529-exhausted", "1.6.0/rpc/10a-retry-429-ok", "1.6.0/rpc/13b-abort-midtool", "1.6.0/rpc/14a-steer-midstream",
	"1.6.0/rpc/16f-compact-overflow", "1.6.0/rpc/16a-compact-manual",
	"0.73.1/json/05-tool-bash", "0.73.1/json/07-parallel-tools", "0.73.1/json/16e-compact-auto-threshold", "0.73.1/json/15c-anthropic-text",
	"0.73.1/json/10a-retry-429-ok", "0.73.1/json/17a-args-truncated-json", "0.73.1/rpc/10c-retry-529-exhausted",
	"0.73.1/rpc/13b-abort-midtool", "0.73.1/rpc/14a-steer-midstream", "0.73.1/rpc/16f-compact-overflow", "0.73.1/rpc/16a-compact-manual",
}

// structural reports whether a record bears the order of the stream; free records, output
// of tools and pieces of text may come any number of times.
func structural(s native.Skimmed) bool {
	switch s.Kind {
	case native.KindQueueUpdate, native.KindResponse, native.KindUIRequest, native.KindToolUpdate:
		return false
	case native.KindMessageUpdate:
		return s.Delta == native.DeltaTextStart || s.Delta == native.DeltaTextEnd ||
			s.Delta == native.DeltaToolCallStart || s.Delta == native.DeltaToolCallEnd
	}
	return true
}

func TestMutilatedStreamsAreRejected(t *testing.T) {
	mutations := []struct {
		name   string
		mutate func(lines []native.Skimmed, i int) []native.Skimmed
		spare  func(lines []native.Skimmed, i int) bool // equal to an allowed stream
	}{
		{"dropped", func(l []native.Skimmed, i int) []native.Skimmed { return slices.Delete(l, i, i+1) }, dispensable},
		{"doubled", func(l []native.Skimmed, i int) []native.Skimmed { return slices.Insert(l, i, l[i]) }, repeatable},
		{"swapped with the next", swap, parallel},
	}
	for _, name := range samples {
		lines := stdout(t, name)
		if err := verdict(name, lines); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, m := range mutations {
			t.Run(name+" "+m.name, func(t *testing.T) {
				for i := range lines {
					if !structural(lines[i]) || m.spare != nil && m.spare(lines, i) {
						continue
					}
					err := verdict(name, m.mutate(slices.Clone(lines), i))
					if _, ok := errors.AsType[*grammar.Violation](err); !ok {
						t.Errorf("line %d, %s %s %d: got %v, want a violation", i+1, lines[i].Kind, lines[i].Delta, lines[i].Role, err)
					}
				}
			})
		}
	}
}

// dispensable reports what pi-0.73 may leave out: the end of a run that the command compact
// drops, and a compaction that json mode begins last.
func dispensable(l []native.Skimmed, i int) bool {
	if i+1 == len(l) {
		return l[i].Kind == native.KindCompactionStart
	}
	next := l[i+1]
	return l[i].Kind == native.KindAgentEnd && next.Kind == native.KindCompactionStart && string(next.Reason) == "manual"
}

// repeatable reports what pi-1.6 tells twice of two commands compact in one write, though it ends once. In pi-0.73 a second
// start wants an end of its own.
func repeatable(l []native.Skimmed, i int) bool {
	return l[i].Kind == native.KindCompactionStart && string(l[i].Reason) == "manual" && settles(l)
}

// settles reports whether the lines are those of pi-1.6.
func settles(l []native.Skimmed) bool {
	return slices.ContainsFunc(l, func(s native.Skimmed) bool { return s.Kind == native.KindAgentSettled })
}

func swap(l []native.Skimmed, i int) []native.Skimmed {
	l[i], l[i+1] = l[i+1], l[i]
	return l
}

// parallel reports pairs that may come in either order: of two calls or two blocks, and
// the last line, which has no next one.
func parallel(l []native.Skimmed, i int) bool {
	if i+1 == len(l) || !structural(l[i+1]) {
		return true
	}
	a, b := l[i], l[i+1]
	isTool := func(k native.Kind) bool { return k == native.KindToolStart || k == native.KindToolEnd }
	switch {
	case isTool(a.Kind) && isTool(b.Kind):
		return string(a.ToolCallID) != string(b.ToolCallID)
	case a.Kind == native.KindMessageUpdate && b.Kind == native.KindMessageUpdate:
		return a.ContentIndex != b.ContentIndex
	}
	return false
}
