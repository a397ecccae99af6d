package recovery

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"fakepi.example/internal/watchdog/evidence"
)

// verify looks for an item's effect; that a command said so is no proof (WDC-ACT-002, WDC-WORK-006). It returns the
// worktree's digest where the item was to change it.
func (a *applying) verify(ctx context.Context, it *Item) (left string, err error) {
	switch it.Kind {
	case StopWorker:
		if a.Target.check() == nil {
			return "", fmt.Errorf("%w: process %d lives", ErrVerify, a.Target.PID)
		}
	case RecreateWorktree:
		return a.verifyRecreated(ctx)
	case CommitWIP:
		return a.verifyCommitted(ctx, it)
	case Resume:
		return "", a.verifyResume()
	case Publish:
		remote, branch, commit := it.pushes()
		return "", verifyRemote(ctx, remote, branch, commit)
	case RepairRow:
		return "", a.verifyRow(ctx)
	case RemoveWorktree:
		if _, err := os.Lstat(a.Worktree); !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%w: %s is still there", ErrVerify, a.Worktree)
		}
	}
	return "", nil
}

func (a *applying) verifyRecreated(ctx context.Context) (string, error) {
	record, err := evidence.Verify(ctx, a.Evidence)
	if err != nil {
		return "", err
	}
	now, err := evidence.Inspect(ctx, a.Worktree)
	if err != nil {
		return "", err
	}
	if now.Missing || !record.IgnoredTar && now.Tree != record.Tree || (now.Git == nil) != (record.Git == nil) ||
		now.Git != nil && (now.Git.Head != record.Git.Head || now.Git.Index != record.Git.Index) {
		return "", fmt.Errorf("%w: %s is not what was captured", ErrVerify, a.Worktree)
	}
	return now.Digest, nil
}

// verifyCommitted: nothing is left uncommitted but the new files that the plan leaves.
func (a *applying) verifyCommitted(ctx context.Context, it *Item) (string, error) {
	now, err := evidence.Inspect(ctx, a.Worktree)
	if err != nil {
		return "", err
	}
	if now.Missing || now.Git == nil || now.Git.Head == a.Head || len(now.Edited) > 0 || now.Untracked != len(it.Leave) || now.Tree != a.Tree {
		return "", fmt.Errorf("%w: %s still has work that no commit has, or other work than was captured", ErrVerify, a.Worktree)
	}
	return now.Digest, nil
}

// verifyResume: a successor that exited with 0 may have done nothing (WDC-LIFE-006). Its session says how it ended.
func (a *applying) verifyResume() error {
	if a.Session == "" {
		return nil
	}
	s, err := ReadSession(a.Session)
	switch {
	case err != nil:
		return err
	case s.Leaf == a.leaf():
		return fmt.Errorf("%w: the successor wrote nothing to %s", ErrVerify, a.Session)
	case s.Role != "assistant" || s.Stop != "stop":
		return fmt.Errorf("%w: the successor ended with %q of the %s", ErrVerify, s.Stop, orNobody(s.Role))
	}
	return nil
}

// verifyRow reads the row again, where it is known how.
func (a *applying) verifyRow(ctx context.Context) error {
	if a.Tracker == nil {
		return nil
	}
	now, err := a.Tracker.Read(ctx)
	if err != nil {
		return err
	}
	if now.Running() != (a.Class == RowWrong) {
		return fmt.Errorf("%w: the row is %q", ErrVerify, cut(now.Status, 40))
	}
	return nil
}

// verifyRemote asks the remote for a branch.
func verifyRemote(ctx context.Context, remote, branch, commit string) error {
	switch at, err := evidence.RemoteHead(ctx, remote, branch); {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrVerify, err)
	case at != commit:
		return fmt.Errorf("%w: %s has %s at %q, not at %s", ErrVerify, remote, branch, at, commit)
	}
	return nil
}

// look tells whether an item that was begun and interrupted has happened (WDC-SIDE-002).
func (a *applying) look(ctx context.Context, it *Item) Happened {
	if it.Kind != Resume || a.Session != "" { // without a session nothing tells how a successor ended
		if _, err := a.verify(ctx, it); err == nil && (it.Kind != RepairRow || a.Tracker != nil) {
			return Yes
		}
	}
	switch it.Kind {
	case StopWorker: // a signal may be sent again
		return No
	case RepairRow:
		if a.Tracker != nil && a.sameRow(ctx) == nil {
			return No
		}
		return Unknown
	case Publish:
		remote, branch, _ := it.pushes()
		if _, err := evidence.RemoteHead(ctx, remote, branch); err != nil {
			return Unknown
		}
		return No
	case Resume: // it may have done what neither session nor worktree shows
		return Unknown
	}
	now, err := evidence.Inspect(ctx, a.Worktree)
	if err == nil && (now.Missing && it.Kind == RecreateWorktree || now.Digest == a.expected()) {
		return No
	}
	return Unknown
}
