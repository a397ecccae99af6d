package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrMoved: a repository is not as it was when the snapshot was taken.
var ErrMoved = errors.New("the repository has moved on")

// Recreate rebuilds a worktree that is missing in its place. One that was a linked worktree is joined to its repository
// again, whose branch must still be at the commit of the snapshot; another one becomes a repository of its own. Only what
// is proven to be what was captured is put there; on any error nothing is.
func Recreate(ctx context.Context, dir, to string) (*Record, error) {
	record, err := Verify(ctx, dir)
	if err != nil {
		return nil, err
	}
	if record.Repository == "" {
		return Restore(ctx, dir, to)
	}
	if to, err = resolve(to); err != nil { // as git spells it
		return nil, err
	}
	if err := vacant(to); err != nil {
		return nil, err
	}
	if record.Git == nil || record.Git.Raw {
		return nil, fmt.Errorf("%w: git could not read all of it when the snapshot was taken; restore it on its own", ErrMoved)
	}
	repo := &repository{worktree: to, dir: record.Repository, common: record.Repository}
	if err := repo.stillAt(ctx, record.Git); err != nil {
		return nil, err
	}
	work, err := workshop(to)
	if err != nil {
		return nil, err
	}
	defer removeAll(work)
	tree := filepath.Join(work, "tree")
	if _, err := Restore(ctx, dir, tree); err != nil {
		return nil, err
	}
	return record, repo.join(ctx, dir, record, tree, to)
}

// stillAt checks that the branch is where the snapshot has it.
func (r *repository) stillAt(ctx context.Context, g *GitRecord) error {
	work, err := os.MkdirTemp("", "evidence-recreate-*")
	if err != nil {
		return err
	}
	defer removeAll(work)
	if _, err := os.Stat(r.common); err != nil {
		return fmt.Errorf("%w: %w; piwatch restore gives a repository of its own", ErrMoved, err)
	}
	m, err := newMirror(ctx, filepath.Join(work, "git"), &repository{dir: r.common, common: r.common})
	if err != nil {
		return err
	}
	name := cmp.Or(g.Branch, g.Head)
	if name == "" {
		return fmt.Errorf("%w: the snapshot has neither branch nor commit", ErrMoved)
	}
	at, err := m.run(ctx, call{args: []string{"rev-parse", "--quiet", "--verify", name + "^{commit}"}, may: []int{1, 128}})
	if got := strings.TrimSpace(string(at)); err != nil || got != g.Head {
		return errors.Join(err, fmt.Errorf("%w: %s of %s is at %q, the snapshot has it at %q", ErrMoved, name, r.common, got, g.Head))
	}
	return nil
}

// join puts a restored worktree in its place and makes it one of the repository's.
func (r *repository) join(ctx context.Context, dir string, record *Record, tree, to string) error {
	restored := filepath.Join(tree, ".git")
	if err := r.addObjects(filepath.Join(restored, "objects")); err != nil {
		return err
	}
	admin, err := r.admin(ctx, to, record.Git)
	if err != nil {
		return err
	}
	linked := &repository{worktree: to, dir: admin, common: r.common}
	if err := linked.dress(restored, dir); err != nil {
		return err
	}
	if err := os.RemoveAll(restored); err != nil {
		return err
	}
	if err := os.WriteFile(restored, []byte("gitdir: "+admin+"\n"), 0o644); err != nil {
		return err
	}
	if err := place(tree, to); err != nil {
		return err
	}
	if err := sameAs(ctx, to, record); err != nil {
		return errors.Join(err, os.RemoveAll(to))
	}
	return nil
}

// admin returns git's folder of a linked worktree: the one that is left of it, or a new one.
func (r *repository) admin(ctx context.Context, to string, g *GitRecord) (string, error) {
	if found, err := r.adminOf(to); found != "" || err != nil {
		return found, err
	}
	args := []string{"worktree", "add", "--quiet", "--no-checkout", "--detach", to, g.Head}
	if g.Branch != "" {
		args = []string{"worktree", "add", "--quiet", "--no-checkout", to, strings.TrimPrefix(g.Branch, "refs/heads/")}
	}
	if err := r.quiet(ctx, args...); err != nil {
		return "", err
	}
	if err := os.RemoveAll(to); err != nil { // it has .git alone: the restored worktree takes its place
		return "", err
	}
	return r.adminOf(to)
}

func (r *repository) adminOf(worktree string) (string, error) {
	base := filepath.Join(r.common, "worktrees")
	entries, err := os.ReadDir(base)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, e := range entries {
		place, err := os.ReadFile(filepath.Join(base, e.Name(), "gitdir"))
		if err == nil && strings.TrimSpace(string(place)) == filepath.Join(worktree, ".git") {
			return filepath.Join(base, e.Name()), nil
		}
	}
	return "", nil
}

// dress gives git's folder of a worktree the restored HEAD, index and unfinished merge or rebase.
func (r *repository) dress(restored, dir string) error {
	if err := installFile(filepath.Join(restored, "HEAD"), filepath.Join(r.dir, "HEAD"), 0o644, r.common); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(restored, "index")); err == nil {
		if err := installFile(filepath.Join(restored, "index"), filepath.Join(r.dir, "index"), 0o644, r.common); err != nil {
			return err
		}
	}
	if err := r.takeLog(filepath.Join(restored, "logs", "HEAD")); err != nil {
		return err
	}
	return installState(dir, r.dir, "")
}

// takeLog gives git's folder of a worktree the reflog of HEAD, unless it has kept its own.
func (r *repository) takeLog(log string) error {
	to := filepath.Join(r.dir, "logs", "HEAD")
	kept, _ := readText(to)
	captured, err := readText(log)
	if errors.Is(err, fs.ErrNotExist) || len(kept) >= len(captured) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, captured, 0o644))
}

// sameAs compares what a worktree's repository says of it with a snapshot: the index, and where HEAD is. The tree was
// compared before it was moved.
func sameAs(ctx context.Context, worktree string, record *Record) error {
	now, err := Inspect(ctx, worktree)
	if err != nil {
		return err
	}
	g, want := now.Git, record.Git
	if g == nil || g.Index != want.Index || g.Head != want.Head || g.Branch != want.Branch {
		return fmt.Errorf("%w: the worktree that was put in %s differs from the snapshot", ErrDamaged, worktree)
	}
	return nil
}
