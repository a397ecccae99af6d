package recovery

import "fakepi.example/internal/watchdog/debris"

// Brief is what the successor is told (WDC-WORK-003, WDC-SIDE-005, WDC-EVID-006).
func Brief(p *Plan, f *Facts) string {
	b := debris.Brief{Recreated: p.Debris == Orphaned, Evidence: p.Evidence, Digest: p.Digest, Session: p.Session}
	if s := f.Session; s != nil {
		for i := range s.Open {
			if c := &s.Open[i]; c.Effects() {
				b.Calls = append(b.Calls, f.told(c))
			}
		}
		if len(s.Damaged) > 0 {
			b.Notes = append(b.Notes, count(len(s.Damaged), "line")+" of the session cannot be read, and may have held a call: look before you repeat a step.")
		}
	}
	if g := f.Worktree.Git; g != nil {
		b.Midway = g.Progress
	}
	return b.Text()
}

// told is a call without a result, with what is known of its effect.
func (f *Facts) told(c *Call) debris.Call {
	told := debris.Call{ID: c.ID, Tool: c.Name, Args: c.Args}
	for _, e := range f.Effects {
		if e.Call != cut(c.ID, 60) {
			continue
		}
		told.Why = e.Why
		switch e.Happened {
		case Yes:
			told.Effect = debris.EffectHappened
		case No:
			told.Effect = debris.EffectNone
		}
	}
	return told
}
