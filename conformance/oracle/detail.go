package oracle

import (
	"fmt"
	"slices"
	"time"

	"fakepi.example/watchdog"
)

// detailed judges what a verdict says beside its name.
func (w *worker) detailed(v *watchdog.Verdict) {
	switch v.Name {
	case watchdog.StalledTool:
		if w.said.right {
			w.namesCalls(v)
			w.namesPipe(v)
		}
	case watchdog.AwaitingQuota:
		w.knownReset(v)
	}
}

// namesCalls: a stalled tool names its call, and only calls that are open (WDC-TOOL-002, WDC-TOOL-004).
func (w *worker) namesCalls(v *watchdog.Verdict) {
	open := w.truth.Calls
	if len(v.Detail.Calls) == 0 {
		w.blame(unnamedCall, finding{said: v.Name, expected: fmt.Sprintf("the stalled call among %q", open), actual: "no call named"})
		return
	}
	for _, c := range v.Detail.Calls {
		if !slices.Contains(open, c) {
			w.blame(otherCall, finding{said: v.Name, expected: fmt.Sprintf("calls that are open: %q", open), actual: quote(c)})
		}
	}
}

// namesPipe: who holds the tool's pipe, and who waits at a terminal, is named as such (WDC-TOOL-005).
func (w *worker) namesPipe(v *watchdog.Verdict) {
	if v.Status != watchdog.Confirmed {
		return
	}
	shell, holder, terminal := false, 0, 0
	for _, p := range w.o.cfg.Facts.Processes(w.index) {
		shell = shell || p.Role == watchdog.RoleShell && p.State != "Z"
		if p.Role == watchdog.RoleTool && p.HoldsPipe {
			holder = p.PID
		}
		if p.ReadsTTY {
			terminal = p.PID
		}
	}
	if !shell && holder != 0 && v.Detail.Holder != holder {
		w.blame(unseenPipe, finding{said: v.Name, expected: fmt.Sprintf("process %d named, which holds the pipe", holder), actual: fmt.Sprintf("holder %d", v.Detail.Holder)})
	}
	if terminal != 0 && v.Detail.Terminal != terminal {
		w.blame(unseenPipe, finding{said: v.Name, expected: fmt.Sprintf("process %d named, which waits at a terminal", terminal), actual: fmt.Sprintf("terminal %d", v.Detail.Terminal)})
	}
}

// resetTolerance is how far a stated end of a quota wait may be from the true one: providers round.
const resetTolerance = time.Minute

// knownReset: a quota wait has an end only if the provider gave one (WDC-PAUSE-003).
func (w *worker) knownReset(v *watchdog.Verdict) {
	if w.truth.Phase != watchdog.AwaitingQuota || v.Detail.Until.IsZero() {
		return
	}
	f := finding{said: v.Name, actual: fmt.Sprintf("until %s", v.Detail.Until.UTC().Format(time.RFC3339))}
	if w.truth.Until == 0 {
		f.expected = "no end: the provider gave none"
		w.blame(invented, f)
		return
	}
	until := w.o.now.Wall.Add(w.truth.Until - w.o.now.Mono)
	if v.Detail.Until.Sub(until).Abs() > resetTolerance && !w.leapt() {
		f.expected = fmt.Sprintf("until %s", until.UTC().Format(time.RFC3339))
		w.blame(invented, f)
	}
}
