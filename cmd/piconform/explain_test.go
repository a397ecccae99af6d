package main

import (
	"strings"
	"testing"

	"fakepi.example/internal/conformance/oracle/mistakes"
)

// Each mistake that a report can name is explained: its sentence, a requirement where there is one, and how to see it.
func TestExplainMistakes(t *testing.T) {
	set, all, err := matrix()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range mistakes.Table() {
		var out strings.Builder
		if err := explain(&out, set, all, string(row.Mistake)); err != nil {
			t.Errorf("%s: %v", row.Mistake, err)
			continue
		}
		for _, part := range append(row.Requirements(), row.Sentence, row.See, "piconform replay") {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s: the explanation does not say %q:\n%s", row.Mistake, part, out.String())
			}
		}
	}
}
