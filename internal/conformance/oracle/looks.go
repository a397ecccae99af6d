package oracle

import (
	"fmt"
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/watchdog"
)

// looks is what fresh looks the subject has had at a silent worker (WDC-STALL-003).
type looks struct {
	telling bool          // the terminal tells its state: OSC 7501
	broken  bool          // the stream does not attest its silence
	gapAt   time.Duration // when counts may last have begun afresh: bytes were missing, an operator's pause ended
	size    int64         // of the main stream, as far as it was shown or inspected
	blind   bool          // what came while the subject was away is lost, and no record has told the phase since
	doubt   bool          // a boundary may have been among them; until a wait or an end the phase is not certain
	unread  bool          // bytes were missing, and no record has told the phase since
	deaf    bool          // the last probe of its processes failed
	unsure  bool          // a probe failed or found no worker, and none has found it since
	at      time.Duration // the last answered look that counted
	count   int           // answered looks since the last progress, confirm_every apart
}

// fresh counts an answered look, if it is far enough from the one before.
func (l *looks) fresh(at, every time.Duration) {
	l.broken = false
	if l.count > 0 && at < l.at+every {
		return
	}
	l.count, l.at = l.count+1, at
}

func (l *looks) restart() { l.count = 0 }

// utterance is when the standing verdict was given.
type utterance struct {
	suspected time.Duration // the first verdict of that name in the episode
	confirmed time.Duration
	right     bool // it was right when it was given
	exited    bool // flagged so
}

// agreed checks that a confirmation had its fresh checks: time on a held stream, or answers. A verdict that is confirmed
// without having been suspected counts from its deadline.
func (w *worker) agreed(v *watchdog.Verdict, suspected bool) {
	n := w.limits.Confirmations
	if n == 0 || v.Status != watchdog.StatusConfirmed || !pastLimit(v.Name) || !w.said.right {
		return
	}
	now := w.o.now.Mono
	need := time.Duration(n-1) * w.limits.ConfirmEvery
	first := w.situation.deadline
	if suspected {
		first = w.said.suspected
	}
	if now < first+need {
		w.blame(mistakes.ConfirmedEarly, finding{
			said:     v.Name,
			expected: fmt.Sprintf("%d fresh checks at least %s apart before %s is confirmed", n, w.limits.ConfirmEvery, v.Name),
			actual:   fmt.Sprintf("confirmed %s after it was first suspected", now-first),
		})
		return
	}
	if !w.attested() && w.looks.count < n {
		w.blame(mistakes.ConfirmedEarly, finding{
			said:     v.Name,
			expected: fmt.Sprintf("%d answered looks, for an empty step proves nothing on this source", n),
			actual:   fmt.Sprintf("confirmed after %d", w.looks.count),
		})
	}
}

// attested reports whether the stream proves its own silence.
func (w *worker) attested() bool { return w.spawn.Source == watchdog.SourceHeld && !w.looks.broken }
