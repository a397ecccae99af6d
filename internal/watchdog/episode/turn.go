package episode

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"time"

	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/internal/watchdog/run"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// episode is what is durable of an open episode.
type episode struct {
	ID         int            `json:"id"`
	Generation int            `json:"generation"`
	Cause      watchdog.Cause `json:"cause"`
	State      State          `json:"state"`
	Aim        State          `json:"aim,omitempty"` // where a plan leads
	Visit      int            `json:"visit"`         // of the state: one more for each transition
	Opened     stamp          `json:"opened"`
	OpenedN    int            `json:"opened_n"`
	Since      stamp          `json:"since"` // when the state was entered
	EnteredN   int            `json:"entered_n"`
	Ended      stamp          `json:"ended"` // when nothing of the worker ran any more, first
	Frontier   string         `json:"frontier,omitempty"`
	Intents    []*intent      `json:"intents,omitempty"`
}

// last returns the last intent of one of the kinds, or nil.
func (ep *episode) last(kinds ...watchdog.CommandKind) *intent {
	for _, i := range slices.Backward(ep.Intents) {
		if slices.Contains(kinds, i.Kind) {
			return i
		}
	}
	return nil
}

// here returns the last intent of a kind that was given in the state's present visit, or nil.
func (ep *episode) here(k watchdog.CommandKind) *intent {
	if i := ep.last(k); i != nil && i.Visit == ep.Visit {
		return i
	}
	return nil
}

// snapshot returns the last snapshot that is done, or nil.
func (ep *episode) snapshot() *intent {
	for _, i := range slices.Backward(ep.Intents) {
		if i.Kind == watchdog.CmdSnapshot && i.Result == watchdog.ResultDone {
			return i
		}
	}
	return nil
}

func (ep *episode) owns(i *intent) bool { return slices.Contains(ep.Intents, i) }

func (ep *episode) forget(m *memory) {
	for _, i := range ep.Intents {
		delete(m.byKey, i.Key)
	}
}

// turn is one worker's turn to move its episode.
type turn struct {
	e    *Episodes
	w    *worker
	t    *task
	ep   *episode
	f    *run.Finding
	why  string // of the transition, for people
	aim  State  // of the transition, if it sets one
	wake time.Duration
}

// never is a time that does not come.
const never = time.Duration(math.MaxInt64)

// maxMoves bounds the transitions of one step: a machine that turns in a circle is a defect.
const maxMoves = 32

// machine is states, built once.
var machine = states()

func stateRow(s State) *StateRow {
	for i := range machine {
		if machine[i].State == s {
			return &machine[i]
		}
	}
	return nil
}

// episodes lets each episode move: first those whose commands an outage held back, in their order (WDC-QUEUE-001).
func (e *Episodes) episodes() {
	r := e
	r.incident(e)
	for _, q := range slices.Clone(r.memory.Queue) { // which changes with each that moves
		if w := e.byID[q.Worker]; w != nil {
			w.turn(e)
		}
	}
	for _, w := range e.workers {
		w.turn(e)
	}
}

// turn moves one worker's episode as far as it goes.
func (w *worker) turn(e *Episodes) {
	if !w.due && w.next > e.Now.Mono {
		e.Decision.Wake = sooner(e.Decision.Wake, w.next)
		return
	}
	w.due = false
	t := &turn{e: e, w: w, f: &w.Found, wake: never}
	t.find()
	t.record()
	t.remarks()
	if t.open() {
		t.run()
	}
	if w.next = t.wake; w.next != never {
		e.Decision.Wake = sooner(e.Decision.Wake, w.next)
	}
}

// find finds the task; one that no record speaks of is empty.
func (t *turn) find() {
	if t.t = t.e.memory.byWorker[t.w.ID]; t.t == nil {
		t.t = &task{Worker: t.w.ID}
	}
}

// record journals a detection (WDC-ALERT-003): a verdict past a limit, as it was given.
func (t *turn) record() {
	v := t.w.Given
	if v == nil || v.Status == watchdog.StatusOK || t.t.Detected == (detection{v.Generation, v.Name, v.Status, v.Since}) {
		return
	}
	b := journal.Verdict{Worker: v.Worker, Generation: v.Generation, Name: v.Name, Status: v.Status, Since: v.Since, Cause: v.Cause}
	if t.t.Episode != nil {
		b.Episode = t.t.Episode.ID
	}
	for _, ev := range v.Evidence {
		b.Evidence = append(b.Evidence, ev.N)
	}
	t.e.add(b)
}

// open opens an episode where there is none and there should be, and reports whether one is open.
func (t *turn) open() bool {
	if t.ep = t.t.Episode; t.ep != nil {
		return true
	}
	if !t.wanted() || t.t.Operator != "" {
		return false
	}
	b := journal.Episode{
		ID: t.t.Episodes + 1, Worker: t.w.ID, Generation: t.w.Generation, Step: journal.Opened, State: string(Verdict),
		Cause: t.w.Cause(t.f),
	}
	if t.finished() {
		b.Aim = string(Remove)
	}
	t.e.add(b)
	t.find()
	t.ep = t.t.Episode
	t.stable()
	return t.ep != nil
}

// wanted reports whether the worker is in what an episode is for.
func (t *turn) wanted() bool {
	switch {
	case t.f.Name == watchdog.VerdictDead:
		return t.w.handled != t.w.Generation
	case t.lingers():
		return true
	case t.f.Name == watchdog.VerdictSettledUnproven:
		return false // the owner hears of it, and that is all: nobody knows better than the owner what it means
	}
	return t.f.Past || t.rowWrong() || t.finished()
}

// lingers reports whether a one-shot worker has settled and its process stays (WDC-LIFE-003).
func (t *turn) lingers() bool {
	w := t.w
	name := w.Phase()
	if !w.Spawn.Mode.OneShot() || w.Exit.Proven || name != watchdog.VerdictSettled && name != watchdog.VerdictSettledUnproven {
		return false
	}
	at := w.Since().Until(w.Limits.Settle).At
	if t.e.Now.Mono < at {
		t.wakeAt(at)
		return false
	}
	return true
}

// run follows the machine until nothing moves.
func (t *turn) run() {
	for range maxMoves {
		on := t.any()
		if on == "" {
			on = stateRow(t.ep.State).run(t)
		}
		if on == "" {
			return
		}
		if over := t.move(on); over {
			return
		}
	}
	t.e.failed = fmt.Errorf("engine: the episode of %s turns in a circle at %s", t.w.ID, t.ep.State)
}

// move journals the transition that an event makes, and reports whether it closed the episode.
func (t *turn) move(on event) bool {
	tr, ok := follow(t.ep.State, on)
	if !ok {
		t.e.failed = fmt.Errorf("engine: no transition from %s on %s", t.ep.State, on)
		return true
	}
	to := tr.To
	if to == Aim {
		to = t.ep.Aim
	}
	b := journal.Episode{
		ID: t.ep.ID, Worker: t.w.ID, Generation: t.ep.Generation, Step: journal.Moved, State: string(to), Aim: string(t.aim),
		Reason: t.reason(tr),
	}
	if t.ep.State == Verdict && on != onHealed && !t.cleaning() {
		b.Frontier = t.w.Frontier()
		if t.f.Past || t.f.Name == watchdog.VerdictDead {
			b.Cause = t.w.Cause(t.f)
		}
		t.ledger()
		t.account()
	}
	t.why, t.aim = "", ""
	if to == Watch {
		b.Frontier = t.ep.Frontier + "@" + t.w.facts.Head
	}
	if on == onKept {
		t.w.kept = t.e.seen
	}
	t.leave()
	if !working(to) {
		defer t.e.makeRoom() // when the record is folded
	}
	if to == Healed || to == Over {
		b.Step = journal.Closed
		if t.w.Exit.Proven && !t.aboutRow() && t.w.Generation == t.ep.Generation && on != onOperator && on != onWorse {
			t.w.handled = t.w.Generation
		}
		t.e.add(b)
		t.w.due, t.ep = true, nil
		t.wakeAt(t.e.Now.Mono + 1)
		return true
	}
	t.e.add(b)
	return false
}

func (t *turn) reason(tr Transition) string {
	if t.why == "" {
		return string(tr.On)
	}
	return string(tr.On) + ": " + debris.Printable(t.why)
}

// leave drops what the state had in the queue: the world has healed it, or it is to be planned anew (WDC-QUEUE-002).
func (t *turn) leave() {
	for _, i := range t.e.memory.Queue {
		if i.Worker == t.w.ID {
			t.e.add(journal.Queue{Key: i.Key, Step: journal.Dropped, Worker: i.Worker, Generation: t.ep.Generation, Reason: "not needed any more"})
		}
	}
}

// any finds the events that end an episode in whatever state it is.
func (t *turn) any() event {
	switch {
	case t.t.Operator != "":
		return onOperator
	case t.w.Generation > t.ep.Generation && t.ep.State != Watch && t.ep.State != Successor:
		return onSuperseded
	}
	return ""
}

// heals finds the events that take the ground from under a stop.
func (t *turn) heals() event {
	switch {
	case t.aboutRow():
		if !t.rowWrong() {
			return onHealed
		}
		return ""
	case t.w.Exit.Proven:
		ours := t.w.Run.CutShort() && t.ep.last(watchdog.CmdAbort, watchdog.CmdStopTool) != nil
		if t.f.Name == watchdog.VerdictDead || t.reaping() || ours {
			return onEnded
		}
		return onHealed
	case t.reaping():
		if !t.lingers() {
			return onHealed
		}
	case t.recovered(), t.progressed():
		return onHealed
	}
	return ""
}

// progressed reports whether the worker moved since the episode began, and not by the tail that our own abort made it
// print: then the count is another, and if that is past a limit too it is another episode (WDC-STALL-004).
func (t *turn) progressed() bool { return t.w.Progress.N > t.ep.OpenedN && !t.ownTail() }

// recovered reports whether something that was seen since the episode began proves the worker well. That nothing is past a
// limit proves nothing by itself: after a restart the looks that a verdict rested on have to be made again.
func (t *turn) recovered() bool {
	w := t.w
	news := max(w.Progress.N, w.Resumed.N, w.Since().N)
	return t.f.Status == watchdog.StatusOK && (news > t.ep.OpenedN || w.Vetoed())
}

// reaping reports whether the episode is about a settled worker: a one-shot that does not exit, or one whose
// worktree is cleaned up.
func (t *turn) reaping() bool {
	return t.ep.Cause.Name == watchdog.VerdictSettled || t.ep.Cause.Name == watchdog.VerdictSettledUnproven
}

// wakeAt asks for a step at a moment on Mono.
func (t *turn) wakeAt(at time.Duration) {
	if at > t.e.Now.Mono {
		t.wake = min(t.wake, at)
	}
}

// elapsed reports whether so much time went by since the stamp, and if not asks to be woken then.
func (t *turn) elapsed(s stamp, d time.Duration) bool {
	left := d - s.age(t.e.Now)
	if left <= 0 {
		return true
	}
	t.wakeAt(t.e.Now.Mono + left)
	return false
}

// key names the next attempt of a step, or the one whose fate is not known: that is the same attempt (WDC-SIDE-004).
func (t *turn) key(step string) string {
	tries := 0
	for _, i := range t.ep.Intents {
		if stepOf(i.Key) != step {
			continue
		}
		tries++
		if t.lost(i) && t.wantedStill(i) {
			return i.Key
		}
	}
	return t.w.ID + "/" + strconv.Itoa(t.ep.Generation) + "/" + strconv.Itoa(t.ep.ID) + "/" + step + "/" + strconv.Itoa(tries+1)
}

// wantedStill reports whether what is to be done is what an intent was for: a snapshot is one of its moment, a proposal one
// of its evidence.
func (t *turn) wantedStill(i *intent) bool {
	switch i.Kind {
	case watchdog.CmdSnapshot:
		return i.Visit == t.ep.Visit
	case watchdog.CmdPropose:
		return i.Digest == t.digest()
	}
	return true
}

// lost reports whether a command may not have been given: the watchdog ended, or could not make it durable.
func (t *turn) lost(i *intent) bool {
	return i.Result == "" && (i.Lost || t.e.withheld[i.Key])
}

// stepOf returns the step that a key names.
func stepOf(key string) string { return path.Base(path.Dir(key)) }

// command begins a command of the episode under a key.
func (t *turn) command(key string, kind watchdog.CommandKind) watchdog.Command {
	c := watchdog.Command{
		Key: key, Kind: kind, Worker: t.w.ID, Generation: t.ep.Generation, Cause: t.ep.Cause, IfGen: t.ep.Generation,
		NotAfter: t.e.Now.Wall.Add(t.w.Limits.Grace),
	}
	for _, ev := range t.w.Evidence(t.e.Now.Mono, t.f) {
		c.Evidence = append(c.Evidence, ev.N)
	}
	if n := t.w.tree.n; n > 0 {
		c.Evidence = append(c.Evidence, n)
	}
	return c
}

// give journals the intent of a command and adds it to the decision.
func (t *turn) give(c watchdog.Command) {
	if c.Kind != watchdog.CmdRespawn { // whose brief has lines
		c.Text = debris.Printable(c.Text)
	}
	delete(t.e.withheld, c.Key)
	t.e.add(journal.Intent{
		Key: c.Key, Command: c.Kind, Worker: c.Worker, Generation: c.Generation, Episode: t.ep.ID, Cause: c.Cause,
		Evidence: c.Evidence, Digest: c.IfDigest, NotAfter: c.NotAfter,
	})
	t.e.Decision.Commands = append(t.e.Decision.Commands, c)
}
