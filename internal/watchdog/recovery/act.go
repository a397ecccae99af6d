package recovery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"fakepi.example/internal/watchdog/evidence"
)

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
		if p := &tree.Processes[i]; p.PID == t.PID && p.Start == t.Start && tree.BootID == t.BootID && p.State != "Z" {
			return nil
		}
	}
	return fmt.Errorf("%w: process %d has ended, or is another one now", ErrChanged, t.PID)
}

// act carries out an item.
func (a *applying) act(ctx context.Context, it *Item) error {
	switch it.Kind {
	case StopWorker:
		return a.stop(ctx, it)
	case RecreateWorktree:
		_, err := evidence.Recreate(ctx, a.Evidence, a.Worktree)
		return a.acted(it, it.Commands[0], err)
	case CommitWIP:
		_, err := evidence.Commit(ctx, a.Worktree, a.message(), a.Now(), &evidence.Uncommitted{Take: it.Files, Leave: it.Leave})
		return a.acted(it, it.Commands[1], err)
	case RemoveWorktree:
		return a.acted(it, it.Commands[0], evidence.Remove(ctx, a.Evidence, a.Worktree))
	}
	for _, command := range it.Commands {
		err := a.run(ctx, it, command)
		switch {
		case errors.Is(err, ErrStart):
			return err
		case err != nil && it.Kind == Publish && command[0] != "git":
			err = fmt.Errorf("%w: %s: %w", ErrGate, command[0], err)
		case err != nil:
			err = fmt.Errorf("%w: %s: %w", ErrVerify, command[0], err)
		}
		if err := a.acted(it, command, err); err != nil {
			return err
		}
	}
	return nil
}

// acted records a command that was run, and passes its error on. What ended before it did anything was no act.
func (a *applying) acted(it *Item, command []string, err error) error {
	if changedNothing(err) {
		return err
	}
	exit := exitOf(err)
	return errors.Join(err, a.record(it, Event{Event: EventActed, Command: command, Exit: &exit}))
}

func (a *applying) run(ctx context.Context, it *Item, command []string) error {
	if it.Kind == Publish && command[0] == "git" {
		return evidence.Push(ctx, it.Dir, command[2], command[3], a.Output)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = it.Dir
	cmd.Stdout, cmd.Stderr = a.Output, a.Output
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = a.Grace
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%w: %w", ErrStart, err)
	}
	err := a.record(it, Event{Event: EventStarted, Process: identify(cmd.Process.Pid)})
	return errors.Join(cmd.Wait(), err)
}

// identify tells which process a pid is now. What cannot be told is zero, and like no process.
func identify(pid int) *Target {
	t := &Target{PID: pid}
	tree, err := evidence.Processes(pid)
	if err != nil {
		return t
	}
	for i := range tree.Processes {
		if p := &tree.Processes[i]; p.PID == pid {
			t.Start, t.BootID = p.Start, tree.BootID
		}
	}
	return t
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

// pushes returns what a publish publishes: where to, the branch and the commit.
func (it *Item) pushes() (remote, branch, commit string) {
	push := it.Commands[len(it.Commands)-1]
	commit, branch, _ = strings.Cut(push[3], ":")
	return push[2], branch, commit
}

// pollEvery is how often an effect is looked for.
const pollEvery = 50 * time.Millisecond

// stop ends the worker politely, then by force, each time only if it is still the one that was meant (WDC-ACT-001).
func (a *applying) stop(ctx context.Context, it *Item) error {
	process, err := os.FindProcess(a.Target.PID)
	if err != nil {
		return err
	}
	defer process.Release()
	for i, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if a.Target.check() != nil {
			return nil
		}
		if err := process.Signal(signal); errors.Is(err, os.ErrProcessDone) {
			return nil
		} else if err := a.acted(it, it.Commands[i], err); err != nil {
			return err
		}
		if a.gone(ctx) {
			return nil
		}
	}
	return fmt.Errorf("%w: process %d lives after SIGKILL", ErrVerify, a.Target.PID)
}

// gone waits up to the grace for the process to end.
func (a *applying) gone(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, a.Grace)
	defer cancel()
	for {
		if a.Target.check() != nil {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pollEvery):
		}
	}
}
