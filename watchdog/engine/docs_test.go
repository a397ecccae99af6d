package engine_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/run"
	"fakepi.example/watchdog"
)

// TestDocsTable compares the phase table of the page with the engine's, row by row, and its limits with those of the page
// about the policy.
func TestDocsTable(t *testing.T) {
	defaults := map[string]string{}
	for _, row := range rows(t, "policy.md", "Limits") {
		defaults[row[0]] = row[len(row)-1]
	}
	var phases []run.Row
	for _, row := range rows(t, "verdicts.md", "Phases") {
		if len(row) != 5 {
			t.Fatalf("row %q has %d cells, want 5", row[0], len(row))
		}
		limit := word(row[2])
		phases = append(phases, run.Row{
			Name: watchdog.VerdictName(word(row[0])), Past: watchdog.VerdictName(word(row[1])), Limit: watchdog.Limit(limit),
		})
		if limit != "" && row[3] != defaults["`"+limit+"`"] {
			t.Errorf("%s: the default of %s is %q here, and %q in policy.md", row[0], limit, row[3], defaults["`"+limit+"`"])
		}
	}
	if diff := cmp.Diff(run.Rows(), phases); diff != "" {
		t.Errorf("rows of the page (-engine +page):\n%s", diff)
	}
}

// TestDocsNames looks for every verdict, status and flag on the page.
func TestDocsNames(t *testing.T) {
	text := read(t, "verdicts.md")
	var names []string
	for _, n := range watchdog.VerdictNames() {
		names = append(names, string(n))
	}
	for _, s := range []watchdog.Status{watchdog.StatusOK, watchdog.StatusSuspected, watchdog.StatusConfirmed} {
		names = append(names, string(s))
	}
	for _, f := range []watchdog.Flag{watchdog.FlagExited, watchdog.FlagDirty, watchdog.FlagAmbiguous} {
		names = append(names, string(f))
	}
	for _, name := range names {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("the page does not mention %s", name)
		}
	}
}

// rows returns the cells of each row of the table in a section of a page.
func rows(t *testing.T, page, section string) [][]string {
	t.Helper()
	_, text, ok := strings.Cut(read(t, page), "\n## "+section+"\n")
	if !ok {
		t.Fatalf("%s has no section %s", page, section)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	var rows [][]string
	for _, line := range regexp.MustCompile("(?m)^\\| (`.*) \\|$").FindAllStringSubmatch(text, -1) {
		row := strings.Split(line[1], "|")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		rows = append(rows, row)
	}
	return rows
}

// word returns the name that a cell holds, or "" for one that says something about it.
func word(cell string) string {
	if name := strings.Trim(cell, "`"); cell == "`"+name+"`" && !strings.Contains(name, "`") {
		return name
	}
	return ""
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
