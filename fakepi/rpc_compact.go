package fakepi

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

// compactDelay is how long a summary takes that the script does not know.
const compactDelay = 500 * time.Millisecond

// compactNow is the command compact: it ends the run, and makes the summary that the script has next, or one of its own
// if the session is long enough.
func (w *Worker) compactNow(r request) {
	w.inTurn(w.rules.compacts(w.busy()), func(w *Worker) { w.compactInTurn(r) })
}

func (w *Worker) compactInTurn(r request) {
	if !w.mayLeave(r) {
		return
	}
	if !w.rules.settlesFirst {
		w.asking = asking{}
	}
	if w.compaction.active && (!w.rules.settlesFirst || w.heard != nil && w.heard.compacts) {
		w.compaction.late = append(slices.Clip(w.compaction.late), r.id)
		w.print(&native.CompactionStart{Reason: "manual"}, false)
		return
	}
	before := w.stopForCompaction()
	how, scripted := w.nextCompaction()
	c := compaction{how: how, asked: true, client: r.id}
	if w.heard != nil {
		w.heard.compacts, c.unheard = true, w.heard.leaves && !w.rules.settlesFirst
	}
	w.startCompaction(c)
	if before.asked {
		w.respond(before.client, native.CmdCompact, "Compaction cancelled")
	}
	_, ok := w.cut()
	switch {
	case w.modelless() && (ok || !w.rules.terminal):
		w.failCompaction(noKey(w.rules.dialect))
	case !ok && !scripted:
		w.failCompaction(w.nothingToCompact())
	}
}

// stopForCompaction ends what is under way, and returns the compaction that a new one replaces and has yet to answer.
func (w *Worker) stopForCompaction() (before compaction) {
	switch {
	case w.rules.settlesFirst:
		before = w.compaction
		w.compaction.asked = false
		w.aborting = true
		w.abortRun()
		w.aborting = false
	case w.retries.waiting:
		w.cancelRetry()
		w.forgetRun()
	default:
		open := w.retries // Pi goes on counting: the next good reply ends the retry
		w.killTools()
		w.forgetRun()
		w.retries = open
	}
	return before
}

// nothingToCompact says why there is nothing.
func (w *Worker) nothingToCompact() string {
	if e := w.session.entry(w.session.leaf); e != nil && isCompaction(e) {
		return "Already compacted"
	}
	return "Nothing to compact (session too small)"
}

// nextCompaction is what the script has for a compaction before its next prompt; a driven worker does not play it by
// itself.
func (w *Worker) nextCompaction() (how script.Compacts, scripted bool) {
	if w.driven {
		for i, s := range w.steps[w.next:] {
			if c, ok := s.Action.(script.Compacts); ok && c.Reason == "manual" {
				w.next += i + 1
				w.shift = w.now - s.At
				return c, true
			}
			if _, ok := s.Action.(script.Prompt); ok {
				break
			}
		}
	}
	return script.Compacts{Reason: "manual", Runs: script.SpanOf(compactDelay)}, false
}

// summary is the summary of a compaction, one call of the model or two: what it says of the history, and of a turn that is
// divided.
func (c cut) summary(text, turn string) string {
	s := text
	if c.prefix {
		history := cmp.Or(c.previous, "No prior history.")
		if c.history {
			history = text
		}
		s = history + "\n\n---\n\n**Turn Context (split turn):**\n\n" + turn
	}
	var lists []string
	if len(c.read) > 0 {
		lists = append(lists, "<read-files>\n"+strings.Join(c.read, "\n")+"\n</read-files>")
	}
	if len(c.modified) > 0 {
		lists = append(lists, "<modified-files>\n"+strings.Join(c.modified, "\n")+"\n</modified-files>")
	}
	if len(lists) > 0 {
		s += "\n\n" + strings.Join(lists, "\n\n")
	}
	return s
}

// details lists the files that the conversation has touched.
func (c cut) details() native.Value {
	list := func(names []string) native.Array {
		a := native.Array{}
		for _, name := range names {
			a = append(a, native.String(name))
		}
		return a
	}
	return native.Object{{Key: "readFiles", Value: list(c.read)}, {Key: "modifiedFiles", Value: list(c.modified)}}
}

// report is what the provider counts of the calls for a summary, unless the script says it.
func (c cut) report(how script.Compacts) script.Reports {
	r := provider.SummaryReport()
	if c.history && c.prefix {
		r.Input, r.Output = 2*r.Input, 2*r.Output
	}
	if how.Input > 0 {
		r.Input = how.Input
	}
	if how.Output > 0 {
		r.Output = how.Output
	}
	return r
}
