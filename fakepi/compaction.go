package fakepi

import (
	"cmp"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

// compaction is a summary of the context being made. Pi prints its start and its end.
type compaction struct {
	active bool
	since  time.Duration
	end    time.Duration // never: it hangs
	how    script.Compacts
	label  string         // of its step; empty if it has none
	asked  bool           // by a command
	client native.Value   // that command's id
	late   []native.Value // ids of commands that came while it was under way; never changed in place

	unheard bool // its session is being left: only the command is answered
}

// manual reports whether the session listens to nothing but a summary that a client asked for.
func (c *compaction) manual() bool {
	return c.active && (c.how.Reason == "manual" || len(c.late) > 0)
}

// compact is the verb compacts. Pi compacts between runs.
func (w *Worker) compact(i int, a script.Compacts) {
	if !w.close("stop") {
		return
	}
	if w.running {
		w.endRun(false)
	}
	c := compaction{how: a, label: w.steps[i].Label}
	switch {
	case a.Reason == "manual" && w.playsClient():
		if w.ended {
			w.settle(false)
		}
		c.asked, c.client = true, native.String(w.clientSends(&native.Command{Name: native.CmdCompact}))
	case a.Reason == "overflow" && w.last != nil && w.last.ErrorMessage.Set:
		w.dropReply()
	}
	w.startCompaction(c)
}

func (w *Worker) startCompaction(c compaction) {
	c.active, c.since, c.end = true, w.now, never
	if c.how.Runs.Finite() {
		c.end = w.now + c.how.Runs.D
	}
	w.compaction = c
	if w.asking.answered {
		w.asking.at = never // until it is over
	}
	if !c.unheard {
		w.print(&native.CompactionStart{Reason: c.how.Reason}, true)
	}
}

// endCompaction ends the one under way, by a summary or by the provider's error.
func (w *Worker) endCompaction() {
	c := w.compaction
	if c.how.Fails {
		w.failCompaction("Summarization failed: " + w.statusText(provider.ServerError()))
		return
	}
	w.endCompactionBy(&native.CompactionEnd{WillRetry: c.how.Reason == "overflow", Result: w.summarise(c.how)}, "")
}

// failCompaction ends the one under way by an error.
func (w *Worker) failCompaction(problem string) {
	text := compactionFailures[w.compaction.how.Reason] + problem
	w.endCompactionBy(&native.CompactionEnd{ErrorMessage: native.Some(text)}, problem)
}

// compactionFailures is how the error of a compaction begins.
var compactionFailures = map[string]string{
	"manual": "Compaction failed: ", "threshold": "Auto-compaction failed: ", "overflow": "Context overflow recovery failed: ",
}

// endCompactionBy tells the end. After an overflow the run goes on by itself, and so it does with what has come meanwhile.
func (w *Worker) endCompactionBy(end *native.CompactionEnd, problem string) {
	c := w.compaction
	w.compaction = compaction{}
	end.Reason = c.how.Reason
	if !w.mute() && !c.unheard {
		w.print(end, true)
	}
	w.answerCompact(c, end.Result, problem)
	w.since, w.pledged, w.recovered = w.now, end.WillRetry, end.WillRetry
	queued := end.Reason != "manual" && w.waiting()
	switch {
	case w.freed() || w.compaction.active || !end.WillRetry && !queued || w.mute():
	case w.rules.beforeResume > 0:
		w.resumeAt = w.now + w.rules.beforeResume
	default:
		w.resume()
	}
}

// mute reports whether nothing is told of a compaction but its start: a one-shot may have let go of its session by
// then, though it lives until the summary is saved (docs/pi-formats.md, section 12).
func (w *Worker) mute() bool { return w.mode.OneShot() && !w.rules.tellsCompaction }

// resume is the run that follows a compaction by itself: the request that was too large again, or what has waited.
func (w *Worker) resume() {
	if w.pledged || !w.waiting() {
		w.startRun()
		return
	}
	w.startQueued()
}

// fullContext is how many tokens of conversation a compaction finds at least where the script is the client too and does
// not say what the provider counts: its few words stand for many.
const fullContext = provider.ContextWindow * 9 / 10

// summarise replaces the context and saves the entry. A compaction that does not shrink keeps it.
func (w *Worker) summarise(how script.Compacts) *native.CompactionResult {
	c, ok := w.cut()
	if !ok {
		c.kept = w.lastEntry // a script may summarise what Pi would leave alone
	}
	usage := w.counted(c.report(how))
	if c.history && c.prefix {
		usage = w.countedTwice(c.report(how))
	}
	text := cmp.Or(how.Gives.In(w.files), provider.Summary)
	r := &native.CompactionResult{
		Summary: c.summary(text, cmp.Or(how.Turn.In(w.files), text)), FirstKeptEntryID: c.kept, TokensBefore: c.before, Usage: &usage, Details: c.details(),
	}
	if !w.driven && !w.metered {
		w.context = max(w.context, fullContext)
		r.TokensBefore = provider.PromptTokens + w.context
	}
	w.session.dropped = nil
	system := w.systemMessage()
	system.Compacted = true
	w.append(&native.CompactionEntry{
		EntryBase: w.base(), Summary: r.Summary, FirstKeptEntryID: r.FirstKeptEntryID, TokensBefore: r.TokensBefore,
		Details: r.Details, Usage: r.Usage, FromHook: native.Some(false), SystemMessage: system,
	}, true)
	r.EstimatedTokensAfter = native.Some(w.shrink(how.Same, r.TokensBefore))
	return r
}

// shrink is the context behind a compaction, in tokens.
func (w *Worker) shrink(same bool, before int64) (after int64) {
	switch {
	case same:
		return before
	case !w.driven && !w.metered:
		w.context /= 4
		return provider.PromptTokens + w.context
	}
	messages := w.transcript()
	w.context = w.sentTokens(messages)
	for _, m := range messages {
		after += estimate(m)
	}
	return after
}

// answerCompact answers the command that asked for a compaction, even on the way out, and those that came while it was
// under way.
func (w *Worker) answerCompact(c compaction, result *native.CompactionResult, problem string) {
	if c.asked && w.mode != script.ModeTUI { // there its end tells
		r := &native.Response{ID: c.client, Command: native.Some(native.CmdCompact), Success: result != nil}
		if result != nil {
			r.Data = result
		} else {
			r.Error = native.Some(problem)
		}
		turn := w.rules.turnsOf(native.CmdCompact).fails
		if w.heard != nil && w.heard.turn == turnCompacts {
			turn = turnWaits
		}
		w.inTurn(turn, func(w *Worker) { w.write(Out, r, false) })
	}
	late := c.late
	if len(late) > 0 && c.how.Reason != "manual" { // it has a signal of its own
		w.compaction = compaction{active: true, since: w.now, end: w.now + compactDelay, asked: true, client: late[0]}
		w.compaction.how.Reason, late = "manual", late[1:]
	}
	for _, id := range late {
		if !w.rules.settlesFirst && !c.unheard {
			w.print(&native.CompactionEnd{Reason: "manual", ErrorMessage: native.Some("Compaction failed: " + errOverlap)}, false)
		}
		w.respond(id, native.CmdCompact, errOverlap)
	}
}

// errOverlap is what becomes of a second summary: the first has taken the signal that it looks at.
const errOverlap = "Cannot read properties of undefined (reading 'signal')"

// abortCompaction ends the one under way without a result.
func (w *Worker) abortCompaction() {
	c := w.compaction
	w.compaction = compaction{}
	if w.heard == nil || !w.heard.compacts { // otherwise it is stopped by who leaves the session, and listens no more
		w.print(&native.CompactionEnd{Reason: c.how.Reason, Aborted: true}, false)
	}
	w.answerCompact(c, nil, "Compaction cancelled")
	w.freed()
}
