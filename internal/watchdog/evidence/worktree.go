package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// taking is one capture under way.
type taking struct {
	options *Options
	work    string // folder for mirrors
	mirrors int
	bytes   int64            // of untracked files so far
	raw     map[string]error // sites whose git data are kept as they lie there, and why
	allRaw  error            // why all are
	whole   bool             // look for every object that is named
}

// state is a site with what git says of it.
type state struct {
	*site
	mirror     *mirror
	git        *capture // nil without git, or where it cannot be read
	entries    []entry
	unreadable error // why git cannot be read
	raw        error // why git's data are kept as they lie there
	parts      split
	record     Record // what identifies the state
}

// read gathers a site's state, and writes to nothing but its mirror. Where git cannot be read, the tree is read all the same.
func (t *taking) read(ctx context.Context, s *site) (*state, error) {
	st := &state{site: s, unreadable: s.broken, raw: cmp.Or(t.allRaw, t.raw[s.at])}
	if s.repo != nil {
		err := t.readGit(ctx, st)
		if ctx.Err() != nil || err != nil && !errors.Is(err, ErrRepository) {
			return nil, err
		}
		if err != nil {
			st.unreadable = err
		}
	}
	if st.unreadable != nil {
		st.raw = st.unreadable
	}
	if st.git == nil {
		if err := t.readTreeOnly(ctx, st); err != nil {
			return nil, err
		}
	}
	if err := st.classify(ctx); err != nil {
		return nil, err
	}
	return st, st.identify()
}

func (t *taking) newMirror(ctx context.Context, src *repository) (*mirror, error) {
	t.mirrors++
	m, err := newMirror(ctx, filepath.Join(t.work, "git"+strconv.Itoa(t.mirrors)), src)
	if m != nil {
		m.limit = t.options.GitLimit
	}
	return m, err
}

func (t *taking) readGit(ctx context.Context, st *state) error {
	m, err := t.newMirror(ctx, st.repo)
	if err != nil {
		return err
	}
	st.mirror = m
	git, err := takeGit(ctx, m, st.repo, t.whole)
	if err != nil {
		return err
	}
	st.git, st.entries = git, git.entries
	return nil
}

// readTreeOnly makes a mirror without a repository, for the rules of .gitignore, and reads the index if it can be read.
func (t *taking) readTreeOnly(ctx context.Context, st *state) error {
	m, err := t.newMirror(ctx, nil)
	if err != nil {
		return err
	}
	m.worktree, st.mirror = filepath.Join(m.dir, shadow), m
	if err := m.writeConfig(); err != nil || st.repo == nil {
		return err
	}
	_ = copyIn(filepath.Join(st.repo.common, "info/exclude"), filepath.Join(m.dir, "info/exclude"))
	if copyIndex(filepath.Join(st.repo.dir, "index"), m.index) != nil {
		return nil
	}
	if _, err := os.Stat(m.index); err == nil {
		st.entries, _ = m.readEntries(ctx, m.index)
	}
	return ctx.Err()
}

// split says where a snapshot has each of a worktree's items.
type split struct {
	head      []*item // as HEAD has them
	edited    []*item // tracked, and not as HEAD has them
	untracked []*item
	ignored   []*item
}

func (st *state) classify(ctx context.Context) error {
	tracked, head := map[string]bool{}, map[string]object{}
	for i := range st.entries {
		tracked[st.entries[i].path] = true
	}
	if st.git != nil {
		for name := range st.git.head {
			tracked[name] = true
		}
		if st.raw == nil {
			head = st.git.head
		}
	}
	var rest []*item
	var names []string
	for i := range st.listing.items {
		it := &st.listing.items[i]
		switch {
		case it.blob != "" && head[it.path] == object{it.kind(), it.blob}:
			st.parts.head = append(st.parts.head, it)
		case tracked[it.path] && !it.mode.IsDir():
			st.parts.edited = append(st.parts.edited, it)
		case st.repo == nil && st.broken == nil:
			st.parts.untracked = append(st.parts.untracked, it)
		case it.mode.IsDir():
			rest, names = append(rest, it), append(names, it.path+"/")
		default:
			rest, names = append(rest, it), append(names, it.path)
		}
	}
	return st.classifyRest(ctx, rest, names)
}

// classifyRest asks which of the files that git does not track are ignored. Where git cannot say so, none is.
func (st *state) classifyRest(ctx context.Context, rest []*item, names []string) error {
	root, err := os.OpenRoot(st.at)
	if err != nil {
		return changing(err)
	}
	defer root.Close()
	ignored, err := st.mirror.ignores(ctx, root, st.listing.items, names)
	if err != nil && (st.unreadable == nil || ctx.Err() != nil || !errors.Is(err, ErrRepository)) {
		if !errors.Is(err, ErrRepository) || ctx.Err() != nil {
			return err
		}
		st.unreadable, st.raw = err, err
	}
	for i, it := range rest {
		if ignored[names[i]] {
			st.parts.ignored = append(st.parts.ignored, it)
		} else {
			st.parts.untracked = append(st.parts.untracked, it)
		}
	}
	return nil
}

// restored lists the items that a restore brings back.
func (st *state) restored(withIgnored bool) []item {
	left := make(map[*item]bool, len(st.parts.ignored))
	if !withIgnored {
		for _, it := range st.parts.ignored {
			left[it] = true
		}
	}
	items := make([]item, 0, len(st.listing.items))
	for i := range st.listing.items {
		if it := &st.listing.items[i]; !left[it] && it.mode&fs.ModeIrregular == 0 {
			items = append(items, *it)
		}
	}
	return items
}

// identify gives the state its digest: the same state has the same, whenever and with whatever options it is captured.
func (st *state) identify() error {
	r := &st.record
	r.Git = nil
	if st.unreadable != nil {
		r.Unreadable = Masked(st.unreadable.Error())
	}
	if st.git != nil && st.unreadable == nil {
		r.Git = st.git.record
		r.Git.Own = st.git.worktreeRefs()
	} else if st.repo != nil {
		r.Git = &GitRecord{Format: "sha1"}
		r.Git.Branch, r.Git.Head = st.repo.headFile()
		r.Git.Index, _ = sumPath(filepath.Join(st.repo.dir, "index"))
		r.Git.Progress = progressOf(st.repo.dir)
	}
	if r.Git != nil {
		names, _ := st.repo.stateNames()
		var err error
		if r.Git.State, err = stateSum(names, st.repo.stateFile); err != nil {
			return err
		}
		r.Git.Raw = st.raw != nil
	}
	r.Digest = r.identity(sumOf([]byte(treeText(st.restored(false)))))
	return nil
}

// site captures one worktree into dir, and those nested in it. Nothing is written before it is known to fit. Where git fails, its
// data are kept as they lie there.
func (t *taking) site(ctx context.Context, s *site, dir string, record *Record) error {
	st, err := t.read(ctx, s)
	if err != nil {
		return errors.Join(err, room(t.options.Out, sizesOf(s.listing.items)))
	}
	if err := t.fits(st); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	err = t.write(ctx, st, dir, record)
	if errors.Is(err, ErrRepository) && ctx.Err() == nil && st.raw == nil {
		if full := room(t.options.Out, sizesOf(s.listing.items)); full != nil {
			return errors.Join(full, err)
		}
		t.raw[s.at] = err
		t.bytes -= sizes(st.parts.untracked)
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		return t.site(ctx, s, dir, record)
	}
	if err != nil {
		return err
	}
	return t.nested(ctx, s, dir, record)
}

// write writes a site's files.
func (t *taking) write(ctx context.Context, st *state, dir string, record *Record) error {
	record.Git, record.Unreadable = nil, st.record.Unreadable
	var steps []func(context.Context) error
	if st.git != nil && st.raw == nil {
		file := filepath.Join(dir, BundleFile)
		steps = append(steps, func(ctx context.Context) error { return st.git.bundle(ctx, file, t.options.AllRefs) })
	}
	steps = append(steps, func(ctx context.Context) error { return t.files(ctx, st, dir, record) })
	if err := together(ctx, steps...); err != nil {
		return err
	}
	if err := t.git(ctx, st, dir, record); err != nil {
		return err
	}
	if err := st.identify(); err != nil {
		return err
	}
	record.Git, record.Digest = st.record.Git, st.record.Digest
	if st.raw != nil {
		record.Missing = append(record.Missing, Skipped{".git", "not all of it can be read by git: " + Masked(st.raw.Error())})
	}
	if st.git != nil {
		slices.SortFunc(st.git.missing, func(a, b Skipped) int { return strings.Compare(a.Path, b.Path) })
		record.Missing = append(record.Missing, st.git.missing...)
	}
	return nil
}

// fits checks the limit and the disk before anything is written (WDC-EVID-007). A bundle is taken to be as large as the
// objects that it comes from.
func (t *taking) fits(st *state) error {
	if err := t.count(sizes(st.parts.untracked)); err != nil {
		return err
	}
	need := sizes(st.parts.edited) + sizes(st.parts.untracked)
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
	if !t.options.Fast { // the proof is a second copy
		need += need + sizes(st.parts.head)
	}
	return room(t.options.Out, need+need/8)
}

// count adds untracked files, and checks the limit.
func (t *taking) count(untracked int64) error {
	if t.bytes += untracked; t.bytes > t.options.MaxUntracked {
		return fmt.Errorf("%w: %d bytes, the limit is %d; raise it, or tell git to ignore what is not needed",
			ErrTooLarge, t.bytes, t.options.MaxUntracked)
	}
	return nil
}

func sizes(items []*item) int64 {
	n := int64(0)
	for _, it := range items {
		n += it.size
	}
	return n
}

func sizesOf(items []item) int64 {
	n := int64(0)
	for i := range items {
		n += items[i].size
	}
	return n
}

// files writes what is not git's: the archives, the list of ignored files, and what a restore must rebuild.
func (t *taking) files(ctx context.Context, st *state, dir string, record *Record) error {
	root, err := os.OpenRoot(st.at)
	if err != nil {
		return changing(err)
	}
	defer root.Close()
	l := st.listing
	var show func(*item, []byte) error
	if st.git != nil && st.raw == nil {
		show = st.git.keep
	}
	archives := []archiveOf{{st.parts.edited, EditedFile, show}, {st.parts.untracked, UntrackedFile, nil}}
	if t.options.IgnoredContents {
		archives = append(archives, archiveOf{st.parts.ignored, IgnoredTar, nil})
	}
	for _, a := range archives {
		changed, err := l.archive(ctx, root, a.items, filepath.Join(dir, a.file), a.show)
		if err != nil {
			return err
		}
		record.Changing = append(record.Changing, changed...)
	}
	var ignored strings.Builder
	for _, it := range st.parts.ignored {
		fmt.Fprintf(&ignored, "%d %s %s\n", it.size, cmp.Or(it.sum, "-"), strconv.QuoteToASCII(it.path))
	}
	if err := writeText(dir, IgnoredFile, ignored.String()); err != nil {
		return err
	}
	items := st.restored(t.options.IgnoredContents)
	if err := writeAttributes(dir, attributesOf(items, st.foldersOf(t.options.IgnoredContents))); err != nil {
		return err
	}
	tree := treeText(items)
	record.Files, record.Ignored, record.Tree, record.Skipped = len(items), len(st.parts.ignored), sumOf([]byte(tree)), l.skipped
	record.Bytes = sizesOf(items)
	return writeText(dir, TreeFile, tree)
}

// foldersOf lists the folders that a restore makes: not those that have nothing but ignored files.
func (st *state) foldersOf(withIgnored bool) []item {
	made := map[string]bool{".": true}
	lead := func(dir string) {
		for ; !made[dir]; dir, _ = splitPath(dir) {
			made[dir] = true
		}
	}
	for _, it := range st.restored(withIgnored) {
		lead(it.path)
	}
	for _, name := range st.listing.nested {
		lead(name)
	}
	var folders []item
	for i := range st.listing.folders {
		if f := st.listing.folders[i]; made[f.path] {
			folders = append(folders, f)
		}
	}
	return folders
}

type archiveOf struct {
	items []*item
	file  string
	show  func(*item, []byte) error
}

// git writes the files of git's side.
func (t *taking) git(ctx context.Context, st *state, dir string, record *Record) error {
	if st.repo == nil {
		return st.oddGit(ctx, dir, record)
	}
	if err := st.repo.copyState(dir); err != nil {
		return err
	}
	if err := texts(dir, st.repo); err != nil {
		return err
	}
	if st.raw != nil {
		files, odd := st.repo.dataFiles()
		modules, more := st.repo.moduleFiles(st.nested)
		files, record.Missing = append(files, modules...), slices.Concat(record.Missing, odd, more)
		if err := writeGitTar(ctx, files, filepath.Join(dir, DataFile)); err != nil {
			return err
		}
	}
	if st.git == nil || st.unreadable != nil {
		return nil
	}
	if err := writeText(dir, EntriesFile, st.git.entriesText()); err != nil {
		return err
	}
	st.git.forPeople(ctx, dir, st)
	if st.raw != nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return t.gitFiles(ctx, st, dir)
}

// gitFiles writes index, reflogs, a reftable and the contents under Git LFS, as they lie there.
func (t *taking) gitFiles(ctx context.Context, st *state, dir string) error {
	if err := writeText(dir, ObjectsFile, st.git.objectsText()); err != nil {
		return err
	}
	files := filesBelow(filepath.Join(st.mirror.dir, sourceReftable), "reftable", nil)
	if _, err := os.Stat(st.git.index); err == nil {
		files = append(files, gitFile{"index", st.git.index})
	}
	shared, err := filepath.Glob(filepath.Join(escapeGlob(st.mirror.dir), "sharedindex.*"))
	if err != nil {
		return err
	}
	for _, file := range shared {
		files = append(files, gitFile{filepath.Base(file), file})
	}
	files = append(files, st.repo.logFiles()...)
	files = append(files, firstOfEach(filesBelow(filepath.Join(st.repo.common, "rr-cache"), "rr-cache", nil))...)
	lfs, err := st.git.lfsFiles(ctx)
	if err != nil {
		return err
	}
	modules, odd := st.repo.moduleFiles(st.nested)
	st.git.miss(odd...)
	return writeGitTar(ctx, slices.Concat(files, lfs, modules), filepath.Join(dir, DataFile))
}

// oddGit keeps what is called .git and is no repository: beside the rest, and never restored.
func (st *state) oddGit(ctx context.Context, dir string, record *Record) error {
	if st.broken == nil {
		return nil
	}
	at := filepath.Join(st.at, ".git")
	if data, err := readText(at); err == nil {
		record.Missing = append(record.Missing, Skipped{".git", fmt.Sprintf("it is not restored; it has %.400q", Masked(string(data)))})
		return nil
	}
	files := filesBelow(at, ".git", nil)
	if len(files) == 0 {
		return nil
	}
	record.Missing = append(record.Missing, Skipped{".git", "it is not restored; its files are in " + OddFile})
	return writeGitTar(ctx, files, filepath.Join(dir, OddFile))
}

// nested captures the repositories inside this one.
func (t *taking) nested(ctx context.Context, s *site, dir string, record *Record) error {
	for i, inner := range s.nested {
		n := Nested{Path: s.listing.nested[i], Dir: filepath.Join(NestedDir, strconv.Itoa(i+1))}
		to := filepath.Join(dir, n.Dir)
		r := &Record{Version: recordVersion, Taken: record.Taken, Worktree: inner.at, Takes: record.Takes, IgnoredTar: record.IgnoredTar}
		if err := t.site(ctx, inner, to, r); err != nil {
			return fmt.Errorf("in %s: %w", n.Path, err)
		}
		n.Digest = r.Digest
		if err := writeRecord(to, r); err != nil {
			return err
		}
		for _, name := range r.Changing {
			record.Changing = append(record.Changing, n.Path+"/"+name)
		}
		for _, m := range r.Missing {
			record.Missing = append(record.Missing, Skipped{n.Path + "/" + m.Path, m.Why})
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
	if t.options.Database != "" {
		if err := t.database(ctx, dir, record); err != nil {
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
