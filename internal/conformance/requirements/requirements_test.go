package requirements_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/conformance/requirements"
)

var update = flag.Bool("update", false, "add the ids that are new to the golden file; it never removes one")

func load(t *testing.T) *requirements.Set {
	t.Helper()
	set, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestCounts pins how many requirements each area and profile has.
func TestCounts(t *testing.T) {
	set := load(t)
	want := map[string]int{
		"OBS": 8, "LIFE": 6, "TTFT": 4, "STALL": 5, "WAIT": 7, "TOOL": 7, "PAUSE": 5, "LOOP": 4, "DEAD": 4, "ACT": 8,
		"EVID": 7, "WORK": 8, "SIDE": 5, "GATE": 7, "BUDG": 6, "REST": 6, "RACE": 2, "QUEUE": 3, "FENCE": 4, "FLEET": 5,
		"ALERT": 4, "CLOCK": 2, "EXPL": 2, "SAFE": 5, "RT": 3,
	}
	got := map[string]int{}
	for _, r := range set.All() {
		got[r.Area]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requirements an area (-want +got):\n%s", diff)
	}
	profiles := map[requirements.Profile]int{"C": 52, "E": 2, "R": 51, "D": 14, "G": 8, "F": 5, "T": 3}
	count := map[requirements.Profile]int{}
	for _, p := range requirements.Profiles() {
		count[p] = len(set.ByProfile(p))
	}
	if diff := cmp.Diff(profiles, count); diff != "" {
		t.Errorf("requirements a profile (-want +got):\n%s", diff)
	}
}

// TestIDsStay compares the set with every id that was ever given out: none may vanish without being retired, change its
// level or profile, or come back. New ones are added with -update.
func TestIDsStay(t *testing.T) {
	const file = "testdata/ids.golden"
	given, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set := load(t)
	current := map[string]string{}
	for _, r := range set.All() {
		current[r.ID] = line(r)
	}
	retired := map[string]bool{}
	for _, r := range set.Retired {
		retired[r.ID] = true
	}
	for l := range strings.Lines(string(given)) {
		l = strings.TrimSuffix(l, "\n")
		id, _, _ := strings.Cut(l, " ")
		switch got, ok := current[id]; {
		case !ok && !retired[id]:
			t.Errorf("%s is gone; an id that is dropped moves to retired", id)
		case ok && got != l:
			t.Errorf("%s was %q and is %q; retire it and give the new one a new id", id, l, got)
		}
		delete(current, id)
	}
	for _, r := range set.All() {
		if l, isNew := current[r.ID]; isNew && *update {
			given = append(given, l+"\n"...)
		} else if isNew {
			t.Errorf("%s is not in %s; add it with -update once it is final", r.ID, file)
		}
	}
	if *update {
		if err := os.WriteFile(file, given, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func line(r requirements.Requirement) string {
	text := fmt.Sprintf("%s %s %s", r.ID, r.Profile, r.Level)
	for _, p := range r.Also {
		text += fmt.Sprintf(" %s %s", p.Profile, p.Level)
	}
	return text
}

func TestLookup(t *testing.T) {
	set := load(t)
	r, ok := set.Lookup("WDC-LIFE-001")
	if !ok || r.Area != "LIFE" || r.Profile != requirements.Core || r.Level != requirements.Must {
		t.Fatalf("Lookup gives %+v, %v; want a core MUST of LIFE", r, ok)
	}
	want := "A watchdog MUST report `never_started` within `startup`, apart from a stall."
	if r.Sentence() != want {
		t.Errorf("sentence %q, want %q", r.Sentence(), want)
	}
	part, ok := r.In(requirements.Recovery)
	if want := "A watchdog MUST give a worker that never started its own budget."; !ok || part.Sentence() != want {
		t.Errorf("as profile R sees it: %q, want %q", part.Sentence(), want)
	}
	if _, ok := r.In(requirements.Gated); ok {
		t.Error("profile G asks for WDC-LIFE-001, want nothing")
	}
	if _, ok := set.Lookup("WDC-LIFE-999"); ok {
		t.Error("Lookup finds an id that nobody gave out")
	}
}

func TestParseRefuses(t *testing.T) {
	const head = `version: 1
profiles: {C: {name: c}, R: {name: r}, D: {name: d}, G: {name: g}, F: {name: f}, E: {name: e}, T: {name: t}}
sources: {field: reports}
changelog: [{version: 1, changes: [first]}]
retired: [{id: WDC-A-003, version: 1, reason: doubled}]
areas: [{area: A, title: a, requirements: [%s]}]
`
	one := func(id, more string) string {
		return fmt.Sprintf(`{id: %s, profile: C, level: MUST, text: "be.", source: field%s}`, id, more)
	}
	for _, row := range []struct{ src, want, reason string }{
		{fmt.Sprintf(head, one("WDC-A-001", ", colour: red")), `requirements.yaml:6:`, "an unknown field has a place"},
		{fmt.Sprintf(strings.Replace(head, "version: 1", "version: 2", 1), ""), "version 2 is not the last of the changelog", "an untold change"},
		{fmt.Sprintf(strings.Replace(head, "G: {name: g}, ", "", 1), ""), "profile G is not described", "a profile without a name"},
		{fmt.Sprintf(head, one("WDC-A-001", "")+","+one("WDC-A-001", "")), "WDC-A-001: the id is taken", "an id twice"},
		{fmt.Sprintf(head, one("WDC-A-003", "")), "WDC-A-003: the id is taken", "a retired id comes back"},
		{fmt.Sprintf(head, one("WDC-A-002", "")+","+one("WDC-A-001", "")), "add requirements at the end", "out of order"},
		{fmt.Sprintf(head, one("WDC-B-001", "")), "form WDC-A-NNN", "the id of another area"},
		{fmt.Sprintf(head, one("WDC-A-1", "")), "form WDC-A-NNN", "a short id"},
		{fmt.Sprintf(head, strings.Replace(one("WDC-A-001", ""), "field", "hearsay", 1)), `source "hearsay"`, "an unknown source"},
		{fmt.Sprintf(head, strings.Replace(one("WDC-A-001", ""), "profile: C", "profile: X", 1)), `unknown profile "X"`, "an unknown profile"},
		{fmt.Sprintf(head, strings.Replace(one("WDC-A-001", ""), "MUST", "MAY", 1)), `unknown level "MAY"`, "an unknown level"},
		{fmt.Sprintf(head, strings.Replace(one("WDC-A-001", ""), "be.", "be", 1)), "full stop", "half a sentence"},
		{fmt.Sprintf(head, one("WDC-A-001", `, also: [{profile: C, level: MUST, text: "be."}]`)), "two parts for profile C", "a profile twice"},
		{"version: [", "requirements.yaml:1:", "no YAML"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			_, err := requirements.Parse("requirements.yaml", []byte(row.src))
			if !errors.Is(err, requirements.ErrSet) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got error %v, want ErrSet with %q", err, row.want)
			}
		})
	}
}
