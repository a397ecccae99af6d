package fakepi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fakepi.example/fakepi/native"
)

// edit plays a worker whose edit has made one text of another, and returns the details of the tool's result.
func edit(t testing.TB, dialect native.Dialect, before, after string) (details struct {
	Diff, Patch      string
	FirstChangedLine int
}) {
	t.Helper()
	w := newWorker(t, "0s prompt \"x\"\n+1s tool edit \"a.txt\" runs 2s call=c as=t\n@t does edit a.txt \"old\" \"new\"\n@t.end+1s stalls", in(dialect))
	out := play(w, time.Second, nil)
	out = w.Edited(time.Second, "c", "a.txt", before, after, out)
	var end struct {
		Result struct{ Details json.RawMessage }
	}
	err := json.Unmarshal([]byte(toolEnd(play(w, time.Minute, out))), &end)
	if err == nil {
		err = json.Unmarshal(end.Result.Details, &details)
	}
	if err != nil {
		t.Fatal(err)
	}
	return details
}

// What the real Pi tells of edits.
func TestEditDetails(t *testing.T) {
	tests := []struct {
		name, before, after string
		diff, patch         string
		first               int
	}{
		{
			"a line", "aa\nbb\naa\n", "aa\ncc\naa\n",
			" 1 aa\n-2 bb\n+2 cc\n 3 aa", "@@ -1,3 +1,3 @@\n aa\n-bb\n+cc\n aa\n", 2,
		},
		{
			"in a long file", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n", "1\n2\n3\n4\n5\nsix\n7\n8\n9\n10\n11\n",
			"    ...\n  2 2\n  3 3\n  4 4\n  5 5\n- 6 6\n+ 6 six\n  7 7\n  8 8\n  9 9\n 10 10\n    ...",
			"@@ -2,9 +2,9 @@\n 2\n 3\n 4\n 5\n-6\n+six\n 7\n 8\n 9\n 10\n", 6,
		},
		{
			"a line more", "a\nb\n", "a\nx\nb\n",
			" 1 a\n+2 x\n 2 b", "@@ -1,2 +1,3 @@\n a\n+x\n b\n", 2,
		},
		{
			"a line less", "a\nx\nb\n", "a\nb\n",
			" 1 a\n-2 x\n 3 b", "@@ -1,3 +1,2 @@\n a\n-x\n b\n", 2,
		},
		{
			"no last line feed", "a\nb", "a\nc",
			" 1 a\n-2 b\n+2 c", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n", 2,
		},
		{
			"the whole file", "a\n", "b\n",
			"-1 a\n+1 b", "@@ -1,1 +1,1 @@\n-a\n+b\n", 1,
		},
		{
			"two places in one text", "a\nb\nc\nd\n", "a\nB\nc\nD\n",
			" 1 a\n-2 b\n+2 B\n 3 c\n-4 d\n+4 D", "@@ -1,4 +1,4 @@\n a\n-b\n+B\n c\n-d\n+D\n", 2,
		},
	}
	for _, tt := range tests {
		got := edit(t, native.Pi16, tt.before, tt.after)
		if d := cmp.Diff(tt.diff, got.Diff); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
		if d := cmp.Diff("--- a.txt\n+++ a.txt\n"+tt.patch, got.Patch); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
		if got.FirstChangedLine != tt.first {
			t.Errorf("%s: it begins at line %d, want %d", tt.name, got.FirstChangedLine, tt.first)
		}
		if old := edit(t, native.Pi073, tt.before, tt.after); old.Patch != "" || old.Diff != got.Diff {
			t.Errorf("%s: Pi 0.73 tells %q with patch %q", tt.name, old.Diff, old.Patch)
		}
	}
}

// Whatever was edited, the patch takes the old text to the new one.
func TestPatchesApply(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n"}), 0, 30), func(lines []string) string { return strings.Join(lines, "") })
		before, after := text.Draw(r, "before"), text.Draw(r, "after")
		if before == after {
			return
		}
		patch := edit(t, native.Pi16, before, after).Patch
		if got := apply(r, before, patch); got != after {
			r.Fatalf("the patch makes %q of %q, want %q:\n%s", got, before, after, patch)
		}
	})
}

// apply applies a patch.
func apply(r *rapid.T, before, patch string) string {
	old := strings.SplitAfter(before, "\n")
	var b strings.Builder
	at := 0 // lines of the old text that were taken
	for _, line := range strings.SplitAfter(patch, "\n")[2:] {
		switch {
		case strings.HasPrefix(line, "@@"):
			var start, count, newStart, newCount int
			if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &start, &count, &newStart, &newCount); err != nil {
				r.Fatalf("%q: %v", line, err)
			}
			if count == 0 {
				start++
			}
			for ; at < start-1; at++ {
				b.WriteString(old[at])
			}
		case strings.HasPrefix(line, "+"):
			b.WriteString(line[1:])
		case line != "":
			if old[at] != line[1:] {
				r.Fatalf("line %d is %q, the patch has %q", at+1, old[at], line)
			}
			if line[0] == ' ' {
				b.WriteString(old[at])
			}
			at++
		}
	}
	return b.String() + strings.Join(old[at:], "")
}
