package scenarios_test

import (
	"testing"

	"fakepi.example/scenarios"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse looks for a source that makes the package panic, or whose canonical form means something else.
func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	for _, s := range load(f) {
		f.Add(s.Source)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		once, err := scenarios.Format("fuzz", src)
		if err != nil {
			return
		}
		twice, err := scenarios.Format("fuzz", once)
		if err != nil || string(once) != string(twice) {
			t.Fatalf("Format is not idempotent (%v):\n%s", err, cmp.Diff(string(once), string(twice)))
		}
		before, errBefore := scenarios.Parse("fuzz", src)
		after, errAfter := scenarios.Parse("fuzz", once)
		if (errBefore == nil) != (errAfter == nil) {
			t.Fatalf("Parse says %v before Format and %v after it", errBefore, errAfter)
		}
		if errBefore == nil && !cmp.Equal(story(before.Timeline), story(after.Timeline)) {
			t.Fatalf("Format changes the story:\n%s", cmp.Diff(story(before.Timeline), story(after.Timeline)))
		}
	})
}
