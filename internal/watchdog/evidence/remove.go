package evidence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
// now, byte for byte, ignored files included (WDC-EVID-005). It is taken out of its place first and compared there once more,
// so that nothing is lost that was saved while it was looked at. On any error everything is still there.
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
	if err := top.repo.unlocked(top.at); err != nil {
		return err
	}
	own := top.repo.ownSum()
	now, err := Inspect(ctx, worktree)
	if err != nil {
		return err
	}
	if now.Digest != record.Digest || source.Tree != record.After.Tree {
		return fmt.Errorf("%w: %s is not as it was; take a new snapshot", ErrUnproven, worktree)
	}
	return top.remove(ctx, own)
}

// unlocked refuses a linked worktree that its owner has locked.
func (r *repository) unlocked(worktree string) error {
	if _, err := os.Lstat(filepath.Join(r.dir, "locked")); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is locked; git worktree unlock it if it may go", ErrUnproven, worktree)
	}
	return nil
}

// ownSum identifies what of a linked worktree goes with its registration: where HEAD is and was, and what is staged.
func (r *repository) ownSum() string {
	var all strings.Builder
	for _, name := range []string{"HEAD", "index", "logs/HEAD"} {
		sum, err := sumPath(filepath.Join(r.dir, name))
		fmt.Fprintf(&all, "%s %s %t\n", name, sum, err == nil)
	}
	return all.String()
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

// remove takes a worktree out of its place in one step, compares it there, and takes it apart. What has changed, or is in use,
// is put back.
func (s *site) remove(ctx context.Context, own string) error {
	work, err := workshop(s.at)
	if err != nil {
		return err
	}
	aside := filepath.Join(work, "tree")
	if err := os.Rename(s.at, aside); err != nil {
		return errors.Join(err, os.Remove(work))
	}
	if err := s.asItWas(ctx, aside, own); err != nil {
		if back := os.Rename(aside, s.at); back != nil {
			return errors.Join(err, fmt.Errorf("%s lies in %s and could not be put back: %w", s.at, aside, back))
		}
		return errors.Join(err, os.Remove(work))
	}
	return errors.Join(os.RemoveAll(s.repo.dir), os.RemoveAll(work))
}

// asItWas reports, as an error that wraps ErrUnproven, how a worktree that was taken aside differs from what was looked at in
// its place, or who still uses it.
func (s *site) asItWas(ctx context.Context, aside, own string) error {
	switch users, err := Inside(aside); {
	case err != nil:
		return err
	case len(users) > 0:
		return fmt.Errorf("%w: process %d (%q) works in %s or writes to a file in it; wait until it has ended", ErrUnproven, users[0].PID, users[0].Name, s.at)
	}
	root, err := os.OpenRoot(aside)
	if err != nil {
		return err
	}
	defer root.Close()
	now, err := list(ctx, root, nil, s.repo.sha256(), nil)
	if err != nil {
		return err
	}
	if now.digest() != s.listing.digest() || len(now.skipped)+len(now.nested) > 0 || s.repo.ownSum() != own {
		return fmt.Errorf("%w: %s has changed while it was looked at; take a new snapshot", ErrUnproven, s.at)
	}
	return s.repo.unlocked(s.at)
}
