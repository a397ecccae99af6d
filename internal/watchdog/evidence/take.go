package evidence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// partial marks the name of a folder in which a snapshot or a restore is still being built.
const partial = ".partial-"

// Take captures a worktree. On any error nothing is left in Out, and the source was only read.
func Take(ctx context.Context, o Options) (*Record, error) {
	o.defaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	work, err := workshop(o.Out)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	if err := (&taking{options: &o, work: filepath.Join(work, "foresee")}).foresee(ctx, o.Worktree); err != nil {
		return nil, err
	}
	dir := filepath.Join(work, "evidence")
	record, err := takeStill(ctx, &o, work, dir)
	if err != nil {
		return nil, err
	}
	if err := seal(dir, record); err != nil {
		return nil, err
	}
	return record, place(dir, o.Out)
}

func (o *Options) defaults() {
	if o.MaxUntracked == 0 {
		o.MaxUntracked = DefaultMaxUntracked
	}
	if o.Wait == 0 {
		o.Wait = DefaultWait
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

func (o *Options) check() error {
	var err error
	if o.Worktree, err = filepath.Abs(o.Worktree); err != nil {
		return err
	}
	if o.Out, err = resolve(o.Out); err != nil {
		return err
	}
	if info, err := os.Stat(o.Worktree); err != nil || !info.IsDir() {
		return fmt.Errorf("%w: %s is no folder", ErrRepository, o.Worktree)
	}
	if o.Worktree, err = filepath.EvalSymlinks(o.Worktree); err != nil {
		return err
	}
	if o.Session != "" {
		if _, err := os.Stat(o.Session); err != nil {
			return fmt.Errorf("the session: %w; name none if the worker has none", err)
		}
	}
	repo, err := findRepository(o.Worktree)
	if err != nil {
		return err
	}
	if inside(o.Out, o.Worktree) || repo != nil && (inside(o.Out, repo.dir) || inside(o.Out, repo.common)) {
		return fmt.Errorf("%w: %s lies in the worktree or its repository, which are to stay as they are; take a folder outside", ErrExists, o.Out)
	}
	return vacant(o.Out)
}

// resolve makes a path absolute and follows links as far as it exists.
func resolve(name string) (string, error) {
	at, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	for there, rest := at, ""; ; there, rest = filepath.Dir(there), filepath.Join(filepath.Base(there), rest) {
		real, err := filepath.EvalSymlinks(there)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || there == filepath.Dir(there) {
			return "", err
		}
	}
}

func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// vacant checks that a target does not exist or is an empty folder (WDC-EVID-004).
func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%w: %w", ErrExists, err)
	case len(entries) > 0:
		return fmt.Errorf("%w: %s; nothing is ever overwritten, so name another folder", ErrExists, dir)
	}
	return nil
}

// workshop makes a folder beside a target, on the same disk.
func workshop(target string) (string, error) {
	parent, base := filepath.Split(target)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, "."+base+partial+"*")
}

// takeStill captures until the source did not change meanwhile.
func takeStill(ctx context.Context, o *Options, work, dir string) (*Record, error) {
	for take := 1; ; take++ {
		record := &Record{Version: 1, Taken: o.Now().UTC(), Worktree: o.Worktree, Takes: take, IgnoredTar: o.IgnoredContents}
		err := takeOnce(ctx, o, work, dir, record)
		if !errors.Is(err, ErrChanging) || take == maxTakes {
			return record, err
		}
		if err := os.RemoveAll(dir); err != nil {
			return nil, err
		}
	}
}

func takeOnce(ctx context.Context, o *Options, work, dir string, record *Record) error {
	top := &site{at: o.Worktree}
	var err error
	if record.Before, err = look(o, top); err != nil {
		return err
	}
	if r := top.repo; r != nil && r.dir != r.common {
		record.Repository = r.common
	}
	t := &taking{options: o, work: work}
	if err := t.site(ctx, top, dir, record); err != nil {
		return err
	}
	if err := t.beside(ctx, dir, record); err != nil {
		return err
	}
	if record.After, err = look(o, top); err != nil {
		return err
	}
	if record.Before.Tree != record.After.Tree || record.Before.Index != record.After.Index {
		return fmt.Errorf("%w: %s; stop what writes there, or try again", ErrChanging, o.Worktree)
	}
	return nil
}

// site is a worktree, or a repository nested in one, as it was found.
type site struct {
	at      string
	repo    *repository // nil without git
	listing *listing
	nested  []*site // in the order of listing.nested
}

// look hashes the source (WDC-EVID-003). What did not change since the last look is not read again.
func look(o *Options, top *site) (Source, error) {
	var found Source
	var tree, index strings.Builder
	if err := top.look(&tree, &index); err != nil {
		return found, err
	}
	found.Tree, found.Index = sumOf([]byte(tree.String())), sumOf([]byte(index.String()))
	if o.Database == "" {
		return found, nil
	}
	var err error
	found.Database, err = databaseSum(o.Database)
	return found, err
}

func (s *site) look(tree, index *strings.Builder) error {
	var err error
	if s.repo, err = findRepository(s.at); err != nil {
		return err
	}
	root, err := os.OpenRoot(s.at)
	if err != nil {
		return changing(err)
	}
	defer root.Close()
	if s.listing, err = list(root, s.listing); err != nil {
		return fmt.Errorf("reading %s: %w", s.at, err)
	}
	fmt.Fprintf(tree, "%s\n", s.listing.digest())
	if s.repo != nil {
		sum, err := sumPath(filepath.Join(s.repo.dir, "index"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		fmt.Fprintf(index, "%s\n", sum)
	}
	return s.lookInside(tree, index)
}

// lookInside looks at the nested repositories.
func (s *site) lookInside(tree, index *strings.Builder) error {
	known := s.nested
	s.nested = nil
	for i, name := range s.listing.nested {
		inner := &site{at: filepath.Join(s.at, name)}
		if i < len(known) && known[i].at == inner.at {
			inner = known[i]
		}
		fmt.Fprintf(tree, "nested %q\n", name)
		if err := inner.look(tree, index); err != nil {
			return err
		}
		s.nested = append(s.nested, inner)
	}
	return nil
}

// writeRecord writes snapshot.json.
func writeRecord(dir string, record *Record) error {
	data, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return err
	}
	return writeText(dir, RecordFile, string(data)+"\n")
}

// seal writes the record and the manifest and makes all durable.
func seal(dir string, record *Record) error {
	if err := writeRecord(dir, record); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := writeManifest(root); err != nil {
		return err
	}
	return syncTree(dir)
}

// syncTree makes a folder and all that is in it durable.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() && !e.Type().IsRegular() {
			return err
		}
		return syncOne(path)
	})
}

func syncOne(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// place moves a finished folder to its target.
func place(dir, target string) error {
	if err := vacant(target); err != nil {
		return err
	}
	if err := os.Rename(dir, target); err != nil {
		return err
	}
	return syncOne(filepath.Dir(target))
}
