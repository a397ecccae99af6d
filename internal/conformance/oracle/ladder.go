package oracle

import (
	"fmt"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/watchdog"
)

// rungs lists the ladder for the worker's own process, politest first.
var rungs = []watchdog.CommandKind{watchdog.CmdAbort, watchdog.CmdInterrupt, watchdog.CmdTerminate, watchdog.CmdKill}

// climbed: the ladder is climbed from its foot, each rung a grace behind the one below (WDC-ACT-001), the tool before the
// worker (WDC-TOOL-006).
func (a *acting) climbed(o *order) {
	w := a.w
	rung := rungOf(o.Kind)
	if rung < 0 {
		return
	}
	own := o.Target == nil || o.Target.PID == w.spawn.PID
	if below, ok := a.below(o, rung, own); !ok {
		w.blame(mistakes.RungSkipped, finding{
			said:     o.Cause.Name,
			expected: fmt.Sprintf("%s first", below),
			actual:   describe(&o.Command),
		})
		return
	}
	a.tooSoon(o, own)
	if own && w.verdict.Name == watchdog.VerdictStalledTool && w.spawn.Mode == watchdog.ModeRPC && a.tried(o, watchdog.CmdStopTool, own) == nil {
		w.blame(mistakes.WorkerBeforeTool, finding{said: o.Cause.Name, expected: "the tool stopped before the worker", actual: describe(&o.Command)})
	}
}

func rungOf(kind watchdog.CommandKind) int {
	for i, k := range rungs {
		if k == kind {
			return i
		}
	}
	return -1
}

// below names the rung that has to be tried before, and reports whether it was. A turn can be aborted over rpc only, and
// there is none to abort in a worker that has settled; what a worker has left begins with terminate.
func (a *acting) below(o *order, rung int, own bool) (watchdog.CommandKind, bool) {
	w := a.w
	first := watchdog.CmdInterrupt
	switch {
	case !own:
		first = watchdog.CmdTerminate
	case w.spawn.Mode == watchdog.ModeRPC && !over(w.truth.Phase) && !w.truth.Exited:
		first = watchdog.CmdAbort
	}
	if rung <= rungOf(first) {
		return "", true
	}
	below := rungs[rung-1]
	return below, a.tried(o, below, own) != nil
}

// tried returns the order by which a rung was tried on the same process before.
func (a *acting) tried(o *order, kind watchdog.CommandKind, own bool) *order {
	return a.last(o, func(p *order) bool {
		same := own || p.Target != nil && *p.Target == *o.Target
		return p.Kind == kind && p.Generation == o.Generation && same && !(p.told && p.result == watchdog.ResultRefused)
	})
}

// tooSoon: between two rungs there is a grace.
func (a *acting) tooSoon(o *order, own bool) {
	if o.times > 1 {
		return
	}
	grace := a.w.limits.Grace
	for _, kind := range append([]watchdog.CommandKind{watchdog.CmdStopTool}, rungs...) {
		p := a.tried(o, kind, own)
		if p == nil || kind == o.Kind || p.missed() {
			continue
		}
		if gap := o.at - p.at; gap < grace {
			a.w.blame(mistakes.RungSkipped, finding{
				said:     o.Cause.Name,
				expected: fmt.Sprintf("a grace of %s behind %s", grace, kind),
				actual:   fmt.Sprintf("%s after %s", describe(&o.Command), gap),
			})
			return
		}
	}
}
