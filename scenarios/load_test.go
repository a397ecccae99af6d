package scenarios_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"fakepi.example/scenarios"

	"github.com/google/go-cmp/cmp"
)

func load(t testing.TB) []scenarios.Scenario {
	t.Helper()
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestLoad(t *testing.T) {
	all := load(t)
	if !slices.IsSortedFunc(all, func(a, b scenarios.Scenario) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the scenarios are not sorted by id")
	}
	for _, s := range all {
		if s.Twin == nil == (s.NoTwin == "") {
			t.Errorf("%s: want a twin or the reason why there is none", s.ID)
		}
	}
}

// Every file of the matrix is in canonical form.
func TestMatrixIsFormatted(t *testing.T) {
	for _, s := range load(t) {
		got, err := scenarios.Format(s.Pos.File, s.Source)
		if err != nil {
			t.Error(err)
		} else if diff := cmp.Diff(string(s.Source), string(got)); diff != "" {
			t.Errorf("%s is not formatted; run fakepi script fmt -w on it: -got +want\n%s", s.Pos.File, diff)
		}
	}
}

func TestLoadFSProblems(t *testing.T) {
	if _, err := scenarios.LoadFS(fstest.MapFS{"a.txtar": {}}); !errors.Is(err, scenarios.ErrEmpty) {
		t.Errorf("an empty matrix: got %v, want ErrEmpty", err)
	}
	fsys := fstest.MapFS{
		"stall/a.txtar": {Data: []byte(replace(t, "stall/silent-after-tool", "stall/b"))},
		"stall/c.txtar": {Data: []byte("id stall/c\n")},
	}
	_, err := scenarios.LoadFS(fsys)
	want := "stall/a.txtar:1:1: the id stall/b is not the file's path; write stall/a\n" +
		"stall/c.txtar:1:1: the header has no title; add the line: title ...\n" +
		"stall/c.txtar:1:1: the header has no requires; add the line: requires ...\n" +
		"stall/c.txtar:1:1: nothing happens; add steps: 0s w1 spawn\n" +
		"stall/c.txtar:1:1: nothing is expected; add for example: expect stalled_stream w1 within @label+stream_gap..+2m"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v, want\n%s", err, want)
	}
}
