package engine_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestLongStatus: what begins like a terminal's report and does not end is kept up to a bound, and no longer (WDC-SAFE-001).
func TestLongStatus(t *testing.T) {
	for _, row := range []struct {
		reason string
		size   int // of the report without its introducer and its end
		want   bool
	}{
		{"a short one", 100, true},
		{"as long as may be", 4095, true},
		{"longer", 4096, false},
	} {
		report := "state=working:app=pi:msg=" + strings.Repeat("A", row.size-len("state=working:app=pi:msg="))
		said := play(t, fmt.Sprintf("0s w1 spawn tui\n1s w1 piece pty %q\n2s w1 piece pty %q\n", "\x1b]7501;"+report, "\x1b\\"))
		if got := strings.Contains(said, "2s w1 working ok"); got != row.want {
			t.Errorf("%s: got %t, want %t:\n%s", row.reason, got, row.want, said)
		}
	}
}
