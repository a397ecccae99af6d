package fakepi

import (
	"slices"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

// maxRetries is Pi's own limit, unless a setting has another; the delays double from 2 s (docs/pi-formats.md, section 11).
const maxRetries = 3

// retries is Pi's retrying of failed requests.
type retries struct {
	attempt  int // of the announced retry; 0 outside of any
	waiting  bool
	since    time.Duration
	declared time.Duration // the announced end of the delay
	until    time.Duration // when the delay ends; never: it does not
	dropped  bool          // by then a client has cancelled it
	cause    string        // errorMessage of what is retried
}

// refused ends the reply, or the request before any token, by an error of the provider. It ends the run.
func (w *Worker) refused(i int, a script.Refused) {
	w.ensureTurn()
	by := provider.BreakOf(a, w.reply.open)
	if by == script.RefusedEnd && w.rules.endsUnreported && !w.blockwise() {
		w.closeReply(ending{stop: "stop", unreported: true})
		w.endTurn(nil)
		w.endRun(false)
		return
	}
	w.closeReply(w.failed(i, a, by))
	w.endTurn(nil)
	w.rest = w.restBehind(i)
	retry := a.WillRetry || w.retryFollows(i)
	if retry && !w.autoRetry() {
		w.endRun(false)
		if !w.takesUp() {
			w.settle(false)
		}
		return
	}
	w.endRun(retry)
	if !retry {
		w.giveUp(a.Class == script.RefusedTransient)
	}
	if a.Class == script.RefusedOverflow && w.recovered && !w.compactsNext() {
		w.print(&native.CompactionEnd{Reason: "overflow", ErrorMessage: native.Some(stillTooLarge)}, true)
	}
	w.trouble = troubleOf(a.Class, retry)
	w.troubleAt, w.quotaUntil = w.now, 0
	if !retry && !w.compactsNext() {
		w.takesUp()
	}
	if w.trouble == troubleQuota && a.Reset.Finite() {
		w.quotaUntil = w.now + a.Reset.D
	}
}

// takesUp starts the run of what waits behind a reply that failed, in a dialect that does not leave it there.
func (w *Worker) takesUp() bool {
	if !w.rules.terminal || !w.waiting() {
		return false
	}
	w.startQueued()
	return true
}

// trouble is what keeps a worker from asking its provider.
type trouble uint8

const (
	troubleNone trouble = iota
	troubleAuth
	troubleQuota
)

// troubleOf: an error that Pi retries is a delay, whatever its class (docs/verdicts.md, awaiting_quota).
func troubleOf(c script.Class, retried bool) trouble {
	switch {
	case retried:
		return troubleNone
	case c == script.RefusedAuth:
		return troubleAuth
	case c == script.RefusedQuota:
		return troubleQuota
	}
	return troubleNone
}

// retryFollows reports whether the script announces a retry before anything else of the run.
func (w *Worker) retryFollows(i int) bool {
	if i = w.inRunFrom(i + 1); i == w.spare {
		return false
	}
	a, ok := w.steps[i].Action.(script.Retries)
	return ok && !a.Hidden
}

// retry announces a retry; the failed reply is dropped from the conversation. Nothing is printed until the delay ends.
func (w *Worker) retry(a script.Retries) {
	if a.Hidden || !w.autoRetry() || w.last == nil || !w.last.ErrorMessage.Set {
		return
	}
	w.retries.attempt++
	w.retries.waiting, w.retries.since, w.retries.until = true, w.now, w.now+a.Delay.D
	w.retries.declared, w.retries.cause = w.retries.until, w.last.ErrorMessage.V
	if a.Cancelled.Given() && !w.driven { // a real client does it itself
		w.retries.until, w.retries.dropped = w.now+a.Cancelled.D, true
	}
	w.print(&native.RetryStart{
		Attempt: int64(w.retries.attempt), MaxAttempts: max(w.maxAttempts(), int64(w.retries.attempt)),
		DelayMs: float64(a.Delay.D.Milliseconds()), ErrorMessage: w.last.ErrorMessage.V,
	}, true)
	w.dropReply()
}

// dropReply takes the failed reply out of what the model is sent.
func (w *Worker) dropReply() {
	if !w.rules.edits {
		w.session.dropped = append(slices.Clip(w.session.dropped), w.lastEntry)
		return
	}
	edit := &native.ContextEdit{EntryBase: w.base(), TargetID: w.lastEntry, Replacement: native.Null{}}
	w.append(edit, false)
	w.print(&native.EntryAppended{Entry: edit}, false)
}

// retryNow ends the delay.
func (w *Worker) retryNow() {
	if w.retries.dropped {
		w.dropRetry()
		return
	}
	w.retries.waiting = false
	if !w.freed() {
		w.startRun()
	}
}

// dropRetry lets a client end the delay, and with it the work.
func (w *Worker) dropRetry() {
	if !w.playsClient() {
		w.cancelRetry()
	} else {
		id := w.clientSends(&native.Command{Name: native.CmdAbortRetry})
		w.cancelRetry()
		w.respond(native.String(id), native.CmdAbortRetry, "")
	}
	w.settle(false)
}

// cancelRetry tells that there will be no retry.
func (w *Worker) cancelRetry() {
	end := &native.RetryEnd{Attempt: int64(w.retries.attempt), FinalError: native.Some("Retry cancelled")}
	if w.driven && w.asking.answered {
		w.shift -= max(w.retries.until-w.now, 0) // its request, which was awaited behind the delay, comes now
	}
	w.retries = retries{}
	w.print(end, false)
	w.freed()
}

// endRetries tells that a retry has worked.
func (w *Worker) endRetries() {
	if w.retries.attempt > 0 {
		w.print(&native.RetryEnd{Success: true, Attempt: int64(w.retries.attempt)}, true)
		w.retries = retries{}
	}
}

// stillTooLarge is what Pi says of a request that is too large again behind its compaction.
const stillTooLarge = "Context overflow recovery failed after one compact-and-retry attempt. Try reducing context or switching to a larger-context model."

// compactsNext reports whether the script's next step compacts.
func (w *Worker) compactsNext() bool {
	if w.next == len(w.steps) {
		return false
	}
	_, ok := w.steps[w.next].Action.(script.Compacts)
	return ok
}

// giveUp tells that Pi has given up. A failure that it does not retry goes unsaid in a dialect that counts on: there the
// next good reply ends the retry.
func (w *Worker) giveUp(retryable bool) {
	again := w.last != nil && w.last.ErrorMessage.V == w.retries.cause
	if w.rules.countsOn && !retryable && !again {
		return
	}
	w.failRetry()
}

// failRetry tells that there is no further retry.
func (w *Worker) failRetry() {
	if w.retries.attempt == 0 || w.retries.waiting {
		return
	}
	end := &native.RetryEnd{Attempt: int64(w.retries.attempt)}
	if w.last != nil && w.last.ErrorMessage.Set {
		end.FinalError = w.last.ErrorMessage
	}
	w.retries = retries{}
	w.print(end, true)
}
