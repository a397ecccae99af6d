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
	"fakepi.example/fakepi/native/grammar"
	"fakepi.example/fakepi/native/recording"
)

const testdata = "../testdata/recordings"

// TestRecordingsObeyTheGrammar runs every recording of Pi 1.6 through the checker; with
// FAKEPI_RECORDINGS also those of a folder of one's own.
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
		var checked, open int
		for _, run := range runs {
			if !strings.HasPrefix(run.Meta.PiVersion, "1.6.") || run.Meta.Mode != "json" && run.Meta.Mode != "rpc" {
				continue
			}
			checked++
			finished, err := check(run)
			if err != nil {
				t.Errorf("%s: %v", run.Dir, err)
			}
			if !finished {
				open++
			}
		}
		t.Logf("%s: %d recordings, %d of them cut off", root, checked, open)
		if checked == 0 {
			t.Errorf("no recording of Pi 1.6 below %s", root)
		}
	}
}

// check runs a recording through the grammar; finished is whether Pi ended by itself,
// with all work done.
func check(run recording.Run) (finished bool, err error) {
	events, err := run.Events()
	if err != nil {
		return false, err
	}
	c := grammar.New(run.Meta.Mode)
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

// stdout returns the stdout of a run in testdata.
func stdout(t *testing.T, name string) (mode string, lines []native.Skimmed) {
	t.Helper()
	events, err := recording.ReadFile(filepath.Join(testdata, "1.6.0", name, recording.EventsFile))
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
	mode, _, _ = strings.Cut(name, "/")
	return mode, lines
}

func verdict(mode string, lines []native.Skimmed) error {
	c := grammar.New(mode)
	for i := range lines {
		if err := c.Observe(&lines[i]); err != nil {
			return err
		}
	}
	return c.End(true)
}

var samples = []string{
	"json/05-tool-bash", "json/07-parallel-tools", "json/16e-compact-auto-threshold", "json/15c-anthropic-text",
	"json/10c-retry-529-exhausted", "rpc/10a-retry-429-ok", "rpc/13b-abort-midtool", "rpc/14a-steer-midstream",
	"rpc/16f-compact-overflow", "rpc/16a-compact-manual",
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
		{"dropped", func(l []native.Skimmed, i int) []native.Skimmed { return slices.Delete(l, i, i+1) }, nil},
		{"doubled", func(l []native.Skimmed, i int) []native.Skimmed { return slices.Insert(l, i, l[i]) }, nil},
		{"swapped with the next", swap, parallel},
	}
	for _, name := range samples {
		mode, lines := stdout(t, name)
		if err := verdict(mode, lines); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, m := range mutations {
			t.Run(name+" "+m.name, func(t *testing.T) {
				for i := range lines {
					if !structural(lines[i]) || m.spare != nil && m.spare(lines, i) {
						continue
					}
					err := verdict(mode, m.mutate(slices.Clone(lines), i))
					if _, ok := errors.AsType[*grammar.Violation](err); !ok {
						t.Errorf("line %d, %s %s %d: got %v, want a violation", i+1, lines[i].Kind, lines[i].Delta, lines[i].Role, err)
					}
				}
			})
		}
	}
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
