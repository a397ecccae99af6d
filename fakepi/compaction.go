package fakepi

import (
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/provider"
	"fakepi.example/fakepi/script"
)

// compaction is a summary of the context being made. Pi prints its start and its end.
type compaction struct {
	active bool
	since  time.Duration
	end    time.Duration // never: it hangs
	step   int           // of the script
	client string        // id of the command that asked for it; empty if none did
}

// compact is the verb compacts. Pi compacts between runs.
func (w *Worker) compact(i int, a script.Compacts) {
	w.close("stop")
	if w.running {
		w.endRun(false)
	}
	w.compaction = compaction{active: true, since: w.now, step: i, end: never}
	if a.Runs.Finite() {
		w.compaction.end = w.now + a.Runs.D
	}
	switch {
	case a.Reason == "manual" && w.playsClient():
		w.compaction.client = w.clientSends(&native.Command{Name: native.CmdCompact})
	case a.Reason == "overflow" && w.last != nil && w.last.ErrorMessage.Set:
		w.dropReply()
	}
	w.print(&native.CompactionStart{Reason: a.Reason}, true)
}

// endCompaction ends the one under way. After an overflow the run goes on at once.
func (w *Worker) endCompaction() {
	a := w.steps[w.compaction.step].Action.(script.Compacts)
	client := w.compaction.client
	w.compaction = compaction{}
	end := &native.CompactionEnd{Reason: a.Reason}
	failure := ""
	if a.Fails {
		failure = "Summarization failed: " + w.rules.failureText(provider.ServerError())
		end.ErrorMessage = native.Some(compactionFailures[a.Reason] + failure)
	} else {
		end.Result = w.summarise(a.Same)
		end.WillRetry = a.Reason == "overflow"
	}
	if !w.mute() {
		w.print(end, true)
	}
	w.answerCompact(client, end.Result, failure)
	w.since, w.pledged, w.recovered = w.now, end.WillRetry, end.WillRetry
	queued := a.Reason != "manual" && len(w.steering)+len(w.followUp) > 0
	switch {
	case !end.WillRetry && !queued || w.mute():
	case w.rules.beforeResume > 0:
		w.resumeAt = w.now + w.rules.beforeResume
	default:
		w.resume()
	}
}

// compactionFailures is how the error of a compaction begins.
var compactionFailures = map[string]string{
	"manual": "Compaction failed: ", "threshold": "Auto-compaction failed: ", "overflow": "Context overflow recovery failed: ",
}

// mute reports whether nothing is told of a compaction but its start: a one-shot may have let go of its session by
// then, though it lives until the summary is saved (docs/pi-formats.md, section 12).
func (w *Worker) mute() bool { return w.mode.OneShot() && !w.rules.tellsCompaction }

// resume is the run that follows a compaction by itself: the request that was too large again, or what has waited.
func (w *Worker) resume() {
	again := w.pledged
	w.startRun()
	switch {
	case len(w.steering) > 0:
		w.deliverSteering()
	case !again && len(w.followUp) > 0:
		w.deliverFollowUp()
	}
	w.request()
}

// fullContext is how many tokens of conversation a compaction finds at least: a script's few words stand for many.
const fullContext = contextWindow * 9 / 10

// summarise replaces the context and saves the entry. A compaction that does not shrink keeps it.
func (w *Worker) summarise(same bool) *native.CompactionResult {
	w.context = max(w.context, fullContext)
	before := promptTokens + w.context
	after := before
	if !same {
		w.context /= 4
		after = promptTokens + w.context
	}
	usage := usageOf(provider.SummaryReport())
	r := &native.CompactionResult{
		Summary: provider.Summary, FirstKeptEntryID: w.lastEntry, TokensBefore: before,
		EstimatedTokensAfter: native.Some(after), Usage: &usage,
		Details: native.Object{{Key: "readFiles", Value: native.Array{}}, {Key: "modifiedFiles", Value: native.Array{}}},
	}
	w.append(&native.CompactionEntry{
		EntryBase: w.base(), Summary: r.Summary, FirstKeptEntryID: r.FirstKeptEntryID, TokensBefore: r.TokensBefore,
		Details: r.Details, Usage: r.Usage, FromHook: native.Some(false), SystemMessage: w.systemMessage(),
	}, true)
	return r
}

// answerCompact answers the command that asked for a compaction, even on the way out.
func (w *Worker) answerCompact(id string, result *native.CompactionResult, failure string) {
	if id == "" {
		return
	}
	r := &native.Response{ID: native.String(id), Command: native.Some(native.CmdCompact), Success: result != nil}
	if result != nil {
		r.Data = result
	} else {
		r.Error = native.Some(failure)
	}
	w.write(Out, r, false)
}

// abortCompaction ends the one under way without a result.
func (w *Worker) abortCompaction() {
	client := w.compaction.client
	end := &native.CompactionEnd{Reason: w.steps[w.compaction.step].Action.(script.Compacts).Reason, Aborted: true}
	w.compaction = compaction{}
	w.print(end, false)
	w.answerCompact(client, nil, "Compaction cancelled")
}
