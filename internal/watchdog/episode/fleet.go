package episode

import (
	"slices"
	"time"
)

// death is the end of one worker, as far as a mass death is made of it.
type death struct {
	worker string
	at     time.Duration // on Mono
}

// massLeast is how many deaths at least make an incident; they must be over half of the workers too.
const massLeast = 5

// incident notes the deaths of this step (WDC-FLEET-002).
func (r *Episodes) incident(e *Episodes) {
	for _, w := range e.workers {
		if w.Exit.Early && !w.counted {
			w.counted = true
			r.deaths = append(r.deaths, death{w.ID, w.Exit.At})
		}
	}
	r.deaths = slices.DeleteFunc(r.deaths, func(d death) bool { return e.Now.Mono-d.at > 2*e.policy.MassWindow })
}

// mass reports whether a worker's death is part of an incident: of enough deaths within one window, wherever that begins.
func (r *Episodes) mass(w *worker, e *Episodes) bool {
	for _, last := range r.deaths {
		n, among := 0, false
		for _, d := range r.deaths {
			if d.at <= last.at && last.at-d.at <= e.policy.MassWindow {
				n++
				among = among || d.worker == w.ID
			}
		}
		if among && n >= massLeast && 2*n > len(e.workers) {
			return true
		}
	}
	return false
}

// held reports whether an episode has to wait since its worker's death is one of many: until a look of its own proves it,
// and then for a moment of its own, so that not all come back at once (WDC-FLEET-004).
func (r *Episodes) held(t *turn) bool {
	w := t.w
	if !w.Exit.Proven {
		return false
	}
	if r.mass(w, t.e) {
		w.massed = true
	}
	if !w.massed {
		return false
	}
	jitter := time.Duration(chance(w.ID) * float64(w.Limits.MassWindow))
	if !t.elapsed(t.ep.Opened, w.Limits.MassWindow+jitter) {
		return true
	}
	return !t.freshTree() || t.self() != nil
}

// busy counts the recoveries under way (WDC-FLEET-003). Who waits for a person is none.
func (e *Episodes) busy() (n int) {
	for _, t := range e.memory.Tasks {
		if t.Episode != nil && working(t.Episode.State) {
			n++
		}
	}
	return n
}

// working reports whether an episode in a state counts as a recovery under way.
func working(s State) bool {
	switch s {
	case Verdict, Approval, Human, Keep, Watch, Healed, Over:
		return false
	}
	return true
}

// makeRoom lets those go on who wait for a recovery to be over.
func (e *Episodes) makeRoom() {
	for _, w := range e.workers {
		if w.waits {
			w.waits, w.due = false, true
			e.Decision.Wake = sooner(e.Decision.Wake, e.Now.Mono+1)
		}
	}
}

// vetoes lists what keeps the engine from acting on a worker: it alerts only (WDC-GATE-005).
func (w *worker) vetoes(e *Episodes) []string {
	var list []string
	list = append(list, w.row.Vetoes...)
	if !w.Spawn.Autonomous {
		list = append(list, "not_autonomous")
	}
	if t := e.memory.byWorker[w.ID]; t != nil && t.Operator != "" {
		list = append(list, "operator_"+string(t.Operator))
	}
	if len(w.Run.Calls) > 0 {
		if c, _, _ := w.FirstPast(); c.Terminal != 0 {
			list = append(list, "terminal_prompt")
		}
	}
	if w.Forked() {
		list = append(list, "session_fork")
	}
	if e.quarantined {
		list = append(list, "quarantine")
	}
	if e.full {
		list = append(list, "no_durable_state")
	}
	return list
}
