package oracle

import (
	"time"

	"fakepi.example/watchdog"
)

// This file holds every bound that depends on the subject's declared poll. A subject that polls notices a limit at its next
// poll, and what it asked for at a poll is answered right after it, so that the next look that is confirm_every apart is one
// poll later than that.

// period is the time between two looks that count.
func period(l *watchdog.Limits, poll time.Duration) time.Duration {
	if poll == 0 {
		return l.ConfirmEvery
	}
	return (l.ConfirmEvery/poll + 1) * poll
}

// agreement is how long the confirmations take.
func agreement(l *watchdog.Limits, poll time.Duration) time.Duration {
	return time.Duration(l.Confirmations) * period(l, poll)
}

// Lateness is by how much a verdict or a notice may come later from a subject that polls than from one that is woken at the
// exact time.
func Lateness(l *watchdog.Limits, poll time.Duration) time.Duration {
	return poll + agreement(l, poll) - agreement(l, 0)
}

// Chain is by how much the last of several commands may come later, each of which follows from the one before.
func Chain(l *watchdog.Limits, poll time.Duration) time.Duration {
	return chainLength * (poll + Lateness(l, poll))
}

// chainLength is how many commands follow from each other in a recovery, from the first look to the successor.
const chainLength = 16

// patience is how late what is due at a moment may come.
func (o *Oracle) patience() time.Duration { return o.cfg.Poll + slack }

func (w *worker) patience() time.Duration { return w.o.patience() }

// agreement is how long the confirmations of the worker's verdicts take.
func (w *worker) agreement() time.Duration { return agreement(&w.limits, w.o.cfg.Poll) }

// look is how long a fresh look takes to be due and answered.
func (w *worker) look() time.Duration { return period(&w.limits, w.o.cfg.Poll) }
