package script

// Ending is how the script leaves a worker.
type Ending struct {
	Actor string
	Fate  Fate
	Step  *Step // the worker's last that is more than chatter
}

// Fate is a kind of Ending.
type Fate string

// The fates. A worker that is Open falls silent in the middle of something, which Vet refuses.
const (
	FateIdle      Fate = "idle"      // settled, or never prompted
	FateLingering Fate = "lingering" // a settled one-shot that does not exit
	FateExited    Fate = "exited"    // with status 0
	FateAsking    Fate = "asking"    // a dialog is open
	FateFailed    Fate = "failed"    // exited with another status, killed, or gone in a reboot
	FateStuck     Fate = "stuck"     // stalls or wedges
	FateHanging   Fate = "hanging"   // a tool, compaction or start never ends
	FateOpen      Fate = "open"
)

// Healthy reports whether a watchdog has nothing to say of such a worker but reminders.
func (f Fate) Healthy() bool {
	return f == FateIdle || f == FateLingering || f == FateExited || f == FateAsking
}

// Endings returns how resolved steps leave each worker, in the order in which they appear.
func Endings(steps []Step, cast Cast) []Ending {
	v := follow(steps, cast)
	var all []Ending
	for _, l := range v.order {
		all = append(all, Ending{Actor: l.name, Fate: l.fate(), Step: l.last})
	}
	return all
}

// fate is how the worker is left.
func (l *life) fate() Fate {
	switch {
	case l.gone != nil:
		if exits, ok := l.gone.Action.(Exits); ok && exits.Code == 0 {
			return FateExited
		}
		return FateFailed
	case l.stuck != nil:
		return FateStuck
	case l.lingers != nil:
		return FateLingering
	case l.dialog != nil && !l.dialog.HasDur:
		return FateAsking
	case l.hangs():
		return FateHanging
	case l.run || l.ended != nil || l.mode.OneShot():
		return FateOpen
	}
	return FateIdle
}

// hangs reports whether something never ends that says so of itself.
func (l *life) hangs() bool {
	for _, t := range l.tools {
		if !t.HasDur {
			return true
		}
	}
	if l.activity == nil || l.activity.HasDur {
		return false
	}
	switch a := l.activity.Action.(type) {
	case Prompt:
		return a.Takes.Never || a.ResponseOnly
	case Compacts:
		return a.Runs.Never
	}
	return false
}
