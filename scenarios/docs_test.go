package scenarios_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"fakepi.example/scenarios"

	"github.com/google/go-cmp/cmp"
)

// The example of the page parses, is canonical, and the page names every key of the header.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../docs/script.md")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```file\n(.*?)```").FindSubmatch(text)
	if m == nil {
		t.Fatal("the page has no scenario")
	}
	if _, err := scenarios.Parse("script.md", m[1]); err != nil {
		t.Error(err)
	}
	if got, err := scenarios.Format("script.md", m[1]); err != nil || string(got) != string(m[1]) {
		t.Errorf("not canonical (%v): -page +formatted\n%s", err, cmp.Diff(string(m[1]), string(got)))
	}
	_, section, _ := strings.Cut(string(text), "## A scenario file")
	for _, key := range scenarios.HeaderKeys() {
		if !strings.Contains(section, "`"+key+"`") {
			t.Errorf("the page does not describe the key %s", key)
		}
	}
}
