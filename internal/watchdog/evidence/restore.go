package evidence

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Verify checks that a snapshot is what was sealed, and that git can read its bundle. The error wraps ErrDamaged.
func Verify(ctx context.Context, dir string) (*Record, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if strings.Contains(filepath.Base(filepath.Dir(dir)), partial) || strings.Contains(filepath.Base(dir), partial) {
		return nil, fmt.Errorf("%w: %s was never finished; take the snapshot again", ErrDamaged, dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer root.Close()
	if err := checkManifest(root); err != nil {
		return nil, err
	}
	record, err := readRecord(root, ".")
	if err != nil {
		return nil, err
	}
	if err := checkDigest(dir, ".", record); err != nil {
		return nil, err
	}
	return record, verifyBundle(ctx, root, record)
}

// verifyBundle lets git check the bundle against an empty repository: it must need nothing else.
func verifyBundle(ctx context.Context, root *os.Root, record *Record) error {
	if record.Git == nil || record.Git.Raw || len(record.Git.Refs) == 0 {
		return nil
	}
	work, err := os.MkdirTemp("", "evidence-verify-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	m, err := newMirror(ctx, filepath.Join(work, "git"), nil)
	if err != nil {
		return err
	}
	m.format = record.Git.Format
	if err := m.writeConfig(); err != nil {
		return err
	}
	if _, err := m.text(ctx, "bundle", "verify", "--quiet", filepath.Join(root.Name(), BundleFile)); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

func readRecord(root *os.Root, dir string) (*Record, error) {
	data, err := root.ReadFile(filepath.Join(dir, RecordFile))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, RecordFile, err)
	}
	if r.Version != recordVersion {
		return nil, fmt.Errorf("%w: %s is of version %d; this program reads version %d", ErrDamaged, RecordFile, r.Version, recordVersion)
	}
	return &r, nil
}

// Restore rebuilds worktree, index and stash of a snapshot in a folder that does not exist or is empty, and proves that
// they are what was captured, byte for byte (WDC-EVID-005). On any error the folder is not there.
func Restore(ctx context.Context, dir, to string) (*Record, error) {
	record, err := Verify(ctx, dir)
	if err != nil {
		return nil, err
	}
	if to, err = resolve(to); err != nil {
		return nil, err
	}
	if dir, err = resolve(dir); err != nil {
		return nil, err
	}
	if inside(to, dir) {
		return nil, fmt.Errorf("%w: %s lies in the evidence, which is to stay as it is; take a folder outside", ErrExists, to)
	}
	if err := vacant(to); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := room(to, record.Bytes+record.Bytes/8); err != nil {
		return nil, err
	}
	work, err := workshop(to)
	if err != nil {
		return nil, err
	}
	defer removeAll(work)
	tree := filepath.Join(work, "tree")
	if record.NotRestored, err = rebuild(ctx, root, ".", tree, 0); err != nil {
		return nil, err
	}
	if err := place(tree, to); err != nil {
		return nil, err
	}
	return record, dressTop(root.Name(), to)
}

// dressTop gives the top folder its mode and time, last of all.
func dressTop(evidence, to string) error {
	list, err := readAttributes(evidence)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	for i := range list {
		if list[i].Path == "." {
			return dressOne(root, &list[i])
		}
	}
	return nil
}

// rebuild makes one worktree, and those nested in it, and compares them with what was captured. It returns what of the
// attributes could not be given.
func rebuild(ctx context.Context, evidence *os.Root, sub, to string, limit time.Duration) ([]Skipped, error) {
	record, err := readRecord(evidence, sub)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	r := &restoring{record: record, dir: filepath.Join(evidence.Name(), sub), to: to, limit: limit}
	if err := r.tree(ctx, evidence, sub, root); err != nil {
		return nil, err
	}
	inner, err := rebuildNested(ctx, evidence, sub, root, record, limit)
	if err != nil {
		return nil, err
	}
	if err := dress(root, r.attributes); err != nil {
		return nil, err
	}
	lacks, err := r.prove(ctx, root)
	if err != nil || record.Git == nil {
		return append(lacks, inner...), err
	}
	return append(lacks, inner...), r.finish(ctx)
}

func rebuildNested(ctx context.Context, evidence *os.Root, sub string, root *os.Root, record *Record, limit time.Duration) ([]Skipped, error) {
	var lacks []Skipped
	for _, n := range record.Nested {
		if !plain(n.Path) || !plain(n.Dir) || hasGit(n.Path) {
			return nil, fmt.Errorf("%w: a nested repository at %q", ErrDamaged, n.Path)
		}
		if err := plainParents(root, n.Path+"/x"); err != nil {
			return nil, err
		}
		inner, err := rebuild(ctx, evidence, filepath.Join(sub, n.Dir), filepath.Join(root.Name(), n.Path), limit)
		if err == nil {
			err = dressTop(filepath.Join(evidence.Name(), sub, n.Dir), filepath.Join(root.Name(), n.Path))
		}
		if err != nil {
			return nil, fmt.Errorf("in %s: %w", n.Path, err)
		}
		for _, l := range inner {
			lacks = append(lacks, Skipped{n.Path + "/" + l.Path, l.Why})
		}
	}
	return lacks, nil
}

// restoring rebuilds one repository.
type restoring struct {
	record     *Record
	dir        string // of the snapshot
	to         string
	limit      time.Duration
	git        *mirror
	entries    []entry // of the index, as captured
	attributes []attribute
	sparse     map[string]bool
}

// tree makes the repository and lays the files out: those of the archives, and as HEAD has them all that no archive has.
func (r *restoring) tree(ctx context.Context, evidence *os.Root, sub string, root *os.Root) error {
	var err error
	if r.attributes, err = readAttributes(r.dir); err != nil {
		return err
	}
	r.sparse = map[string]bool{}
	for i := range r.attributes {
		if a := &r.attributes[i]; a.Holes {
			r.sparse[a.Path] = true
		}
	}
	if r.record.Git != nil {
		if err := r.repository(ctx); err != nil {
			return err
		}
	}
	found := map[string]bool{}
	for _, name := range []string{EditedFile, UntrackedFile, IgnoredTar} {
		if err := r.unpack(ctx, evidence, filepath.Join(sub, name), root, found); err != nil {
			return err
		}
	}
	return r.layOutHead(ctx, root, found)
}

// unpack extracts an archive of the snapshot, if it has it.
func (r *restoring) unpack(ctx context.Context, evidence *os.Root, name string, root *os.Root, found map[string]bool) error {
	f, err := evidence.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return readTar(ctx, bufio.NewReaderSize(f, 1<<20), root, r.sparse, func(name string) { found[name] = true })
}

// repository makes the repository with its refs, index and state.
func (r *restoring) repository(ctx context.Context) error {
	g := r.record.Git
	m, err := newMirror(ctx, filepath.Join(r.to, ".git"), nil)
	if err != nil {
		return err
	}
	m.worktree, m.format, m.limit, m.index = r.to, g.Format, r.limit, filepath.Join(m.dir, "index")
	r.git = m
	if g.Raw {
		return r.rawData(ctx)
	}
	if g.RefStorage != "" {
		if err := installGitTar(ctx, filepath.Join(r.dir, DataFile), m.dir); err != nil {
			return err
		}
	}
	if err := m.writeConfig(); err != nil {
		return err
	}
	if g.Shallow != "" {
		if err := os.WriteFile(filepath.Join(m.dir, "shallow"), []byte(g.Shallow), 0o600); err != nil {
			return err
		}
	}
	if len(g.Refs) > 0 {
		if _, err := m.text(ctx, "bundle", "unbundle", filepath.Join(r.dir, BundleFile)); err != nil {
			return err
		}
	}
	if g.RefStorage == "" {
		if err := errors.Join(r.refs(ctx), os.RemoveAll(filepath.Join(m.dir, "logs"))); err != nil { // the reflogs are those captured
			return err
		}
		if err := installGitTar(ctx, filepath.Join(r.dir, DataFile), m.dir); err != nil {
			return err
		}
	}
	if err := installState(r.dir, m.dir, m.dir); err != nil {
		return err
	}
	return r.readIndex(ctx)
}

// rawData puts git's data back as they lay there.
func (r *restoring) rawData(ctx context.Context) error {
	if err := installGitTar(ctx, filepath.Join(r.dir, DataFile), r.git.dir); err != nil {
		return err
	}
	if err := installState(r.dir, r.git.dir, r.git.dir); err != nil {
		return err
	}
	if err := r.git.writeConfig(); err != nil {
		return err
	}
	promised, err := filepath.Glob(filepath.Join(escapeGlob(r.git.dir), "objects/pack/*.promisor"))
	if err != nil || len(promised) == 0 {
		return err
	}
	f, err := os.OpenFile(filepath.Join(r.git.dir, "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	text := "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\tpromisor = true\n"
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// refs sets refs and HEAD.
func (r *restoring) refs(ctx context.Context) error {
	g := r.record.Git
	var updates bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(g.Refs)) {
		if strings.HasPrefix(name, "refs/") && !strings.HasPrefix(name, "refs/evidence/") {
			fmt.Fprintf(&updates, "create %s\x00%s\x00", name, g.Refs[name])
		}
	}
	if updates.Len() > 0 {
		if _, err := r.git.run(ctx, call{stdin: updates.Bytes(), args: []string{"update-ref", "--stdin", "-z", "--no-deref"}}); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.Symbolic)) {
		if _, err := r.git.text(ctx, "symbolic-ref", name, g.Symbolic[name]); err != nil {
			return err
		}
	}
	head := g.Head + "\n"
	if g.Branch != "" {
		if !plain(g.Branch) || !strings.HasPrefix(g.Branch, "refs/") || strings.ContainsAny(g.Branch, "\n\x00") {
			return fmt.Errorf("%w: HEAD names %q", ErrDamaged, g.Branch)
		}
		head = "ref: " + g.Branch + "\n"
	}
	return os.WriteFile(filepath.Join(r.git.dir, "HEAD"), []byte(head), 0o600)
}

// readIndex reads what the index was.
func (r *restoring) readIndex(ctx context.Context) error {
	data, err := os.ReadFile(filepath.Join(r.dir, EntriesFile))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	r.entries, err = parseEntries(data)
	return err
}

// layOutHead writes, as HEAD has them, the files that no archive has.
func (r *restoring) layOutHead(ctx context.Context, root *os.Root, found map[string]bool) error {
	data, err := os.ReadFile(filepath.Join(r.dir, TreeFile))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	var wanted []item
	for line := range bytes.Lines(data) {
		it, err := parseTreeLine(strings.TrimSuffix(string(line), "\n"))
		if err != nil {
			return err
		}
		if !found[it.path] {
			wanted = append(wanted, it)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	if r.record.Git == nil || r.record.Git.Raw || r.record.Git.Head == "" {
		return fmt.Errorf("%w: no archive has %q", ErrDamaged, wanted[0].path)
	}
	head, err := r.git.files(ctx, r.record.Git.Head)
	if err != nil {
		return err
	}
	for i := range wanted {
		it := &wanted[i]
		if it.blob = head[it.path].name; it.blob == "" {
			return fmt.Errorf("%w: neither HEAD nor an archive has %q", ErrDamaged, it.path)
		}
	}
	return r.git.layOut(ctx, root, wanted, r.sparse)
}

// prove compares the restored worktree with the captured one. It returns what of the attributes could not be given.
func (r *restoring) prove(ctx context.Context, root *os.Root) ([]Skipped, error) {
	apart := map[string]bool{}
	for _, n := range r.record.Nested {
		apart[n.Path] = true
	}
	now, err := list(ctx, root, nil, r.record.Git != nil && r.record.Git.Format == "sha256", apart)
	if err != nil {
		return nil, err
	}
	want, err := os.ReadFile(filepath.Join(r.dir, TreeFile))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if got := treeText(now.items); got != string(want) {
		return nil, fmt.Errorf("%w: the restored tree differs: %s", ErrDamaged, firstDifference(string(want), got))
	}
	lacks := undressed(r.attributes, attributesOf(now.items, now.folders))
	if r.record.Git == nil || r.record.Git.Raw {
		return lacks, nil
	}
	return lacks, together(ctx, r.proveIndex, r.proveRefs, r.proveObjects)
}

func (r *restoring) proveIndex(ctx context.Context) error {
	if _, err := os.Stat(r.git.index); err != nil && len(r.entries) == 0 {
		return nil
	}
	entries, err := r.git.readEntries(ctx, r.git.index)
	if err != nil {
		return err
	}
	if sumOf([]byte((&capture{entries: entries}).entriesText())) != r.record.Git.Index {
		return fmt.Errorf("%w: the restored index differs from %s", ErrDamaged, EntriesFile)
	}
	return nil
}

// proveRefs compares HEAD, refs and stash.
func (r *restoring) proveRefs(ctx context.Context) error {
	g := r.record.Git
	c := capture{mirror: r.git, record: &GitRecord{}}
	if err := together(ctx, c.readHead, c.readRefs); err != nil {
		return err
	}
	if c.record.Head != g.Head || c.record.Branch != g.Branch {
		return fmt.Errorf("%w: HEAD was captured as %q, restored as %q", ErrDamaged, g.Branch+" "+g.Head, c.record.Branch+" "+c.record.Head)
	}
	got := map[string]string{}
	for _, ref := range c.refs {
		if ref.symref == "" {
			got[ref.name] = ref.object
		}
	}
	for name, object := range g.Refs {
		if !strings.HasPrefix(name, "refs/evidence/") && got[name] != object {
			return fmt.Errorf("%w: %q was captured at %s, restored at %q", ErrDamaged, name, object, got[name])
		}
	}
	if err := c.readStashes(ctx); err != nil {
		return err
	}
	if !slices.Equal(c.record.Stashes, g.Stashes) {
		return fmt.Errorf("%w: the stash was captured as %q, restored as %q", ErrDamaged, g.Stashes, c.record.Stashes)
	}
	return nil
}

// proveObjects looks for every object of objects.txt.
func (r *restoring) proveObjects(ctx context.Context) error {
	data, err := os.ReadFile(filepath.Join(r.dir, ObjectsFile))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	var names, want []string
	for line := range strings.Lines(string(data)) {
		f := strings.SplitN(line, " ", 3)
		if len(f) != 3 {
			return fmt.Errorf("%w: %s has the line %q", ErrDamaged, ObjectsFile, line)
		}
		names, want = append(names, f[0]), append(want, f[1])
	}
	left := map[string]bool{}
	for _, m := range r.record.Missing {
		left[m.Path] = true
	}
	kinds, err := r.git.kindsOf(ctx, names)
	if err != nil {
		return err
	}
	for i, k := range kinds {
		if k.kind != want[i] && !left[names[i]] {
			return fmt.Errorf("%w: the object %s is a %s, restored as %q", ErrDamaged, names[i], want[i], k.kind)
		}
	}
	return nil
}

// finish takes what only the restore needs away and gives the settings back.
func (r *restoring) finish(ctx context.Context) error {
	for _, ours := range []string{"info/attributes", newObjects, shadow} {
		if err := os.Remove(filepath.Join(r.git.dir, ours)); err != nil {
			return err
		}
	}
	for _, s := range r.record.Git.Settings {
		if !slices.Contains(inertKeys, s.Key) {
			return fmt.Errorf("%w: the setting %q is none that a snapshot has", ErrDamaged, s.Key)
		}
		if _, err := r.git.text(ctx, "config", s.Key, s.Value); err != nil {
			return err
		}
	}
	if _, err := os.Stat(r.git.index); err != nil || r.record.Git.Raw {
		return nil
	}
	// The index knows files by times and numbers that they had where they were captured.
	_, err := r.git.run(ctx, call{args: []string{"update-index", "-q", "--no-untracked-cache", "--refresh"}, may: []int{1}})
	return err
}

// firstDifference shows the first line that differs.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, b := at(w, i), at(g, i)
		if a != b {
			return fmt.Sprintf("captured %q, restored %q", a, b)
		}
	}
	return ""
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}
