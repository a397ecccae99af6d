package observe_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/observe"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// recordings is where the recordings of the real Pi are.
const recordings = "../../../fakepi/native/testdata/recordings"

// TestVerdicts plays every table of testdata/verdicts.
func TestVerdicts(t *testing.T) {
	for _, path := range tables(t) {
		name := strings.TrimSuffix(strings.TrimPrefix(path, "testdata/verdicts/"), ".txt")
		t.Run(name, func(t *testing.T) {
			tab := readTable(t, path)
			for _, p := range tab.plays {
				got := observed(t, tab.file, p.options)
				if problems := compare(p.want, got); len(problems) > 0 {
					t.Errorf("play %s:\n%s\ngot:\n%s", p.args, strings.Join(problems, "\n"), list(got))
				}
			}
		})
	}
}

// TestEveryRecordingHasVerdicts keeps a new recording from passing unjudged.
func TestEveryRecordingHasVerdicts(t *testing.T) {
	known := map[string]bool{}
	for _, path := range tables(t) {
		known[readTable(t, path).file] = true
	}
	runs := 0
	err := filepath.WalkDir(recordings, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "events.rec.jsonl" {
			runs++
			if !known[path] {
				t.Errorf("%s has no table in testdata/verdicts", path)
			}
		}
		return err
	})
	if err != nil || runs == 0 {
		t.Errorf("%d recordings, %v", runs, err)
	}
}

func tables(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("testdata/verdicts/*/*/*.txt")
	if err != nil || len(found) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	return found
}

// observed plays a file to the reference engine.
func observed(t *testing.T, file string, opts observe.Options) []observe.Change {
	t.Helper()
	r, err := observe.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []observe.Change
	err = observe.Play(r, reference, opts, func(c observe.Change) error {
		got = append(got, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func reference(b watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(b) }

// compare says where a sequence of changes differs from the expected one.
func compare(want []change, got []observe.Change) []string {
	var problems []string
	for _, w := range want {
		switch {
		case len(got) == 0 && !w.optional:
			return append(problems, fmt.Sprintf("%s: want %s, got the end", w.where, w.text))
		case len(got) == 0, w.optional && got[0].Phase != w.phase:
			continue
		}
		problems = append(problems, w.differences(&got[0])...)
		if got[0].Phase != w.phase {
			return problems // all that follows would differ
		}
		got = got[1:]
	}
	for i := range got {
		problems = append(problems, "too many: "+text(&got[i]))
	}
	return problems
}

// differences says in what a change is not the expected one.
func (w *change) differences(got *observe.Change) []string {
	var out []string
	differ := func(what string, got, want any) {
		out = append(out, fmt.Sprintf("%s: %s %v, want %v (%s)", w.where, what, got, want, w.text))
	}
	if got.Phase != w.phase || got.Status != w.status {
		differ("verdict", fmt.Sprint(got.Phase, " ", got.Status), fmt.Sprint(w.phase, " ", w.status))
	}
	if !w.at.is(got.Time) {
		differ("t_ms", got.Time, w.at)
	}
	if w.since != nil && !w.since.is(got.Since) {
		differ("since_ms", got.Since, *w.since)
	}
	if w.next != nil && (got.NextCheck == nil || !w.next.is(*got.NextCheck)) {
		differ("next_check_ms", got.NextCheck, *w.next)
	}
	if w.never && got.NextCheck != nil {
		differ("next_check_ms", *got.NextCheck, "never")
	}
	if !slices.Equal(sorted(got.Flags), sorted(w.flags)) {
		differ("flags", got.Flags, w.flags)
	}
	values := map[string]string{
		"limit": string(got.Cause.Limit), "cause": string(got.Cause.Phase), "lines": numbers(got.Evidence),
		"calls": strings.Join(got.Detail.Calls, ","), "dialog": got.Detail.Dialog, "reason": got.Detail.Reason,
	}
	for _, key := range []string{"limit", "cause", "lines", "calls", "dialog", "reason"} {
		value, given := w.keys[key]
		if must := key == "calls" || key == "dialog" || key == "reason"; (given || must) && values[key] != value {
			differ(key, values[key], value)
		}
	}
	return out
}

// is reports whether a time in milliseconds is this moment.
func (m moment) is(ms float64) bool {
	return (millis(ms) - m.at).Abs() <= max(m.tolerance, time.Microsecond)
}

func (m moment) String() string {
	return fmt.Sprintf("%g±%s", float64(m.at)/float64(time.Millisecond), m.tolerance)
}

func sorted(flags []watchdog.Flag) []watchdog.Flag { return slices.Sorted(slices.Values(flags)) }

func numbers(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

func list(changes []observe.Change) string {
	var b strings.Builder
	for i := range changes {
		fmt.Fprintf(&b, "  %s\n", text(&changes[i]))
	}
	return b.String()
}

func text(c *observe.Change) string {
	return fmt.Sprintf("%g %s %s %s/%s since=%g lines=%s calls=%s dialog=%s reason=%s %v", c.Time, c.Phase, c.Status, c.Cause.Phase,
		c.Cause.Limit, c.Since, numbers(c.Evidence), strings.Join(c.Detail.Calls, ","), c.Detail.Dialog, c.Detail.Reason, c.Flags)
}
