package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrCommit: the work in a worktree cannot be committed without its owner.
var ErrCommit = errors.New("the work cannot be committed")

// Commit commits the work in a worktree to its branch: edits, and files that git neither tracks nor ignores, but for those that
// LookUncommitted lists as left. Nested repositories are left as they are. It returns the commit. Nothing configured runs: no
// hook, no filter; where a filter would be needed, in the middle of a merge and on no branch it refuses with ErrCommit and
// changes nothing.
//
// Where it would take up or leave anything else than expected, it refuses too: an ignore file has changed since. nil expects
// nothing in particular.
func Commit(ctx context.Context, worktree, message string, now time.Time, expected *Uncommitted) (string, error) {
	c, done, err := beginCommit(ctx, worktree)
	if err != nil {
		return "", err
	}
	defer done()
	if expected != nil && !c.uncommitted.equal(expected) {
		return "", fmt.Errorf("%w: what it would take up or leave has changed since the plan was made; plan again", ErrCommit)
	}
	if len(c.uncommitted.Take) == 0 {
		return "", fmt.Errorf("%w: there is none but new files that are left", ErrCommit)
	}
	c.message, c.now, c.paths = message, now, []byte(strings.Join(c.uncommitted.Take, "\x00")+"\x00")
	commit, err := c.make(ctx)
	if err != nil {
		return "", err
	}
	return commit, c.install(ctx, commit)
}

// beginCommit reads what there is to commit. done removes what it needed for that.
func beginCommit(ctx context.Context, worktree string) (c *committing, done func(), err error) {
	work, err := os.MkdirTemp("", "evidence-commit-*")
	if err != nil {
		return nil, nil, err
	}
	remove := func() { _ = os.RemoveAll(work) } // what is left is in the system's folder for that
	defer func() {
		if err != nil {
			remove()
		}
	}()
	top, _, err := lookAt(ctx, worktree)
	if err != nil {
		return nil, nil, err
	}
	if top.repo == nil {
		return nil, nil, fmt.Errorf("%w: %s has no git", ErrCommit, worktree)
	}
	st, err := (&taking{options: &Options{}, work: work}).read(ctx, top)
	if err != nil {
		return nil, nil, err
	}
	edited, added, err := st.toCommit()
	if err != nil {
		return nil, nil, err
	}
	c = &committing{state: st}
	if c.converting, err = newConverting(ctx, filepath.Join(work, "converting"), top.repo); err != nil {
		return nil, nil, err
	}
	return c, remove, c.choose(ctx, edited, added)
}

// toCommit lists what a commit may take up: what was edited, and new files.
func (st *state) toCommit() (edited, added []string, err error) {
	if st.git == nil || st.unreadable != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrCommit, st.unreadable)
	}
	g := st.git.record
	switch {
	case g.Branch == "":
		return nil, nil, fmt.Errorf("%w: HEAD is on no branch", ErrCommit)
	case len(g.Progress) > 0 || len(g.Unmerged) > 0:
		return nil, nil, fmt.Errorf("%w: git is in the middle of something; finish or abort it first", ErrCommit)
	case len(st.listing.skipped) > 0:
		return nil, nil, fmt.Errorf("%w: %q cannot be read", ErrCommit, st.listing.skipped[0].Path)
	}
	edited = st.edited()
	for i := range st.git.entries {
		e := &st.git.entries[i]
		if e.tag != 'H' && slices.Contains(edited, e.path) {
			return nil, nil, fmt.Errorf("%w: git was told to overlook %q, which was edited", ErrCommit, e.path)
		}
		if e.mode == gitlink {
			edited = slices.DeleteFunc(edited, func(name string) bool { return name == e.path })
		}
	}
	for _, it := range st.parts.untracked {
		if !it.mode.IsDir() {
			added = append(added, it.path)
		}
	}
	if len(edited)+len(added) == 0 {
		return nil, nil, fmt.Errorf("%w: there is none", ErrCommit)
	}
	return edited, added, nil
}

// newConverting builds a mirror that converts line ends as the worktree's attributes and inert settings say.
func newConverting(ctx context.Context, dir string, repo *repository) (*mirror, error) {
	m, err := newMirror(ctx, dir, repo)
	if err != nil {
		return nil, err
	}
	m.worktree = repo.worktree
	attributes := filepath.Join(dir, "info/attributes")
	if err := os.Remove(attributes); err != nil {
		return nil, err
	}
	if err := copyIn(filepath.Join(repo.common, "info/attributes"), attributes); err != nil {
		return nil, err
	}
	for _, s := range append(m.settings, Setting{"core.splitIndex", "false"}) {
		if _, err := m.text(ctx, "config", s.Key, s.Value); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// committing is one commit under way.
type committing struct {
	*state
	converting  *mirror
	uncommitted Uncommitted
	paths       []byte
	message     string
	now         time.Time
}

// make makes the commit in the mirror.
func (c *committing) make(ctx context.Context) (string, error) {
	if err := c.checkFilters(ctx); err != nil {
		return "", err
	}
	m := c.converting
	for _, k := range []call{
		{stdin: c.forget(), args: []string{"update-index", "-z", "--index-info"}},
		{stdin: c.paths, args: []string{"update-index", "--add", "--remove", "--replace", "-z", "--stdin"}, write: true},
	} {
		k.index = m.index
		if _, err := m.run(ctx, k); err != nil {
			return "", err
		}
	}
	tree, err := m.run(ctx, call{index: m.index, args: []string{"write-tree", "--missing-ok"}, write: true})
	if err != nil {
		return "", err
	}
	date := fmt.Sprintf("@%d +0000", c.now.Unix())
	args := []string{"commit-tree", strings.TrimSpace(string(tree)), "-m", c.message}
	if head := c.git.record.Head; head != "" {
		args = append(args, "-p", head)
	}
	out, err := m.run(ctx, call{args: args, write: true, env: []string{
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quoteC(filepath.Join(c.repo.common, "objects")), // of the parent
		"GIT_AUTHOR_NAME=piwatch", "GIT_AUTHOR_EMAIL=piwatch@localhost", "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=piwatch", "GIT_COMMITTER_EMAIL=piwatch@localhost", "GIT_COMMITTER_DATE=" + date,
	}})
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

// install moves the commit into the repository: objects, then the index, then the branch. What is killed between leaves
// everything staged, and can be done again.
func (c *committing) install(ctx context.Context, commit string) error {
	if err := c.repo.addObjects(filepath.Join(c.converting.dir, newObjects)); err != nil {
		return err
	}
	lock, err := c.repo.lockIndex()
	if err != nil {
		return err
	}
	defer os.Remove(lock)
	if same, err := sameFile(filepath.Join(c.repo.dir, "index"), c.git.index); !same {
		return errors.Join(fmt.Errorf("%w: the index has changed meanwhile", ErrCommit), err)
	}
	if err := c.repo.setIndex(c.converting.index, lock); err != nil {
		return err
	}
	return c.repo.moveBranch(ctx, c.git.record, commit)
}

// sameFile compares the contents of two files; none has the contents of none.
func sameFile(a, b string) (bool, error) {
	one, err := sumPath(a)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	two, err := sumPath(b)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return one == two, nil
}

// forget makes git forget the sizes and times by which it would take an edited file for an unchanged one.
func (c *committing) forget() []byte {
	edited := map[string]bool{}
	for name := range strings.SplitSeq(string(c.paths), "\x00") {
		edited[name] = true
	}
	var info bytes.Buffer
	for i := range c.git.entries {
		if e := &c.git.entries[i]; edited[e.path] {
			fmt.Fprintf(&info, "%s %s 0\t%s\x00", e.mode, e.object, e.path)
		}
	}
	return info.Bytes()
}

// checkFilters refuses what a filter such as that of Git LFS would have to convert.
func (c *committing) checkFilters(ctx context.Context) error {
	out, err := c.converting.run(ctx, call{stdin: c.paths, args: []string{"check-attr", "-z", "--stdin", "filter"}})
	if err != nil {
		return err
	}
	f := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(f); i += 3 {
		if name, value := f[i], f[i+2]; value != "unspecified" && value != "unset" {
			return fmt.Errorf("%w: %q needs the filter %q, which is the worker's to configure and is not run", ErrCommit, name, value)
		}
	}
	return nil
}
