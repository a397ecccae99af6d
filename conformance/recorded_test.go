package conformance_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/native"
	"fakepi.example/scenarios"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	// recorded is the golden file of histories: a line a case, with the beginnings of its digests in each dialect.
	recorded = "testdata/histories.golden"
	// recordedHistories is how many histories of a case the digests are of.
	recordedHistories = 4
	digestLen         = 16
)

// compareRecorded compares what the reference did in every case with what it did when that was recorded: all that it was
// shown, told, commanded and stored, and what came of that. One seed is one digest on every machine, and a change of the
// reference that no assertion minds is seen here. The results are those of the dialects, in their order.
func compareRecorded(t *testing.T, results []*conformance.Result) {
	t.Helper()
	got := digestLines(results)
	if *update {
		if err := os.WriteFile(recorded, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	was := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		was[fields[0]] = fields
	}
	for _, line := range got {
		now := strings.Fields(line)
		then := was[now[0]]
		delete(was, now[0])
		for i, d := range scenarios.Dialects() {
			if then == nil {
				t.Errorf("%s is not recorded; see -update", now[0])
				break
			}
			if len(then) != len(now) || now[i+1] != then[i+1] {
				t.Errorf("%s has other histories in %s than recorded; if that is meant: go test ./conformance -run TestMatrix -update\n\tpiconform replay '%s'",
					now[0], d, conformance.Token{Suite: conformance.Version, Case: now[0], Dialect: native.Dialect(d)})
			}
		}
	}
	for id := range was {
		t.Errorf("%s is recorded, and is no case any more; see -update", id)
	}
}

// digestLines are the lines of the golden file; a case that a dialect cannot show has a "-" there.
func digestLines(results []*conformance.Result) []string {
	var lines []string
	for i, c := range results[0].Cases {
		line, seen := c.ID, false
		for _, r := range results {
			digest := "-"
			if d := r.Cases[i].Digest; d != "" {
				digest, seen = d[:digestLen], true
			}
			line += " " + digest
		}
		if seen {
			lines = append(lines, line)
		}
	}
	return lines
}
