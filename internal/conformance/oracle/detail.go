package oracle

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/watchdog"
)

// detailed judges what a verdict says beside its name.
func (w *worker) detailed(v *watchdog.Verdict) {
	switch v.Name {
	case watchdog.VerdictStalledTool:
		if w.said.right {
			calls := w.meant(v.Detail.Calls)
			w.namesCalls(v, calls)
			w.namesPipe(v, calls)
		}
	case watchdog.VerdictAwaitingQuota:
		w.knownReset(v)
	case watchdog.VerdictAwaitingUser:
		w.namesDialog(v)
	case watchdog.VerdictAwaitingAuth:
		if c := w.spawn.Credential; v.Detail.Credential != c {
			w.blame(mistakes.CredentialUnnamed, finding{said: v.Name, expected: "the credential " + quote(c), actual: quote(v.Detail.Credential)})
		}
	case watchdog.VerdictSettled, watchdog.VerdictSettledUnproven:
		w.namesEnd(v)
	}
}

// namesDialog: a wait for a person names the dialog that is open, if one is known (WDC-EXPL-001).
func (w *worker) namesDialog(v *watchdog.Verdict) {
	open := w.truth.Dialog
	if !w.o.cfg.Explain || w.dim() || w.lost() || w.truth.Phase != watchdog.VerdictAwaitingUser || plain(v.Detail.Dialog) == plain(open) {
		return
	}
	w.blame(mistakes.DialogWrong, finding{said: v.Name, expected: "the dialog " + quote(open), actual: quote(v.Detail.Dialog)})
}

// reasonOf is what a stop reason makes of an end that proves nothing.
var reasonOf = map[string]string{"length": "cut_off", "aborted": "aborted", "error": "error"}

// namesEnd: an end is told by the stop reason of the last message, and by what makes it unproven (WDC-LIFE-004).
func (w *worker) namesEnd(v *watchdog.Verdict) {
	stop := w.lastStop
	if stop == "" || w.truth.Phase != v.Name || w.dim() || w.lost() || w.loops.torn || w.looks.doubt {
		return
	}
	f := finding{said: v.Name, expected: "an end whose last message ended with " + quote(stop), actual: fmt.Sprintf("stop reason %s, reason %s", quote(v.Detail.StopReason), quote(v.Detail.Reason))}
	named, want := v.Detail.Reason, reasonOf[stop]
	wrong := named == "error" || named == "aborted" || named == "cut_off"
	if want != "" {
		wrong = named != want && named != "exit_0" && !(named == "aborted" && w.facts.compacted) // a compaction behind it was
	}
	if v.Detail.StopReason != "" && v.Detail.StopReason != stop || v.Name == watchdog.VerdictSettledUnproven && wrong {
		w.blame(mistakes.EndMisread, f)
	}
}

// meant is which open calls a verdict names: an id may stand there without what could drive a terminal (WDC-SAFE-002).
func (w *worker) meant(named []string) []string {
	calls := slices.Clone(named)
	for i, c := range calls {
		if j := slices.IndexFunc(w.truth.Calls, func(id string) bool { return plain(id) == plain(c) }); j >= 0 {
			calls[i] = w.truth.Calls[j]
		}
	}
	return calls
}

// plain is a name without control and format characters and what is put in their place.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name)
}

// namesCalls: a stalled tool names the call that stalls, and only calls that are open (WDC-TOOL-002, WDC-TOOL-004).
func (w *worker) namesCalls(v *watchdog.Verdict, calls []string) {
	open := w.truth.Calls
	if slowest := w.truth.Slowest; !w.situation.dead && !slices.Contains(calls, slowest) || len(calls) == 0 {
		w.blame(mistakes.CallUnnamed, finding{said: v.Name, expected: fmt.Sprintf("%q named, the stalled call among %q", slowest, open), actual: fmt.Sprintf("named: %q", calls)})
	}
	for _, c := range calls {
		if !slices.Contains(open, c) {
			w.blame(mistakes.WrongCall, finding{said: v.Name, expected: fmt.Sprintf("calls that are open: %q", open), actual: quote(c)})
		}
	}
}

// namesPipe: who holds the pipe of a stalled call, and who waits at a terminal, is named as such (WDC-TOOL-005).
func (w *worker) namesPipe(v *watchdog.Verdict, calls []string) {
	if v.Status != watchdog.StatusConfirmed {
		return
	}
	var holders, readers []int
	for _, call := range calls {
		tree := w.treeOf(call)
		shell := slices.ContainsFunc(tree, func(p watchdog.Process) bool { return p.Role == watchdog.RoleShell && p.State != "Z" })
		for _, p := range tree {
			if !shell && p.Role == watchdog.RoleTool && p.HoldsPipe {
				holders = append(holders, p.PID)
			}
			if p.ReadsTTY {
				readers = append(readers, p.PID)
			}
		}
	}
	w.namesProcess(v, "holds the pipe", holders, v.Detail.Holder)
	w.namesProcess(v, "waits at a terminal", readers, v.Detail.Terminal)
}

// treeOf lists the processes that work for a call.
func (w *worker) treeOf(call string) []watchdog.Process {
	return slices.DeleteFunc(w.o.cfg.Facts.Processes(w.index), func(p watchdog.Process) bool { return p.ToolCall != call })
}

// namesProcess checks the name of a process of which something can be said, or that none is named.
func (w *worker) namesProcess(v *watchdog.Verdict, what string, fit []int, named int) {
	if slices.Contains(fit, named) || len(fit) == 0 && named == 0 {
		return
	}
	w.blame(mistakes.ProcessUnnamed, finding{
		said:     v.Name,
		expected: fmt.Sprintf("one of the processes %v named, which %s", fit, what),
		actual:   fmt.Sprintf("process %d", named),
	})
}

// resetTolerance is how far a stated end of a quota wait may be from the true one: providers round.
const resetTolerance = time.Minute

// knownReset: a quota wait has an end only if the provider gave one (WDC-PAUSE-003).
func (w *worker) knownReset(v *watchdog.Verdict) {
	if w.truth.Phase != watchdog.VerdictAwaitingQuota || v.Detail.Until.IsZero() {
		return
	}
	f := finding{said: v.Name, actual: fmt.Sprintf("until %s", v.Detail.Until.UTC().Format(time.RFC3339))}
	if w.truth.Until == 0 && w.truth.Exited {
		return // the truth does not tell it any more
	}
	if w.truth.Until == 0 {
		f.expected = "no end: the provider gave none"
		w.blame(mistakes.ResetInvented, f)
		return
	}
	if v.Detail.Until.Sub(w.reset).Abs() > resetTolerance {
		f.expected = fmt.Sprintf("until %s", w.reset.UTC().Format(time.RFC3339))
		w.blame(mistakes.ResetInvented, f)
	}
}
