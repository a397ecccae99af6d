package evidence

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// foresee checks the limit by sizes alone, before anything is read (WDC-EVID-007). It goes by the index: without one it
// does not know what git tracks, and leaves the check to fits.
func (t *taking) foresee(ctx context.Context, worktree string) error {
	repo, err := findRepository(worktree)
	if err != nil {
		return nil // then the tree alone counts, and fits checks it
	}
	root, err := os.OpenRoot(worktree)
	if err != nil {
		return err
	}
	defer root.Close()
	l := &listing{at: worktree}
	if err := l.walk(ctx, root, ".", nil); err != nil {
		if errors.Is(err, errChanging) {
			return nil
		}
		return err
	}
	untracked, err := t.outsideIndex(ctx, repo, root, l.items)
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

// outsideIndex is the size of the items that the index does not have and git does not ignore. Where git cannot
// read its index, it is none; where it cannot read its rules, nothing is ignored.
func (t *taking) outsideIndex(ctx context.Context, repo *repository, root *os.Root, items []item) (int64, error) {
	if repo == nil {
		return sizesOf(items), nil
	}
	m, err := t.newMirror(ctx, repo)
	if errors.Is(err, ErrRepository) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if _, err := os.Stat(m.index); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	entries, err := m.readEntries(ctx, m.index)
	if err != nil {
		return 0, ctx.Err()
	}
	tracked := make(map[string]bool, len(entries))
	for i := range entries {
		tracked[entries[i].path] = true
	}
	var rest []item
	var names []string
	for i := range items {
		if it := items[i]; !tracked[it.path] && !it.mode.IsDir() {
			rest, names = append(rest, it), append(names, it.path)
		}
	}
	ignored, err := m.ignores(ctx, root, items, names)
	if err != nil && (ctx.Err() != nil || !errors.Is(err, ErrRepository)) {
		return 0, err
	}
	size := int64(0)
	for i := range rest {
		if !ignored[rest[i].path] {
			size += rest[i].size
		}
	}
	return size, nil
}
