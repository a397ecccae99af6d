package tui_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/fakepi/tui"
)

// modesOnly are the sequences that set modes, ask, or tell.
var modesOnly = regexp.MustCompile(`\x1b\[[?<>][0-9;]*[a-zA-Z]|\x1b\[c|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)`)

// setModes is what of a text sets modes, asks or tells, and does not draw.
func setModes(written string) string {
	var all []string
	for _, s := range modesOnly.FindAllString(written, -1) {
		if !strings.Contains(s, "2026") && !strings.HasPrefix(s, "\x1b]8;") && !strings.HasPrefix(s, "\x1b]133;") {
			all = append(all, strings.TrimPrefix(s, "\x1b"))
		}
	}
	return strings.Join(all, " ")
}

// ctrl+z gives the terminal back, and what follows takes it again, as recorded of the real Pi in a shell with job control.
// In between nothing is written, though the spinner's time comes.
func TestSuspend(t *testing.T) {
	working := tui.Report{State: "working"}
	tests := []struct {
		options                tui.Options
		works                  bool
		gives, takes, thenAsks string
		reason                 string
	}{
		{tui.Options{Version: tui.V16, Status: tui.StatusOn, Progress: true}, true,
			"[?2031l [?1006l [?1004l [?1003l [?1002l [?1000l [?7h [?25h ]9;4;0\a ]7501;state=clear\x1b\\ [?2004l [<u [?1049l [?7l [?7h [?25h",
			"[?1049h [?7l [?1000h [?1002h [?1003h [?1004h [?1006h [?25l [?2004h [>7u [?u [c ]7501;state=working:app=pi\x1b\\ [?25l [?2031h [?25l", "",
			"in a run"},
		{tui.Options{Version: tui.V16, Progress: true}, false,
			"[?2031l [?1006l [?1004l [?1003l [?1002l [?1000l [?7h [?25h [?2004l [<u [?1049l [?7l [?7h [?25h",
			"[?1049h [?7l [?1000h [?1002h [?1003h [?1004h [?1006h [?25l [?2004h [>7u [?u ]7501;?\x1b\\ [c [?25l [?2031h [?25l", "",
			"at rest; the terminal is asked again"},
		{tui.Options{Version: tui.V16, Regular: true, Status: tui.StatusOff}, false,
			"[?2031l [?25h [?2004l [<u", "[?2004h [>7u [?u [c [?25l [?2031h [?25l", "",
			"in the scrolling text"},
		{tui.Options{Version: tui.V073, Progress: true}, true, "[?25h ]9;4;0;\a [?2004l [>4;0m", "[?2004h [?u [?25l [?25l", "[>4;2m", "in a run"},
		{tui.Options{Version: tui.V073, Progress: true}, false, "[?25h [?2004l [>4;0m", "[?2004h [?u [?25l [?25l", "[>4;2m", "at rest"},
	}
	for _, tt := range tests {
		p := look(t, tt.options)
		p.pass(time.Second)
		if tt.works {
			p.ui.Run(p.now)
			p.ui.Turn(p.now)
			p.ui.Report(working)
		}
		p.types("abc")
		p.written.Reset()
		if diff := cmp.Diff([]tui.Action{{Kind: tui.Suspend}}, p.types("\x1a")); diff != "" {
			t.Fatalf("%s, %s: -want +got\n%s", tt.options.Version, tt.reason, diff)
		}
		p.written.Reset()
		p.ui.Suspend(p.now)
		p.draw()
		if diff := cmp.Diff(tt.gives, setModes(p.written.String())); diff != "" {
			t.Errorf("%s, %s: gives: -want +got\n%s", tt.options.Version, tt.reason, diff)
		}
		p.written.Reset()
		p.ui.Report(tui.Report{State: "done"})
		p.ui.Report(working)
		p.pass(10 * time.Second)
		if got := p.written.String(); got != "" {
			t.Errorf("%s, %s: while suspended %q was written", tt.options.Version, tt.reason, got)
		}
		p.ui.Resume(p.now)
		p.pass(0)
		if diff := cmp.Diff(tt.takes, setModes(p.written.String())); diff != "" {
			t.Errorf("%s, %s: takes: -want +got\n%s", tt.options.Version, tt.reason, diff)
		}
		p.expect(t, "abc")
		p.written.Reset()
		p.pass(200 * time.Millisecond)
		if got := setModes(p.written.String()); !strings.Contains(got, tt.thenAsks) {
			t.Errorf("%s, %s: then %q, want %q", tt.options.Version, tt.reason, got, tt.thenAsks)
		}
	}
}
