package repository_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/internal/watchdog/mutants"
	"fakepi.example/scenarios"
)

// untwinned lists the scenarios that may stand without a twin, each with its reason, "ID reason" a line.
const untwinned = "testdata/untwinned.txt"

// TestEveryMustIsTested fails where a core or explain MUST has no scenario, or only scenarios without a twin. The MUSTs
// that no mutant breaks are printed.
func TestEveryMustIsTested(t *testing.T) {
	set, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range musts(set) {
		tested, twinned := 0, 0
		for _, s := range all {
			if slices.Contains(s.Requires, r.ID) {
				tested++
				if s.Twin != nil {
					twinned++
				}
			}
		}
		switch {
		case tested == 0 && r.ID == harnessMeasures:
		case tested == 0:
			t.Errorf("no scenario tests %s: %s", r.ID, r.Text)
		case twinned == 0:
			t.Errorf("%s is tested by %d scenarios, none of which has a twin", r.ID, tested)
		}
		if !slices.ContainsFunc(mutants.All(), func(m mutants.Mutant) bool { return m.Requirement == r.ID }) {
			t.Logf("no mutant breaks %s", r.ID)
		}
	}
}

// TestRequirementsExist fails for a scenario that requires what the set does not have.
func TestRequirementsExist(t *testing.T) {
	set, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		for _, id := range s.Requires {
			if _, ok := set.Lookup(id); !ok {
				t.Errorf("%s requires %s, which is no requirement of the set", s.ID, id)
			}
		}
	}
}

// harnessMeasures is tested by a case of the suite's own instead of a scenario: it measures memory.
const harnessMeasures = "WDC-SAFE-001"

func musts(set *requirements.Set) []requirements.Requirement {
	var list []requirements.Requirement
	for _, profile := range []requirements.Profile{requirements.Core, requirements.Explain} {
		for _, r := range set.ByProfile(profile) {
			if r.Level == requirements.Must {
				list = append(list, r)
			}
		}
	}
	return list
}

// TestUntwinned compares the scenarios without a twin with the list of those that may be; a stale line fails too.
func TestUntwinned(t *testing.T) {
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, s := range all {
		if s.Twin == nil {
			got = append(got, s.ID+" "+s.NoTwin)
		}
	}
	text, err := os.ReadFile(untwinned)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			want = append(want, line)
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scenarios without a twin, against %s (-listed +found):\n%s", untwinned, diff)
	}
}
