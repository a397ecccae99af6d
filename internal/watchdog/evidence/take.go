package evidence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
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
	defer removeAll(work)
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
	if err := o.checkFiles(); err != nil {
		return err
	}
	repo, err := findRepository(o.Worktree)
	if errors.Is(err, errInside) || err != nil && !errors.Is(err, ErrRepository) {
		return err
	}
	if inside(o.Out, o.Worktree) || repo != nil && (inside(o.Out, repo.dir) || inside(o.Out, repo.common)) {
		return fmt.Errorf("%w: %s lies in the worktree or its repository, which are to stay as they are; take a folder outside", ErrExists, o.Out)
	}
	return vacant(o.Out)
}

// checkFiles refuses a session or database that is no file: reading it might never end.
func (o *Options) checkFiles() error {
	for _, f := range []struct{ what, file string }{{"session", o.Session}, {"database", o.Database}} {
		if f.file == "" {
			continue
		}
		info, err := os.Stat(f.file)
		if err != nil && f.what == "session" {
			return fmt.Errorf("the session: %w; name none if the worker has none", err)
		}
		if err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("the %s: %w: %s", f.what, ErrNotAFile, f.file)
		}
	}
	return nil
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
	return replaceable(dir)
}

// replaceable refuses an empty folder that no other can take the place of: where a disk is mounted, and where this process is.
func replaceable(dir string) error {
	one, err := os.Stat(dir)
	if err != nil {
		return err
	}
	parent, err := os.Stat(filepath.Dir(dir))
	if err != nil {
		return err
	}
	if statOf(one).dev != statOf(parent).dev {
		return fmt.Errorf("%w: a disk is mounted on %s; name a folder in it", ErrExists, dir)
	}
	if here, err := os.Stat("."); err == nil && os.SameFile(here, one) {
		return fmt.Errorf("%w: %s is the current folder; name a folder in it", ErrExists, dir)
	}
	return nil
}

// removeAll removes a folder, also where something in it may not be written to.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() {
			_ = os.Chmod(name, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// workshop makes a folder beside a target, on the same disk.
func workshop(target string) (string, error) {
	parent, base := filepath.Split(target)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, "."+base+partial+"*")
}

// takeStill captures until the source did not change meanwhile, maxTakes times at most: the last one is kept, with a list of
// what changed. Where the proof fails, git's data are kept as they lie there.
func takeStill(ctx context.Context, o *Options, work, dir string) (*Record, error) {
	t := &taking{options: o, work: work, raw: map[string]error{}, whole: true}
	for take := 1; ; {
		record := &Record{Version: recordVersion, Taken: o.Now().UTC(), Worktree: o.Worktree, Takes: take, IgnoredTar: o.IgnoredContents, Fast: o.Fast}
		err := t.once(ctx, dir, record, take == maxTakes)
		switch {
		case err == nil:
			return record, nil
		case errors.Is(err, errChanging) && take < maxTakes:
			take++
		case errors.Is(err, ErrDamaged) && t.allRaw == nil && ctx.Err() == nil:
			t.allRaw = err
		case errors.Is(err, errChanging):
			return nil, fmt.Errorf("%w: %s: %w", ErrRepository, o.Worktree, err)
		default:
			return nil, err
		}
		if err := removeAll(dir); err != nil {
			return nil, err
		}
	}
}

// once captures the source and looks at it again. Only the last take accepts that it changed.
func (t *taking) once(ctx context.Context, dir string, record *Record, last bool) error {
	o := t.options
	t.bytes = 0
	top := &site{at: o.Worktree}
	var err error
	if record.Before, err = look(ctx, o, top); err != nil {
		return err
	}
	before := top.paths("")
	if r := top.repo; r != nil && r.dir != r.common {
		record.Repository = r.common
	}
	if err := t.site(ctx, top, dir, record); err != nil {
		return err
	}
	if err := t.beside(ctx, dir, record); err != nil {
		return err
	}
	if err := t.prove(ctx, dir, record); err != nil {
		return err
	}
	if record.After, err = look(ctx, o, top); err != nil {
		return err
	}
	record.Changing = append(record.Changing, changedPaths(before, top.paths(""))...)
	if record.Before.Index != record.After.Index {
		record.Changing = append(record.Changing, ".git/index")
	}
	if record.Before.Refs != record.After.Refs {
		record.Changing = append(record.Changing, ".git/refs")
	}
	slices.Sort(record.Changing)
	record.Changing = slices.Compact(record.Changing)
	if len(record.Changing) > 0 && !last {
		return fmt.Errorf("%w: %q", errChanging, record.Changing[0])
	}
	return nil
}

// prove restores the evidence into a private folder, where it is compared with what was captured.
func (t *taking) prove(ctx context.Context, dir string, record *Record) error {
	if t.options.Fast {
		return nil
	}
	if err := writeRecord(dir, record); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	proof := filepath.Join(t.work, "proof")
	defer removeAll(proof)
	lacks, err := rebuild(ctx, root, ".", proof, t.options.GitLimit)
	if err != nil {
		if !errors.Is(err, ErrRepository) || ctx.Err() != nil {
			return err
		}
		return fmt.Errorf("%w: the proof: %w", ErrDamaged, err)
	}
	record.NotRestored, record.Proven = lacks, true
	return os.Remove(filepath.Join(dir, RecordFile))
}

// site is a worktree, or a repository nested in one, as it was found.
type site struct {
	at      string
	repo    *repository // nil without git
	broken  error       // why what is called .git is no repository
	listing *listing
	nested  []*site // in the order of listing.nested
}

// look hashes the source (WDC-EVID-003). What did not change since the last look is not read again.
func look(ctx context.Context, o *Options, top *site) (Source, error) {
	var found Source
	var tree, index, refs strings.Builder
	if err := top.look(ctx, &tree, &index, &refs); err != nil {
		return found, err
	}
	found.Tree, found.Index, found.Refs = sumOf([]byte(tree.String())), sumOf([]byte(index.String())), sumOf([]byte(refs.String()))
	if o.Database == "" {
		return found, nil
	}
	var err error
	found.Database, err = databaseSum(o.Database)
	return found, err
}

func (s *site) look(ctx context.Context, tree, index, refs *strings.Builder) error {
	s.repo, s.broken = nil, nil
	var err error
	if s.repo, err = findRepository(s.at); err != nil {
		if !errors.Is(err, ErrRepository) || errors.Is(err, errInside) {
			return err
		}
		s.broken = err
	}
	root, err := os.OpenRoot(s.at)
	if err != nil {
		return changing(err)
	}
	defer root.Close()
	if s.listing, err = list(ctx, root, s.listing, s.repo != nil && s.repo.sha256(), nil); err != nil {
		return fmt.Errorf("reading %s: %w", s.at, err)
	}
	fmt.Fprintf(tree, "%s\n", s.listing.digest())
	if s.repo != nil {
		sum, err := sumPath(filepath.Join(s.repo.dir, "index"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrRepository) {
			return err
		}
		fmt.Fprintf(index, "%s\n", sum)
		refs.WriteString(s.repo.refsNow())
	}
	return s.lookInside(ctx, tree, index, refs)
}

// lookInside looks at the nested repositories.
func (s *site) lookInside(ctx context.Context, tree, index, refs *strings.Builder) error {
	known := s.nested
	s.nested = nil
	for i, name := range s.listing.nested {
		inner := &site{at: filepath.Join(s.at, name)}
		if i < len(known) && known[i].at == inner.at {
			inner = known[i]
		}
		fmt.Fprintf(tree, "nested %q\n", name)
		if err := inner.look(ctx, tree, index, refs); err != nil {
			return err
		}
		s.nested = append(s.nested, inner)
	}
	return nil
}

// sha256 reports whether a repository names its objects so. A wrong guess costs time and nothing else.
func (r *repository) sha256() bool {
	data, err := readText(filepath.Join(r.common, "config"))
	return err == nil && objectFormat.Match(data)
}

var objectFormat = regexp.MustCompile(`(?mi)^\s*objectformat\s*=\s*"?sha256`)

// refsNow describes HEAD, refs, reflogs and the files of an unfinished operation by name, size and time, which changes when one of them does.
func (r *repository) refsNow() string {
	files := slices.Concat(filesBelow(filepath.Join(r.common, "refs"), "refs", nil), filesBelow(filepath.Join(r.common, "reftable"), "reftable", nil), r.logFiles())
	files = append(files, gitFile{"HEAD", filepath.Join(r.dir, "HEAD")}, gitFile{"packed-refs", filepath.Join(r.common, "packed-refs")})
	if r.dir != r.common {
		files = append(files, filesBelow(filepath.Join(r.dir, "refs"), "own/refs", nil)...)
	}
	names, _ := r.stateNames()
	for _, name := range names {
		files = append(files, gitFile{name, r.stateFile(name)})
	}
	var b strings.Builder
	for _, f := range files {
		if info, err := os.Stat(f.file); err == nil {
			fmt.Fprintf(&b, "%q %d %d\n", f.name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

// paths says what lies at each path of a site and of those nested in it.
func (s *site) paths(prefix string) map[string]string {
	all := make(map[string]string, len(s.listing.items))
	for i := range s.listing.items {
		it := &s.listing.items[i]
		all[prefix+it.path] = it.line()
	}
	for i, inner := range s.nested {
		for name, line := range inner.paths(prefix + s.listing.nested[i] + "/") {
			all[name] = line
		}
	}
	return all
}

func changedPaths(before, after map[string]string) []string {
	var changed []string
	for name, line := range before {
		if after[name] != line {
			changed = append(changed, name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			changed = append(changed, name)
		}
	}
	return changed
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
	if err := unix.Rename(dir, target); err != nil { // os.Rename would refuse an empty folder
		return &os.LinkError{Op: "rename", Old: dir, New: target, Err: err}
	}
	return syncOne(filepath.Dir(target))
}
