package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/mutation"
)

func TestReadExplained(t *testing.T) {
	for _, row := range []struct {
		reason, text string
		want         explained
		fails        string
	}{
		{"a reason over two lines", "# for people\n\nf | negate | a == b\n\tboth are\n\tthe same\n", explained{"f | negate | a == b": "both are the same"}, ""},
		{"one reason for two", "f | negate | a\ng | negate | a\n\tsince\nh | negate | a\n\tx\n",
			explained{"f | negate | a": "since", "g | negate | a": "since", "h | negate | a": "x"}, ""},
		{"no reason", "f | negate | a\n", nil, "has no reason"},
		{"a reason alone", "\tsince\n", nil, "without a mutant"},
		{"twice", "f | negate | a\n\tx\nf | negate | a\n\tx\n", nil, "twice"},
	} {
		file := filepath.Join(t.TempDir(), "mutants.txt")
		if err := os.WriteFile(file, []byte(row.text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := readExplained(file)
		if row.fails == "" && err != nil || row.fails != "" && (err == nil || !strings.Contains(err.Error(), row.fails)) {
			t.Errorf("%s: error %v, want %q", row.reason, err, row.fails)
		}
		if diff := cmp.Diff(row.want, got); err == nil && diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

// TestUnknown finds explanations of mutants that there are no more.
func TestUnknown(t *testing.T) {
	all := []mutation.Mutant{{Function: "f", Operator: "negate", Text: "a"}}
	e := explained{"f | negate | a": "x", "g | negate | a": "x"}
	if diff := cmp.Diff([]string{"g | negate | a"}, e.unknown(all)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
