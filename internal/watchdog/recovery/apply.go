package recovery

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"fakepi.example/internal/watchdog/evidence"
)

// Applying carries out the approved items of one case.
type Applying struct {
	Folder    string
	PublicKey string // file of the owner's public key
	Now       func() time.Time
	Grace     time.Duration // between SIGTERM and SIGKILL
	Output    io.Writer     // of the commands
	Registry  Registry      // the owner's: which approvals were used, and who works where
}

// Applied is what became of one item.
type Applied struct {
	Item   string `json:"item"`
	Result string `json:"result"` // "done", "skipped", "refused" (the approval does not hold) or "failed"
	Reason string `json:"reason,omitempty"`
}

// Apply carries out the approved items in the plan's order, one by one, each checked again at its moment. What rests on an
// item that failed or was refused is not done; the rest is, and the errors come back joined. An item that nobody has approved
// is skipped. After an interruption it looks before it repeats: what has happened is adopted, what has not is done, what
// cannot be told wants a new approval (WDC-SIDE-002).
func (a *Applying) Apply(ctx context.Context) ([]Applied, error) {
	p, err := ReadPlan(a.Folder)
	if err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(a.Folder, PlanFile), flock.SetFlag(0))
	switch alone, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrPlan, err)
	case !alone:
		return nil, fmt.Errorf("%w in %s; wait until it has ended", ErrBusy, a.Folder)
	}
	defer lock.Unlock()
	unlock, err := a.Registry.lock(p.Worktree)
	if err != nil {
		return nil, err
	}
	defer unlock()
	run := applying{Applying: a, Plan: p}
	owner, err := readPublic(a.PublicKey)
	if err != nil {
		return nil, err
	}
	if run.past, err = ReadEvents(a.Folder); err != nil {
		return nil, err
	}
	return run.all(ctx, owner)
}

// applying is one apply under way.
type applying struct {
	*Applying
	*Plan
	past   []Event
	undone []ItemKind // items that were approved and are not done
}

// restsOn says on which items another one rests: what they were to do is its ground.
var restsOn = map[ItemKind][]ItemKind{
	RecreateWorktree: {StopWorker},
	CommitWIP:        {StopWorker},
	Resume:           {StopWorker, RecreateWorktree, CommitWIP},
	Publish:          {StopWorker},
	RepairRow:        {Publish}, // which the row may be to tell of
	RemoveWorktree:   {StopWorker},
}

// all goes through the items. The error joins those of the items that failed.
func (a *applying) all(ctx context.Context, owner ed25519.PublicKey) ([]Applied, error) {
	var results []Applied
	var failed error
	for i := range a.Items {
		it := &a.Items[i]
		result, err := a.one(ctx, it, owner)
		if result == nil {
			return results, errors.Join(failed, err)
		}
		results, failed = append(results, *result), errors.Join(failed, err)
		if result.Result == "failed" || result.Result == "refused" {
			a.undone = append(a.undone, it.Kind)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return results, failed
}

// one carries out an item, if it is to be done. Without a result, the case is at fault and not the item.
func (a *applying) one(ctx context.Context, it *Item, owner ed25519.PublicKey) (*Applied, error) {
	done, begun, err := a.settled(ctx, it)
	if err != nil || done != nil {
		return done, err
	}
	approval, err := approved(a.Folder, a.Plan, it.ID, owner, a.Now(), begun)
	switch {
	case errors.Is(err, errNobody):
		return &Applied{it.ID, "skipped", err.Error()}, nil
	case err != nil:
		return a.refused(it, err.Error())
	}
	for _, ground := range restsOn[it.Kind] {
		if slices.Contains(a.undone, ground) {
			return a.refused(it, fmt.Sprintf("it rests on %s, which is not done", ground))
		}
	}
	switch err := a.item(ctx, it, approval); {
	case errors.Is(err, ErrApproval):
		return &Applied{it.ID, "refused", err.Error()}, nil
	case err != nil:
		return &Applied{it.ID, "failed", err.Error()}, err
	}
	return &Applied{Item: it.ID, Result: "done"}, nil
}

// settled tells what became of an item before, or nil if it is to be done. What was begun at a moment, with an outcome that
// is not known, is only to be done with an approval from after it.
func (a *applying) settled(ctx context.Context, it *Item) (done *Applied, begun time.Time, err error) {
	last := a.last(it)
	switch last.Event {
	case EventVerified:
		return &Applied{it.ID, "skipped", "it was done and verified"}, begun, nil
	case EventFailed:
		done, err = a.refused(it, "it was tried; look, and make a new plan")
		return done, begun, err
	case EventIntended, EventStarted, EventActed:
	default:
		return nil, begun, nil
	}
	switch a.look(ctx, it) {
	case Yes:
		done, err = a.adopt(ctx, it)
		return done, begun, err
	case No:
		return nil, begun, nil
	}
	return nil, last.Time, nil
}

// last is the event that tells how far an item came; a zero one if nothing of it was done.
func (a *applying) last(it *Item) Event {
	var last Event
	for _, e := range a.past {
		switch {
		case e.Item != it.ID || e.Event == EventApproved:
		case e.Harmless:
			last = Event{}
		case e.Event != EventRefused: // which came before the act
			last = e
		}
	}
	return last
}

// adopt records that an item that was begun and never finished is done.
func (a *applying) adopt(ctx context.Context, it *Item) (*Applied, error) {
	left, err := a.verify(ctx, it)
	if err != nil {
		return nil, err
	}
	const why = "it was begun and interrupted, and is found done"
	return &Applied{it.ID, "done", why}, a.verified(it, why, left)
}

// refused records that an item was approved and is not done.
func (a *applying) refused(it *Item, why string) (*Applied, error) {
	if err := a.record(it, Event{Event: EventRefused, Text: why}); err != nil {
		return nil, err
	}
	return &Applied{it.ID, "refused", why}, nil
}

// record adds an event, durably.
func (a *applying) record(it *Item, e Event) error {
	e.Time, e.Recovery, e.Item, e.Digest = a.Now(), a.ID, it.ID, a.Digest
	a.past = append(a.past, e)
	return Record(a.Folder, e)
}

// item checks one item again, acts and verifies.
func (a *applying) item(ctx context.Context, it *Item, approval *Approval) error {
	before, err := a.recheck(ctx, it)
	if err != nil {
		return errors.Join(err, a.record(it, Event{Event: EventRefused, Text: err.Error()}))
	}
	if err := a.Registry.useOnce(approval, a.Folder); err != nil {
		return errors.Join(err, a.record(it, Event{Event: EventRefused, Text: err.Error()}))
	}
	if err := a.record(it, Event{Event: EventIntended, By: approval.By, Text: before}); err != nil {
		return err // nothing is done that cannot be recorded first
	}
	err = a.act(ctx, it)
	var left string
	if err == nil {
		left, err = a.verify(ctx, it)
	}
	if err != nil {
		e := Event{Event: EventFailed, Text: err.Error(), Harmless: changedNothing(err)}
		if e.Harmless && !errors.Is(err, ErrStart) {
			e.Event = EventRefused
		}
		return errors.Join(err, a.record(it, e))
	}
	return a.verified(it, "", left)
}

// changedNothing reports whether an act ended before it did anything: it may be tried again when its reason is gone.
func changedNothing(err error) bool {
	return errors.Is(err, ErrStart) || errors.Is(err, evidence.ErrCommit) || errors.Is(err, evidence.ErrUnproven) || errors.Is(err, evidence.ErrMoved)
}

// verified records that an item's effect is there, with what the next one is to find.
func (a *applying) verified(it *Item, why, left string) error {
	e := Event{Event: EventVerified, Text: why, Left: left}
	if it.Kind == StopWorker && a.Session != "" {
		s, err := ReadSession(a.Session)
		if err != nil {
			return err
		}
		e.Leaf = s.Leaf
	}
	return a.record(it, e)
}

// expected is the digest that the worktree must have: that of the evidence, or what an item of this plan has left.
func (a *applying) expected() string {
	digest := a.Digest
	for i := range a.past {
		if a.past[i].Left != "" {
			digest = a.past[i].Left
		}
	}
	return digest
}

// leaf is the session's last entry as it must be: that of the plan, or what the worker wrote as it was stopped.
func (a *applying) leaf() string {
	leaf := a.Leaf
	for i := range a.past {
		if a.past[i].Leaf != "" {
			leaf = a.past[i].Leaf
		}
	}
	return leaf
}

// recheck refuses an item whose ground has changed (WDC-ACT-004, WDC-GATE-002, WDC-WORK-008). It returns what the log is
// to know of the world before the act.
func (a *applying) recheck(ctx context.Context, it *Item) (string, error) {
	if err := a.sameRow(ctx); err != nil {
		return "", err
	}
	if it.Kind == RepairRow {
		if a.Class == RowWrong {
			return "", a.Target.check()
		}
		return "", nil
	}
	if _, err := evidence.Verify(ctx, a.Evidence); err != nil {
		return "", err
	}
	state, err := evidence.Inspect(ctx, a.Worktree)
	switch {
	case err != nil:
		return "", err
	case it.Kind == RecreateWorktree && !state.Missing:
		return "", fmt.Errorf("%w: %s is there", ErrChanged, a.Worktree)
	case it.Kind == RecreateWorktree:
		return "", nil
	case state.Missing:
		return "", fmt.Errorf("%w: the worktree %s is not there", ErrChanged, a.Worktree)
	case state.Digest != a.expected():
		return "", fmt.Errorf("%w: the worktree %s is not as it was; take a new snapshot and plan again", ErrChanged, a.Worktree)
	}
	return a.recheckKind(ctx, it)
}

func (a *applying) recheckKind(ctx context.Context, it *Item) (string, error) {
	if a.Bound.Settings != "" { // of a worktree that was gone, nothing is known
		if err := a.Bound.checkSettings(a.Worktree); err != nil {
			return "", err
		}
	}
	switch it.Kind {
	case StopWorker:
		return "", errors.Join(a.Target.check(), a.sameSession())
	case Resume:
		return "", errors.Join(a.Bound.checkBrief(a.Folder), a.alone())
	case CommitWIP, RemoveWorktree:
		return "", a.alone()
	case Publish:
		remote, branch, _ := it.pushes()
		at, err := evidence.RemoteHead(ctx, remote, branch)
		return fmt.Sprintf("%s of the remote was at %q", branch, at), err
	}
	return "", nil
}

// sameRow refuses where the tracker says something else than it said to the plan: another has taken the task, or the
// worker has renewed its lease.
func (a *applying) sameRow(ctx context.Context) error {
	if a.Tracker == nil || a.Row == nil {
		return nil
	}
	now, err := a.Tracker.Read(ctx)
	if err != nil {
		return err
	}
	if !now.same(a.Row) {
		return fmt.Errorf("%w: the tracker's row is %q, leased until %q, and was %q, until %q; plan again",
			ErrChanged, cut(now.Status, 40), cut(now.LeaseUntil, 40), cut(a.Row.Status, 40), cut(a.Row.LeaseUntil, 40))
	}
	return nil
}

// sameSession refuses where the session has grown since the plan.
func (a *applying) sameSession() error {
	if a.Session == "" {
		return nil
	}
	s, err := ReadSession(a.Session)
	if err == nil && s.Leaf != a.leaf() {
		return fmt.Errorf("%w: %s has grown; somebody works in it", ErrChanged, a.Session)
	}
	return errors.Join(err, a.Bound.checkSession(a.Session))
}

// alone refuses a successor while anything still runs in the worktree: the worker itself, another one, a child that
// outlived it, or a command of an earlier apply (WDC-ACT-005, 007, WDC-FENCE-004).
func (a *applying) alone() error {
	for i := range a.past {
		if p := a.past[i].Process; p != nil && p.check() == nil {
			return fmt.Errorf("%w: process %d, which an earlier apply started, still runs; wait until it has ended", ErrChanged, p.PID)
		}
	}
	inside, err := evidence.Inside(a.Worktree)
	if err != nil {
		return err
	}
	for i := range inside {
		return fmt.Errorf("%w: process %d (%s) still works in %s; wait until it has ended", ErrChanged, inside[i].PID, cut(inside[i].Name, 40), a.Worktree)
	}
	if a.Session == "" {
		return nil
	}
	holders, err := SessionHolders(a.Session)
	if err != nil {
		return err
	}
	if len(holders) > 0 {
		return fmt.Errorf("%w: %s in the same session, %s", ErrChanged, listed(holders), a.Session)
	}
	return a.sameSession()
}
