package calibrate

import (
	"path/filepath"
	"time"

	"fakepi.example/internal/watchdog/canary"
	"fakepi.example/internal/watchdog/observe"
	"fakepi.example/watchdog"
)

// Outcome is what a policy would have made of recorded runs.
type Outcome struct {
	Runs   int `json:"runs"`
	Alarms int `json:"alarms"` // confirmed verdicts past a limit
	// Healed are alarms after which the worker went on by itself: false ones, as far as a recording can tell.
	Healed int `json:"healed"`
	// MarkedFalse are alarms that a person has called false, or that stood when one did.
	MarkedFalse int `json:"marked_false"`
	// Missed are marks "missed" at which no alarm stood.
	Missed int `json:"missed"`
	// Noticed are marks "missed" and "right" at which one stood.
	Noticed int `json:"noticed"`
}

// alarm is one that stood from a time until another; until the end if to is less than 0.
type alarm struct {
	from, to float64
	healed   bool
}

// Judge plays a recording to a watchdog with a policy, and adds what comes of it.
func (o *Outcome) Judge(r *canary.Recording, start observe.Start, policy watchdog.Policy) error {
	file, err := observe.Open(filepath.Join(r.Dir, canary.EventsFile))
	if err != nil {
		return err
	}
	var alarms []alarm
	open := false
	end := func(at float64, healed bool) {
		if open {
			last := &alarms[len(alarms)-1]
			last.to, last.healed, open = at, healed, false
		}
	}
	err = observe.Play(file, start, observe.Options{Policy: policy, Until: until(r)}, func(c observe.Change) error {
		_, past := c.Phase.LimitPast()
		switch {
		case past && c.Status == watchdog.StatusConfirmed:
			if !open {
				alarms, open = append(alarms, alarm{from: c.Time, to: -1}), true
			}
		default:
			end(c.Time, c.Phase != watchdog.VerdictDead)
		}
		return nil
	})
	if err != nil {
		return err
	}
	o.Runs++
	o.Alarms += len(alarms)
	for _, a := range alarms {
		if a.healed {
			o.Healed++
		}
	}
	for _, m := range r.Marks {
		stands := false
		for _, a := range alarms {
			stands = stands || a.from <= m.At && (a.to < 0 || m.At <= a.to)
		}
		switch {
		case m.Kind == canary.MarkFalseAlarm && stands:
			o.MarkedFalse++
		case m.Kind == canary.MarkMissed && !stands:
			o.Missed++
		case (m.Kind == canary.MarkMissed || m.Kind == canary.MarkRight) && stands:
			o.Noticed++
		}
	}
	return nil
}

// until is how long a recording is played: to its end, and to the last mark.
func until(r *canary.Recording) time.Duration {
	last := r.Meta.ExitedAt
	for _, m := range r.Marks {
		last = max(last, m.At)
	}
	if n := len(r.Events); n > 0 {
		last = max(last, float64(r.Events[n-1].At.Microseconds())/1000)
		last -= float64(r.Events[0].At.Microseconds()) / 1000
	}
	return max(time.Millisecond, time.Duration(last*float64(time.Millisecond)))
}
