package episode

import (
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// This file holds what becomes of a row of the tracker that is wrong while its worker is fine: it is set right by the
// tracker's own interface, and nothing else is touched (WDC-WORK-005).

// rowWrong reports whether the tracker says that nobody works on a task on which its worker makes progress, and has done so
// for long enough since the row was seen.
func (t *turn) rowWrong() bool {
	w, h := t.w, t.w
	if w.Exit.Proven || !w.Run.Open || t.f.Status != watchdog.StatusOK {
		return false
	}
	if debris.StatusOf(h.row.Status) == debris.Waiting {
		at := h.rowAt + w.Limits.ConfirmEvery
		t.wakeAt(at)
		return w.Progress.N > h.rowN && t.e.Now.Mono >= at
	}
	return false
}

// aboutRow reports whether the episode is about a row: its cause is no verdict past a limit, and no end.
func (t *turn) aboutRow() bool {
	c := t.ep.Cause
	return c.Name == c.Phase && !t.reaping()
}

// repair has the row set right, and believes what the tracker then says.
func (t *turn) repair() event {
	i := t.ep.here(watchdog.CmdRepairRow)
	switch {
	case !t.rowWrong():
		return onHealed
	case i == nil || t.lost(i) || i.unheard():
	case i.Result == watchdog.ResultDone, i.Result == "" || i.Result == watchdog.ResultUnknown:
		if !t.elapsed(i.At, t.w.Limits.ConfirmEvery) {
			return ""
		}
		t.why = "the row is as it was"
		return onFailed
	default:
		t.why = i.Reason
		return onFailed
	}
	switch {
	case !t.mayNow(Repair):
		return onExpired
	case t.queued(t.key("repair"), watchdog.CmdRepairRow), len(t.w.vetoes(t.e)) > 0, !t.freshTree() || t.self() == nil:
		return ""
	}
	c := t.underLeave(t.command(t.key("repair"), watchdog.CmdRepairRow))
	c.IfDigest = "" // the worker works on
	c.Text = "the row says " + t.w.row.Status + ", and the worker is at work"
	t.give(c)
	t.wakeAt(t.e.Now.Mono + t.w.Limits.ConfirmEvery)
	return ""
}
