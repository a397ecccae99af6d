package engine_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// statusReport is a terminal's report, ended as Pi ends it.
func statusReport(state, message string) string {
	report := "\x1b]7501;state=" + state + ":app=pi"
	if message != "" {
		report += ":msg=" + base64.StdEncoding.EncodeToString([]byte(message))
	}
	return report + "\x1b\\"
}

// TestStatusInPieces: a terminal's reports say the same however their bytes are cut (WDC-OBS-001).
func TestStatusInPieces(t *testing.T) {
	const want = "1s w1 awaiting_auth ok awaiting_auth/user_wait #"
	bytes := "\x1b[2K\x1b" + statusReport("working", "") + "⠋ text" + statusReport("error", "401 no such key")
	for first := range len(bytes) {
		for _, second := range []int{first, first + 1, len(bytes)} {
			second = min(second, len(bytes))
			said := play(t, fmt.Sprintf("0s w1 spawn tui\n1s w1 piece pty %q\n1s w1 piece pty %q\n1s w1 piece pty %q\n",
				bytes[:first], bytes[first:second], bytes[second:]))
			if !strings.Contains(said, want) {
				t.Fatalf("cut at %d and %d of %q: want %s, got\n%s", first, second, bytes, want, said)
			}
		}
	}
}

// TestStatusMessage: an error's text tells a person's wait from an end, if it can be read.
func TestStatusMessage(t *testing.T) {
	for _, row := range []struct {
		reason, report, want string
	}{
		{"a key that is refused", statusReport("error", "401 no such key"), "2s w1 awaiting_auth ok"},
		{"another error", statusReport("error", "500 it broke"), "2s w1 settled_unproven confirmed"},
		{"no text", statusReport("error", ""), "2s w1 settled_unproven confirmed"},
		{"a text that is no base64", "\x1b]7501;state=error:msg=401 no such key\x07", "2s w1 settled_unproven confirmed"},
		{"a query says nothing", "\x1b]7501;?\x07", "1s w1 working ok"},
	} {
		said := play(t, fmt.Sprintf("0s w1 spawn tui\n1s w1 piece pty %q\n2s w1 piece pty %q\n", statusReport("working", ""), row.report))
		verdicts, _, _ := strings.Cut(said, "notify")
		if last := verdicts[strings.LastIndex(verdicts, " w1 ")-2:]; !strings.HasPrefix(last, row.want) {
			t.Errorf("%s: want %s, got\n%s", row.reason, row.want, said)
		}
	}
}

// TestStatusAmongOthers: a report is found after anything, and nothing else is one.
func TestStatusAmongOthers(t *testing.T) {
	for _, row := range []struct {
		reason string
		pieces [3]string
		want   bool // the worker works
	}{
		{"after an escape", [3]string{"\x1b", statusReport("working", ""), ""}, true},
		{"after an empty report", [3]string{"\x1b]7501;\x07", statusReport("working", ""), ""}, true},
		{"after one that has not ended", [3]string{"\x1b]7501;state=", statusReport("working", ""), ""}, true},
		{"an escape, a letter and what looks like the rest", [3]string{"\x1b", "x", "]7501;state=working\x07"}, false},
	} {
		said := play(t, fmt.Sprintf("0s w1 spawn tui\n1s w1 piece pty %q\n1s w1 piece pty %q\n1s w1 piece pty %q\n", row.pieces[0], row.pieces[1], row.pieces[2]))
		if got := strings.Contains(said, "1s w1 working ok"); got != row.want {
			t.Errorf("%s: works %t, want %t:\n%s", row.reason, got, row.want, said)
		}
	}
}
