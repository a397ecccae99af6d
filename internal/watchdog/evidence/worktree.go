package evidence

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// taking is one capture under way.
type taking struct {
	options *Options
	work    string // folder for mirrors
	mirrors int
	bytes   int64 // of untracked files so far
}

// state is a site with what git says of it.
type state struct {
	*site
	git    *capture // nil without git
	parts  split
	digest string
}

// read gathers a site's state, and writes to nothing but its mirror.
func (t *taking) read(ctx context.Context, s *site) (*state, error) {
	t.mirrors++
	m, err := newMirror(ctx, filepath.Join(t.work, "git"+strconv.Itoa(t.mirrors)), s.repo)
	if err != nil {
		return nil, err
	}
	st := &state{site: s, parts: split{restored: s.listing.items, untracked: s.listing.items}}
	if s.repo != nil {
		if st.git, err = takeGit(ctx, m, s.repo, s.listing); err != nil {
			return nil, err
		}
		if err := st.parts.byGit(ctx, st.git, s.listing); err != nil {
			return nil, err
		}
	}
	st.digest, err = st.identify(ctx)
	return st, err
}

// identify makes the digest of a site: the same state has the same, whenever and with whatever options it is taken.
func (st *state) identify(ctx context.Context) (string, error) {
	what := struct {
		Tree string
		Git  *GitRecord
		Refs map[string]string
	}{Tree: sumOf([]byte(st.listing.text(st.parts.restored)))}
	if st.git != nil {
		what.Git = st.git.record
		var err error
		if what.Refs, err = st.git.ownRefs(ctx, false); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(what)
	return sumOf(data), err
}

// site captures one worktree into dir, and those nested in it. Nothing is written before it is known to fit.
func (t *taking) site(ctx context.Context, s *site, dir string, record *Record) error {
	st, err := t.read(ctx, s)
	if err != nil { // git writes what was edited while it reads: a full disk may be why
		return errors.Join(err, room(t.options.Out, sizes(s.listing.items)))
	}
	if err := t.fits(st); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	record.Digest = st.digest
	steps := []func(context.Context) error{func(context.Context) error { return t.files(s, &st.parts, dir, record) }}
	if st.git != nil {
		record.Git = st.git.record
		steps = append(steps, t.git(st.git, s.repo, dir)...)
	}
	if err := together(ctx, steps...); err != nil {
		return err
	}
	return t.nested(ctx, s, dir, record)
}

// split says which of a worktree's items git tracks, does not track, and ignores.
type split struct {
	untracked []item
	ignored   []item
	restored  []item // all but the ignored ones
}

func (s *split) byGit(ctx context.Context, c *capture, l *listing) error {
	var untracked, ignored map[string]bool
	err := together(ctx,
		func(ctx context.Context) (err error) { untracked, err = c.paths(ctx); return err },
		func(ctx context.Context) (err error) {
			ignored, err = c.paths(ctx, "--ignored", "--directory")
			return err
		},
	)
	if err != nil {
		return err
	}
	s.untracked, s.restored = nil, nil
	for i := range l.items {
		it := l.items[i]
		switch {
		case under(ignored, it.path):
			s.ignored = append(s.ignored, it)
			continue
		case untracked[it.path], it.mode.IsDir():
			s.untracked = append(s.untracked, it)
		}
		s.restored = append(s.restored, it)
	}
	return nil
}

// fits checks the limit and the disk before anything is written (WDC-EVID-007). A bundle is taken to be as large as the
// objects that it comes from.
func (t *taking) fits(st *state) error {
	if err := t.count(st.parts.untracked); err != nil {
		return err
	}
	need := sizes(st.parts.restored)
	if t.options.IgnoredContents {
		need += sizes(st.parts.ignored)
	}
	if st.git != nil {
		need += st.git.objects
	}
	for _, name := range []string{t.options.Database, t.options.Session} {
		if info, err := os.Stat(name); err == nil {
			need += info.Size()
		}
	}
	return room(t.options.Out, need+need/8)
}

// count adds untracked files, and checks the limit.
func (t *taking) count(untracked []item) error {
	if t.bytes += sizes(untracked); t.bytes > t.options.MaxUntracked {
		return fmt.Errorf("%w: %d bytes, the limit is %d; raise it, or tell git to ignore what is not needed",
			ErrTooLarge, t.bytes, t.options.MaxUntracked)
	}
	return nil
}

func sizes(items []item) int64 {
	n := int64(0)
	for i := range items {
		n += items[i].size
	}
	return n
}

// files writes what is not git's: the archive of untracked files, the list of ignored ones, and what a restore must
// rebuild.
func (t *taking) files(at *site, s *split, dir string, record *Record) error {
	l := at.listing
	root, err := os.OpenRoot(at.at)
	if err != nil {
		return changing(err)
	}
	defer root.Close()
	if t.options.IgnoredContents {
		if err := archive(root, s.ignored, filepath.Join(dir, IgnoredTar)); err != nil {
			return err
		}
		s.restored = l.items
	}
	if err := archive(root, s.untracked, filepath.Join(dir, UntrackedFile)); err != nil {
		return err
	}
	var ignored strings.Builder
	for i := range s.ignored {
		it := &s.ignored[i]
		fmt.Fprintf(&ignored, "%d %s %s\n", it.size, cmp.Or(it.sum, "-"), strconv.QuoteToASCII(it.path))
	}
	if err := writeText(dir, IgnoredFile, ignored.String()); err != nil {
		return err
	}
	tree := l.text(s.restored)
	record.Files, record.Ignored, record.Tree, record.Skipped = len(s.restored), len(s.ignored), sumOf([]byte(tree)), l.skipped
	for i := range s.restored {
		record.Bytes += s.restored[i].size
	}
	return writeText(dir, TreeFile, tree)
}

// archive writes a tar file; nothing for nothing.
func archive(root *os.Root, items []item, file string) error {
	if len(items) == 0 {
		return nil
	}
	f, err := create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := writeTar(f, root, items); err != nil {
		return err
	}
	return f.Close()
}

// git are the steps that write the files of git's side.
func (t *taking) git(c *capture, repo *repository, dir string) []func(context.Context) error {
	return []func(context.Context) error{
		func(ctx context.Context) error {
			return c.bundle(ctx, filepath.Join(dir, BundleFile), t.options.AllRefs)
		},
		func(ctx context.Context) error { return c.patches(ctx, dir) },
		func(ctx context.Context) error { return c.stashes(ctx, dir) },
		func(ctx context.Context) error { return c.texts(ctx, dir, repo) },
		func(context.Context) error { return copyProgress(repo, dir) },
		func(context.Context) error { return writeText(dir, EntriesFile, c.entriesText()) },
	}
}

// nested captures the repositories inside this one.
func (t *taking) nested(ctx context.Context, s *site, dir string, record *Record) error {
	for i, inner := range s.nested {
		n := Nested{Path: s.listing.nested[i], Dir: filepath.Join(NestedDir, strconv.Itoa(i+1))}
		to := filepath.Join(dir, n.Dir)
		r := &Record{Version: 1, Taken: record.Taken, Worktree: inner.at, Takes: record.Takes, IgnoredTar: record.IgnoredTar}
		if err := t.site(ctx, inner, to, r); err != nil {
			return fmt.Errorf("in %s: %w", n.Path, err)
		}
		n.Digest = r.Digest
		if err := writeRecord(to, r); err != nil {
			return err
		}
		record.Nested = append(record.Nested, n)
	}
	record.Digest = withNested(record.Digest, record.Nested)
	return nil
}

// withNested is the digest of a site and of those nested in it.
func withNested(digest string, nested []Nested) string {
	for _, n := range nested {
		digest = sumOf(fmt.Appendf(nil, "%s %q %s", digest, n.Path, n.Digest))
	}
	return digest
}

// beside captures what lies outside the worktree.
func (t *taking) beside(ctx context.Context, dir string, record *Record) error {
	var err error
	if t.options.Database != "" {
		if record.Database, err = copyDatabase(ctx, t.options.Database, filepath.Join(dir, DatabaseFile), t.options.Wait); err != nil {
			return err
		}
	}
	if t.options.Session != "" {
		if err := copyFile(t.options.Session, filepath.Join(dir, SessionFile)); err != nil {
			return err
		}
	}
	return writeProcesses(dir, t.options.PID)
}
