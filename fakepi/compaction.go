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
	if a.Fails {
		end.ErrorMessage = native.Some("Compaction failed: " + w.rules.failureText(provider.ServerError()))
	} else {
		end.Result = w.summarise(a.Same)
		end.WillRetry = a.Reason == "overflow"
	}
	w.print(end, true)
	w.answerCompact(client, end)
	w.since, w.pledged = w.now, end.WillRetry
	switch {
	case !end.WillRetry:
	case w.rules.afterLarge > 0:
		w.resumeAt = w.now + w.rules.afterLarge
	default:
		w.startRun()
	}
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

// answerCompact answers the command that asked for a compaction.
func (w *Worker) answerCompact(id string, end *native.CompactionEnd) {
	if id == "" {
		return
	}
	r := &native.Response{ID: native.String(id), Command: native.Some(native.CmdCompact), Success: end.Result != nil}
	switch {
	case end.Result != nil:
		r.Data = end.Result
	case end.Aborted:
		r.Error = native.Some("Compaction cancelled")
	default:
		r.Error = end.ErrorMessage
	}
	w.print(r, false)
}

// abortCompaction ends the one under way without a result.
func (w *Worker) abortCompaction() {
	client := w.compaction.client
	end := &native.CompactionEnd{Reason: w.steps[w.compaction.step].Action.(script.Compacts).Reason, Aborted: true}
	w.compaction = compaction{}
	w.print(end, false)
	w.answerCompact(client, end)
}
