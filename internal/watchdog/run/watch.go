// Package run is the watching half of the engine. It takes what agents did (package agents) and facts of the world into a
// model of each worker's run (model.go, records.go, saved.go, status.go), finds the phase that the model is in by one table
// (phases.go), gives a verdict when the phase's limit is passed (judge.go), asks for fresh looks where it must not trust
// silence (looks.go), and tells the owner (notices.go). It acts on nothing, and remembers nothing beyond its own restart.
//
// It is pure: no clock, no goroutine, no I/O.
package run

import (
	"strconv"
	"strings"
	"time"

	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/watchdog"
)

// Watch watches workers.
type Watch struct {
	Now      watchdog.Instant
	Workers  []*Worker          // in the order of their first observation
	Decision *watchdog.Decision // of this step: verdicts, notices and looks are added to it

	policy   *watchdog.Policy
	readers  Readers
	partner  Partner // nil: nobody acts
	byID     map[string]*Worker
	started  bool
	first    bool            // this is the first step
	woke     time.Duration   // on Mono: when the host last returned from suspend
	notified map[string]bool // credentials whose loss was told (WDC-PAUSE-004)
}

// Partner is the half of the engine that acts and remembers, as far as the watching half asks it.
type Partner interface {
	// Vetoes lists what keeps the engine from acting on a worker.
	Vetoes(*Worker) []string
	// Asked reports whether a key is that of a look of its own that is open.
	Asked(w *Worker, key string) bool
	// NoticeKey returns the key of a notice and whether it is to be sent: what was told before a restart is not told again.
	NoticeKey(*Worker, *Notice) (key string, send bool)
	// Incarnation is how often the watchdog was started.
	Incarnation() int
}

// Notice is something that the owner is to be told.
type Notice struct {
	Kind    string // a verdict's name, "attention", "reminder-2"
	Cause   watchdog.Cause
	Text    string
	Anchor  int // observation that the silence or wait counts from
	Verdict watchdog.VerdictName
	Mended  int // observation with which the worker's credential was last good again; 0 = it never was
}

// Readers finds who reads what an agent of a name writes.
type Readers map[string]agents.Factory

// of makes a reader for the agent that the spawner names. One that nobody knows is read as one whose records nobody
// understands.
func (r Readers) of(agent, version string) agents.Reader {
	if agent == "" {
		agent = watchdog.DefaultAgent
	}
	if make, ok := r[agent]; ok {
		return make(version)
	}
	return new(agents.Opaque)
}

// New starts to watch under a policy.
func New(policy *watchdog.Policy, readers Readers, decision *watchdog.Decision) *Watch {
	return &Watch{
		policy: policy, readers: readers, Decision: decision, byID: map[string]*Worker{}, notified: map[string]bool{},
		woke: -afterWake, // never
	}
}

// Join says who acts on what is watched. It comes before the first worker.
func (watch *Watch) Join(p Partner) { watch.partner = p }

// afterWake is how long after a suspend no limit is judged, so that the look that judges is a fresh one (WDC-PAUSE-005).
const afterWake = time.Second

// suspendJitter is the least difference between the two monotonic clocks that is taken for a suspend.
const suspendJitter = 100 * time.Millisecond

// Advance takes the time of a step and notices a suspend: Boot went on while Mono stood still.
func (watch *Watch) Advance(now watchdog.Instant) {
	watch.first = !watch.started
	if watch.started && (now.Boot-now.Mono)-(watch.Now.Boot-watch.Now.Mono) > suspendJitter {
		watch.woke = now.Mono
	}
	if watch.started && now.BootID != watch.Now.BootID {
		watch.reboot(now)
	}
	watch.Now, watch.started = now, true
}

// Seen says that all of a step was observed.
func (watch *Watch) Seen() {
	if watch.first {
		watch.reboot(watch.Now)
	}
}

// reboot ends what ran in an earlier boot of the host.
func (watch *Watch) reboot(now watchdog.Instant) {
	for _, w := range watch.Workers {
		w.rebooted(now)
	}
}

// Worker returns the worker that an observation is of; one that is new begins with it. What belongs to a newer generation
// than was announced starts that generation without its particulars. Of an older one there is nothing to take: old is true.
func (watch *Watch) Worker(o *watchdog.Observation) (w *Worker, old bool) {
	w = watch.byID[o.Worker]
	if w == nil {
		w = newWorker(o.Worker, o.Generation, watch)
		watch.join(w)
	}
	if o.Generation > w.Generation {
		w.restart(o.Generation)
	}
	return w, o.Generation < w.Generation
}

// Find returns the worker of an id, or nil.
func (watch *Watch) Find(id string) *Worker { return watch.byID[id] }

func (watch *Watch) join(w *Worker) {
	watch.byID[w.ID] = w
	watch.Workers = append(watch.Workers, w)
}

// Observe takes one observation of a worker's generation.
func (watch *Watch) Observe(w *Worker, o *watchdog.Observation) { w.observe(o, watch) }

// Judge gives the verdict that holds of a worker, if it is due, and reports whether it was.
func (watch *Watch) Judge(w *Worker) bool {
	if !w.Touched && w.Next > watch.Now.Mono {
		return false
	}
	w.judge(watch)
	return true
}

// Wake asks for a step at a moment on Mono; never is none.
func (watch *Watch) Wake(at time.Duration) {
	switch wake := &watch.Decision.Wake; {
	case at == never:
	case *wake == 0:
		*wake = at
	default:
		*wake = min(*wake, at)
	}
}

// judges is from when on silence may be judged: a while after the last suspend.
func (watch *Watch) judges() time.Duration { return watch.woke + afterWake }

// wants reports whether the acting half waits for the answer to a look.
func (watch *Watch) wants(w *Worker, key string) bool {
	return watch.partner != nil && watch.partner.Asked(w, key)
}

// noticeKey returns the key of a notice, and whether it is to be sent. Where nothing is remembered every notice is new.
func (watch *Watch) noticeKey(w *Worker, n *Notice) (key string, send bool) {
	if watch.partner == nil {
		return w.key(n.Kind), true
	}
	return watch.partner.NoticeKey(w, n)
}

// mended is the observation with which a worker's credential was last good again after it was refused, for whoever uses
// it: what is refused from there on is another matter (WDC-PAUSE-004).
func (watch *Watch) mended(w *Worker) int {
	n := w.mended
	for _, other := range watch.Workers {
		if c := w.Spawn.Credential; c != "" && other.Spawn.Credential == c {
			n = max(n, other.mended)
		}
	}
	return n
}

// lookKey makes the key of a look one of this incarnation: each look is a new one.
func (watch *Watch) lookKey(key string) string {
	if watch.partner == nil {
		return key
	}
	i := strings.LastIndexByte(key, '/')
	return key[:i] + "/" + strconv.Itoa(watch.partner.Incarnation()) + key[i:]
}

// firstOf reports whether a thing is told for the first time, and remembers it.
func (watch *Watch) firstOf(key string) bool {
	if watch.partner != nil {
		return true // it knows what was told
	}
	if watch.notified[key] {
		return false
	}
	watch.notified[key] = true
	return true
}

// Prompt returns the bytes that prompt the worker on its stdin; nil if nobody can.
func (w *Worker) Prompt(id, text string) []byte { return w.reader.Prompt(id, text) }
