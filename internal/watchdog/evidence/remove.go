package evidence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrUnproven: a snapshot does not bring everything back that is in a worktree.
var ErrUnproven = errors.New("not all of it could be restored")

// Removable reports, as an error that wraps ErrUnproven, why a worktree cannot be removed on the strength of a snapshot.
func (r *Record) Removable() error {
	switch {
	case r.Repository == "":
		return fmt.Errorf("%w: %s is no linked worktree: it holds its repository", ErrUnproven, r.Worktree)
	case !r.Proven:
		return fmt.Errorf("%w: the snapshot was taken without the proof that it restores; take it without --fast", ErrUnproven)
	case len(r.Changing) > 0:
		return fmt.Errorf("%w: %q changed while it was captured", ErrUnproven, r.Changing[0])
	case len(r.Missing) > 0:
		return fmt.Errorf("%w: %s is not in the snapshot: %s", ErrUnproven, r.Missing[0].Path, r.Missing[0].Why)
	case len(r.Skipped) > 0:
		return fmt.Errorf("%w: %q is not in the snapshot", ErrUnproven, r.Skipped[0].Path)
	case len(r.Nested) > 0:
		return fmt.Errorf("%w: %q is a repository of its own", ErrUnproven, r.Nested[0].Path)
	case r.Ignored > 0 && !r.IgnoredTar:
		return fmt.Errorf("%w: %d ignored files are not in the snapshot; take it with --ignored", ErrUnproven, r.Ignored)
	}
	return nil
}

// Remove removes a linked worktree, not its branch, after a restore of the snapshot has been proven to be what lies there
// now, byte for byte, ignored files included (WDC-EVID-005). On any error everything is still there.
func Remove(ctx context.Context, dir, worktree string) error {
	record, err := Verify(ctx, dir)
	if err != nil {
		return err
	}
	if err := record.Removable(); err != nil {
		return err
	}
	if err := proveRestore(ctx, dir); err != nil {
		return err
	}
	top, source, err := lookAt(ctx, worktree)
	if err != nil {
		return err
	}
	if top.repo == nil || top.repo.common != record.Repository {
		return fmt.Errorf("%w: %s is not the worktree of the snapshot", ErrUnproven, worktree)
	}
	if _, err := os.Stat(filepath.Join(top.repo.dir, "locked")); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is locked; git worktree unlock it if it may go", ErrUnproven, worktree)
	}
	now, err := Inspect(ctx, worktree)
	if err != nil {
		return err
	}
	if now.Digest != record.Digest || source.Tree != record.After.Tree {
		return fmt.Errorf("%w: %s is not as it was; take a new snapshot", ErrUnproven, worktree)
	}
	return top.remove()
}

// proveRestore restores a snapshot beside it, and throws the result away.
func proveRestore(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	work, err := workshop(dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	_, err = Restore(ctx, dir, filepath.Join(work, "tree"))
	return err
}

// remove takes a worktree out of its place in one step, and then apart.
func (s *site) remove() error {
	work, err := workshop(s.at)
	if err != nil {
		return err
	}
	if err := os.Rename(s.at, filepath.Join(work, "tree")); err != nil {
		return errors.Join(err, os.Remove(work))
	}
	return errors.Join(os.RemoveAll(s.repo.dir), os.RemoveAll(work))
}
