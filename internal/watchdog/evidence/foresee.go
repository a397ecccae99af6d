package evidence

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// foresee checks the limit by sizes alone, before anything is read (WDC-EVID-007). It goes by the index: without one it
// does not know what git tracks, and leaves the check to fits.
func (t *taking) foresee(ctx context.Context, worktree string) error {
	repo, err := findRepository(worktree)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(worktree)
	if err != nil {
		return err
	}
	defer root.Close()
	l := &listing{}
	if err := l.walk(root, ".", nil); err != nil {
		return err
	}
	untracked, err := t.outsideIndex(ctx, repo, l.items)
	if err != nil {
		return err
	}
	if err := t.count(untracked); err != nil {
		return err
	}
	for _, name := range l.nested {
		if err := t.foresee(ctx, filepath.Join(worktree, name)); err != nil {
			return err
		}
	}
	return nil
}

// outsideIndex returns the items that the index does not have and git does not ignore.
func (t *taking) outsideIndex(ctx context.Context, repo *repository, items []item) ([]item, error) {
	if repo == nil {
		return items, nil
	}
	t.mirrors++
	m, err := newMirror(ctx, filepath.Join(t.work, "git"+strconv.Itoa(t.mirrors)), repo)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(m.index); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	untracked, err := (&capture{mirror: m, tracked: m.index}).paths(ctx)
	return slices.DeleteFunc(items, func(it item) bool { return !untracked[it.path] }), err
}
