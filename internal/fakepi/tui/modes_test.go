package tui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/fakepi/tui"
)

// What an interface makes of the answers of a terminal, and of none.
func TestNegotiation(t *testing.T) {
	const (
		push, pop     = "\x1b[>7u", "\x1b[<u"
		other, unset  = "\x1b[>4;2m", "\x1b[>4;0m"
		knows, device = "\x1b[?7u", "\x1b[?62;1c"
		status        = "\x1b]7501;?\x1b\\"
		idle          = "\x1b]7501;state=idle:app=pi\x1b\\"
	)
	tests := []struct {
		reason  string
		options tui.Options
		answers string
		writes  string // at once and within a second
		ends    string // beside what every end writes
	}{
		{"a terminal that answers nothing", tui.Options{Version: tui.V16}, "", "", pop},
		{"it knows the protocol", tui.Options{Version: tui.V16}, knows + device, "", pop},
		{"it knows it and has it off", tui.Options{Version: tui.V16}, "\x1b[?0u" + device, other, pop + unset},
		{"it does not know it", tui.Options{Version: tui.V16}, device, other, pop + unset},
		{"the second question is for the colors", tui.Options{Version: tui.V16}, device + device, other, pop + unset},
		{"it understands a status", tui.Options{Version: tui.V16}, status + knows + device, idle, pop},
		{"too late for a status", tui.Options{Version: tui.V16}, knows + device + status, "", pop},
		{"no status is wanted", tui.Options{Version: tui.V16, Status: tui.StatusOff}, status + knows + device, "", pop},
		{"nobody listens", tui.Options{Version: tui.V16, NoInput: true}, "", "", ""},
		{"a terminal that answers nothing", tui.Options{Version: tui.V073}, "", other, unset},
		{"it knows the protocol", tui.Options{Version: tui.V073}, knows, push, pop},
		{"it only tells what it is", tui.Options{Version: tui.V073}, device, other, unset},
		{"this version knows no status", tui.Options{Version: tui.V073, Status: tui.StatusOn}, status, other, unset},
		{"nobody listens", tui.Options{Version: tui.V073, NoInput: true}, "", "", ""},
	}
	for _, tt := range tests {
		p := look(t, tt.options)
		p.ui.Report(tui.Report{State: "idle"})
		if opened := p.written.String(); tt.options.NoInput && strings.Contains(opened, "\x1b[?u") {
			t.Errorf("%s: it asks: %q", tt.reason, opened)
		}
		p.written.Reset()
		p.types(tt.answers)
		p.pass(time.Second)
		if diff := cmp.Diff(tt.writes, p.written.String()); diff != "" {
			t.Errorf("%s, %s: -want +got\n%s", tt.options.Version, tt.reason, diff)
		}
		p.written.Reset()
		p.ui.Leave(p.now)
		p.ui.Close(p.now)
		p.draw()
		ended := p.written.String()
		for _, s := range []string{pop, unset} {
			if got, want := strings.Contains(ended, s), strings.Contains(tt.ends, s); got != want {
				t.Errorf("%s, %s: the end writes %q: %v, want %v", tt.options.Version, tt.reason, s, got, want)
			}
		}
	}
}

// A report is told once, in the form of the protocol.
func TestReport(t *testing.T) {
	long := strings.Repeat("é", 2000)
	tests := []struct {
		report tui.Report
		want   string
	}{
		{tui.Report{State: "working"}, "\x1b]7501;state=working:app=pi\x1b\\"},
		{tui.Report{State: "blocked", Kind: "permission", Message: "Run it?"}, "\x1b]7501;state=blocked:app=pi:kind=permission:msg=UnVuIGl0Pw==\x1b\\"},
		{tui.Report{State: "error", Message: " 500\x1b\n "}, "\x1b]7501;state=error:app=pi:msg=NTAw\x1b\\"},
		{tui.Report{State: "error", Message: long}, "\x1b]7501;state=error:app=pi:msg=" + strings.Repeat("w6nDqcOp", 341) + "w6k=\x1b\\"},
	}
	for _, tt := range tests {
		ui := tui.New(tui.Options{Version: tui.V16, Status: tui.StatusOn})
		ui.Open(0, "", "", tui.Report{State: "idle"})
		ui.Written()
		ui.Report(tt.report)
		ui.Report(tt.report)
		if diff := cmp.Diff([]string{tt.want}, ui.Written()); diff != "" {
			t.Errorf("%v: -want +got\n%s", tt.report.State, diff)
		}
	}
}

// The progress sign comes at once and every second, where it is asked for, until it is ended.
func TestProgress(t *testing.T) {
	for version, off := range map[tui.Version]string{tui.V16: "\x1b]9;4;0\a", tui.V073: "\x1b]9;4;0;\a"} {
		for _, wanted := range []bool{true, false} {
			p := look(t, tui.Options{Version: version, Progress: wanted})
			p.ui.Progress(p.now, true)
			p.pass(3500 * time.Millisecond)
			p.ui.Progress(p.now, false)
			p.pass(10 * time.Second)
			on, ended := strings.Count(p.written.String(), "\x1b]9;4;3\a"), strings.Count(p.written.String(), off)
			if wanted && (on != 4 || ended != 1) || !wanted && on+ended != 0 {
				t.Errorf("%s: got %d signs and %d ends, want 4 and 1 where wanted: %v", version, on, ended, wanted)
			}
		}
	}
}

// Where no time passes nothing turns and nothing is repeated.
func TestStill(t *testing.T) {
	p := look(t, tui.Options{Still: true, Progress: true})
	p.ui.Run(p.now)
	p.ui.Turn(p.now)
	p.pass(0)
	p.expect(t, "Working")
	if at, ok := p.ui.Next(); ok {
		t.Errorf("something is due at %s", at)
	}
}
