package recovery

import (
	"context"
	"errors"

	"fakepi.example/internal/watchdog/evidence"
)

// LookForWork fills in what a commit of the work in progress would take up, where there can be one.
func (f *Facts) LookForWork(ctx context.Context, worktree string) error {
	w := f.Worktree
	if w == nil || w.Missing || w.Git == nil || len(w.Edited) == 0 && w.Untracked == 0 {
		f.NoWork = "nothing is edited"
		return nil
	}
	var err error
	f.Work, err = evidence.LookUncommitted(ctx, worktree)
	if errors.Is(err, evidence.ErrCommit) || errors.Is(err, evidence.ErrRepository) {
		f.Work, f.NoWork = nil, err.Error()
		return nil
	}
	return err
}
