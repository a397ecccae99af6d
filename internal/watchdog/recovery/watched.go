package recovery

import (
	"fmt"
	"os"
	"time"

	"fakepi.example/internal/watchdog/observe"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// Watched is what the reference watchdog says over a recording or a session file, played up to now: its last line is as
// old as the file. A recording shows too which calls have ended.
func Watched(file string, policy watchdog.Policy, now time.Time) (*Verdict, *Witness, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, nil, err
	}
	if err := regular(file, info); err != nil {
		return nil, nil, err
	}
	r, err := observe.Open(file)
	if err != nil {
		return nil, nil, err
	}
	first, end := r.Span()
	end += max(0, now.Sub(info.ModTime()))
	var last observe.Change
	witness := &Witness{}
	start := func(b watchdog.Boot) (watchdog.Watchdog, error) {
		w, err := engine.New(b)
		return &witnessed{w, witness}, err
	}
	err = observe.Play(r, start, observe.Options{Policy: policy, Until: max(1, end-first)}, func(c observe.Change) error { last = c; return nil })
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	since := end - time.Duration(last.Since*float64(time.Millisecond))
	return &Verdict{
		Name: string(last.Phase), Status: string(last.Status), Since: since.Round(time.Second).String(), Limit: string(last.Cause.Limit),
		Until: last.Detail.Until, Credential: last.Detail.Credential, Dialog: last.Detail.Dialog,
	}, witness, nil
}

// witnessed lets a witness see what a watchdog sees of the worker's output.
type witnessed struct {
	watchdog.Watchdog
	witness *Witness
}

// Step implements watchdog.Watchdog.
func (w *witnessed) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	for i := range seen {
		if b, ok := seen[i].Body.(watchdog.Bytes); ok && b.Stream == watchdog.StreamOut {
			w.witness.See(b.Data)
		}
	}
	return w.Watchdog.Step(now, seen)
}

// wait is what a worker waits for, in words, or "" if it waits for nothing. Whoever waits is not hung, and neither stopped
// nor resumed for it (WDC-WAIT-001, WDC-PAUSE-003, WDC-PAUSE-004).
func (v *Verdict) wait() string {
	if v == nil || v.Status != string(watchdog.StatusOK) {
		return ""
	}
	switch watchdog.VerdictName(v.Name) {
	case watchdog.VerdictAwaitingQuota:
		if !v.Until.IsZero() {
			return "its quota, until " + v.Until.UTC().Format(time.RFC3339)
		}
		return "its quota, without a known end"
	case watchdog.VerdictAwaitingAuth:
		if v.Credential != "" {
			return "a credential in the place of " + cut(v.Credential, 60)
		}
		return "a credential"
	case watchdog.VerdictAwaitingUser:
		return "a person's answer"
	case watchdog.VerdictBackingOff:
		return "the end of a retry delay"
	}
	return ""
}
