package recovery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"fakepi.example/watchdog/evidence"
)

// Applying carries out the approved items of one case.
type Applying struct {
	Folder    string
	PublicKey string // file of the owner's public key
	Now       func() time.Time
	Grace     time.Duration // between SIGTERM and SIGKILL
	Output    io.Writer     // of the commands
}

// Applied is what became of one item.
type Applied struct {
	Item   string `json:"item"`
	Result string `json:"result"` // "done", "skipped" or "failed"
	Reason string `json:"reason,omitempty"`
}

// Apply carries out the approved items in the plan's order, one by one, each checked again at its moment. It stops at the
// first that fails. An item that nobody has approved is skipped; one whose outcome is not known is not repeated.
func (a *Applying) Apply(ctx context.Context) ([]Applied, error) {
	p, err := ReadPlan(a.Folder)
	if err != nil {
		return nil, err
	}
	owner, err := readPublic(a.PublicKey)
	if err != nil {
		return nil, err
	}
	past, err := ReadEvents(a.Folder)
	if err != nil {
		return nil, err
	}
	var results []Applied
	for i := range p.Items {
		it := &p.Items[i]
		if why := settled(past, it.ID); why != "" {
			results = append(results, Applied{it.ID, "skipped", why})
			continue
		}
		approval, err := approved(a.Folder, p, it.ID, owner, a.Now())
		if err != nil {
			results = append(results, Applied{it.ID, "skipped", err.Error()})
			continue
		}
		if err := a.item(ctx, p, it, approval); err != nil {
			return append(results, Applied{it.ID, "failed", err.Error()}), err
		}
		results = append(results, Applied{Item: it.ID, Result: "done"})
	}
	return results, nil
}

// settled says why an item is not to be tried again, or "".
func settled(past []Event, item string) string {
	last := EventName("")
	for i := range past {
		if past[i].Item == item && past[i].Event != EventApproved {
			last = past[i].Event
		}
	}
	switch last {
	case EventVerified:
		return "it was done and verified"
	case EventIntended:
		return "it was begun and its outcome is not known; look, and make a new plan"
	case EventActed, EventFailed:
		return "it was tried; look, and make a new plan"
	}
	return ""
}

func (a *Applying) record(p *Plan, it *Item, e Event) error {
	e.Time, e.Recovery, e.Item, e.Digest = a.Now(), p.ID, it.ID, p.Digest
	return Record(a.Folder, e)
}

// item checks one item again, acts and verifies.
func (a *Applying) item(ctx context.Context, p *Plan, it *Item, approval *Approval) error {
	if err := a.recheck(ctx, p, it); err != nil {
		return errors.Join(err, a.record(p, it, Event{Event: EventRefused, Text: err.Error()}))
	}
	if err := a.record(p, it, Event{Event: EventIntended, By: approval.By}); err != nil {
		return err // nothing is done that cannot be recorded first
	}
	err := a.act(ctx, p, it)
	if err == nil {
		err = a.verify(ctx, p, it)
	}
	if err != nil {
		return errors.Join(err, a.record(p, it, Event{Event: EventFailed, Text: err.Error()}))
	}
	return a.record(p, it, Event{Event: EventVerified})
}

// recheck refuses an item whose ground has changed (WDC-ACT-004, WDC-GATE-002).
func (a *Applying) recheck(ctx context.Context, p *Plan, it *Item) error {
	if it.Kind != RepairRow {
		if _, err := evidence.Verify(ctx, p.Evidence); err != nil {
			return err
		}
		state, err := evidence.Inspect(ctx, p.Worktree)
		if err != nil {
			return err
		}
		if state.Digest != p.Digest {
			return fmt.Errorf("%w: the worktree %s is not as it was; take a new snapshot and plan again", ErrChanged, p.Worktree)
		}
	}
	switch it.Kind {
	case StopWorker:
		return p.Target.check()
	case Resume:
		return a.alone(p)
	}
	return nil
}

// check makes sure that a pid is still the process that was meant.
func (t *Target) check() error {
	if t == nil {
		return fmt.Errorf("%w: the plan names no process", ErrPlan)
	}
	tree, err := evidence.Processes(t.PID)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	for i := range tree.Processes {
		if p := &tree.Processes[i]; p.PID == t.PID && p.Start == t.Start && tree.BootID == t.BootID {
			return nil
		}
	}
	return fmt.Errorf("%w: process %d is another one now", ErrChanged, t.PID)
}

// alone refuses a successor while anything still runs in the worktree: the worker itself, another one, or a child that
// outlived it (WDC-ACT-005, 007, WDC-FENCE-004).
func (a *Applying) alone(p *Plan) error {
	inside, err := evidence.Inside(p.Worktree)
	if err != nil {
		return err
	}
	for i := range inside {
		return fmt.Errorf("%w: process %d (%s) still runs in %s; wait until it has ended", ErrChanged, inside[i].PID, cut(inside[i].Name, 40), p.Worktree)
	}
	if p.Session != "" {
		s, err := ReadSession(p.Session)
		if err != nil {
			return err
		}
		if s.Leaf != p.Leaf {
			return fmt.Errorf("%w: %s has grown; somebody works in it", ErrChanged, p.Session)
		}
	}
	return nil
}

// act runs an item's commands.
func (a *Applying) act(ctx context.Context, p *Plan, it *Item) error {
	if it.Kind == StopWorker {
		return a.stop(ctx, p, it)
	}
	for _, command := range it.Commands {
		err := a.run(ctx, it, command)
		exit := exitOf(err)
		if failed := a.record(p, it, Event{Event: EventActed, Command: command, Exit: &exit}); failed != nil {
			return errors.Join(err, failed)
		}
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrVerify, command[0], err)
		}
	}
	return nil
}

func (a *Applying) run(ctx context.Context, it *Item, command []string) error {
	if it.Kind == Publish && command[0] == "git" {
		return evidence.Push(ctx, it.Dir, command[2], command[3], a.Output)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = it.Dir
	cmd.Stdout, cmd.Stderr = a.Output, a.Output
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = a.Grace
	return cmd.Run()
}

func exitOf(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

// pollEvery is how often an effect is looked for.
const pollEvery = 50 * time.Millisecond

// stop ends the worker politely, then by force, each time only if it is still the one that was meant (WDC-ACT-001).
func (a *Applying) stop(ctx context.Context, p *Plan, it *Item) error {
	process, err := os.FindProcess(p.Target.PID)
	if err != nil {
		return err
	}
	defer process.Release()
	for i, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if p.Target.check() != nil {
			return nil
		}
		err := process.Signal(signal)
		exit := exitOf(err)
		if failed := a.record(p, it, Event{Event: EventActed, Command: it.Commands[i], Exit: &exit}); failed != nil {
			return failed
		}
		if err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
		if a.gone(ctx, p) {
			return nil
		}
	}
	return fmt.Errorf("%w: process %d lives after SIGKILL", ErrVerify, p.Target.PID)
}

// gone waits up to the grace for the process to end.
func (a *Applying) gone(ctx context.Context, p *Plan) bool {
	ctx, cancel := context.WithTimeout(ctx, a.Grace)
	defer cancel()
	for {
		tree, err := evidence.Processes(p.Target.PID)
		if err != nil || tree.Processes[0].State == "Z" || p.Target.check() != nil {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pollEvery):
		}
	}
}

// verify looks for an item's effect; that a command said so is no proof (WDC-ACT-002, WDC-WORK-006).
func (a *Applying) verify(ctx context.Context, p *Plan, it *Item) error {
	switch it.Kind {
	case Resume:
		return verifyResume(p)
	case Publish:
		push := it.Commands[len(it.Commands)-1]
		head, branch, _ := strings.Cut(push[3], ":")
		return verifyRemote(ctx, push[2], branch, head)
	}
	return nil
}

// verifyResume: a successor that exited with 0 may have done nothing (WDC-LIFE-006). Its session says how it ended.
func verifyResume(p *Plan) error {
	if p.Session == "" {
		return nil
	}
	s, err := ReadSession(p.Session)
	switch {
	case err != nil:
		return err
	case s.Leaf == p.Leaf:
		return fmt.Errorf("%w: the successor wrote nothing to %s", ErrVerify, p.Session)
	case s.Role != "assistant" || s.Stop != "stop":
		return fmt.Errorf("%w: the successor ended with %q of the %s", ErrVerify, s.Stop, orNobody(s.Role))
	}
	return nil
}

// verifyRemote asks the remote for a branch.
func verifyRemote(ctx context.Context, remote, branch, head string) error {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", "ls-remote", "--exit-code", remote, branch)
	cmd.Dir = os.TempDir() // no worktree's configuration
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s does not show %s: %w", ErrVerify, remote, branch, err)
	}
	if got, _, _ := strings.Cut(out.String(), "\t"); got != head {
		return fmt.Errorf("%w: %s has %s at %s, not at %s", ErrVerify, remote, branch, got, head)
	}
	return nil
}
