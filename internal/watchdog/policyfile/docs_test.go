package policyfile_test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/policyfile"
	"fakepi.example/watchdog"
)

const docs = "../../../docs/policy.md"

// TestDocsTable compares the tables of the page with the limits that there are and their defaults.
func TestDocsTable(t *testing.T) {
	var names []string
	p := watchdog.DefaultPolicy()
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\|.*\\| (.*) \\|$").FindAllStringSubmatch(page(t), -1) {
		name, value := row[1], row[2]
		names = append(names, name)
		if value == "follows `stall`" {
			value = ""
		}
		if fromDocs := withLimit(t, name, value); fromDocs.Get(name) != p.Get(name) {
			t.Errorf("the page says that %s is %q, DefaultPolicy says %q", name, value, p.Get(name))
		}
	}
	if diff := cmp.Diff(watchdog.LimitNames(), names); diff != "" {
		t.Errorf("limits of the page (-want +got):\n%s", diff)
	}
}

func withLimit(t *testing.T, name, value string) *watchdog.Limits {
	t.Helper()
	var l watchdog.Limits
	if value != "" {
		if err := l.Set(name, value); err != nil {
			t.Errorf("the page gives %s a default that it cannot take: %v", name, err)
		}
	}
	return &l
}

func TestDocsExamples(t *testing.T) {
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page(t), -1)
	if len(examples) < 3 {
		t.Fatalf("the page has %d examples, want 3 or more", len(examples))
	}
	for i, example := range examples {
		if _, err := policyfile.Parse(fmt.Sprintf("example %d", i+1), []byte(example[1])); err != nil {
			t.Error(err)
		}
	}
	p := watchdog.DefaultPolicy()
	line := regexp.MustCompile("(?m)^--set .*$").FindString(page(t))
	args := regexp.MustCompile(`--set (\S+)`).FindAllStringSubmatch(line, -1)
	if len(args) < 2 {
		t.Fatalf("the page has %d examples of --set, want 2 or more", len(args))
	}
	for _, arg := range args {
		if err := policyfile.Set(&p, arg[1]); err != nil {
			t.Error(err)
		}
	}
}

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
