package evidence

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	return record, verifyBundle(ctx, root, record)
}

// verifyBundle lets git check the bundle against an empty repository: it must need nothing else.
func verifyBundle(ctx context.Context, root *os.Root, record *Record) error {
	if record.Git == nil || len(record.Git.Refs) == 0 {
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
	if r.Version != 1 {
		return nil, fmt.Errorf("%w: %s is of version %d; this program reads version 1", ErrDamaged, RecordFile, r.Version)
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
	defer os.RemoveAll(work)
	tree := filepath.Join(work, "tree")
	if err := rebuild(ctx, root, ".", tree); err != nil {
		return nil, err
	}
	return record, place(tree, to)
}

// rebuild makes one worktree, and those nested in it, and compares them with what was captured.
func rebuild(ctx context.Context, evidence *os.Root, sub, to string) error {
	record, err := readRecord(evidence, sub)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	r := &restoring{record: record, dir: filepath.Join(evidence.Name(), sub), to: to}
	if record.Git != nil {
		if err := r.repository(ctx); err != nil {
			return err
		}
	}
	for _, name := range []string{UntrackedFile, IgnoredTar} {
		if err := unpack(evidence, filepath.Join(sub, name), root); err != nil {
			return err
		}
	}
	if record.Git != nil {
		if err := r.stage(ctx); err != nil {
			return err
		}
	}
	if err := r.prove(ctx, root); err != nil {
		return err
	}
	return rebuildNested(ctx, evidence, sub, root, record)
}

func rebuildNested(ctx context.Context, evidence *os.Root, sub string, root *os.Root, record *Record) error {
	for _, n := range record.Nested {
		if !plain(n.Path) || !plain(n.Dir) || hasGit(n.Path) {
			return fmt.Errorf("%w: a nested repository at %q", ErrDamaged, n.Path)
		}
		if err := plainParents(root, n.Path+"/x"); err != nil {
			return err
		}
		if err := rebuild(ctx, evidence, filepath.Join(sub, n.Dir), filepath.Join(root.Name(), n.Path)); err != nil {
			return fmt.Errorf("in %s: %w", n.Path, err)
		}
	}
	return nil
}

// unpack extracts an archive of the snapshot, if it has it.
func unpack(evidence *os.Root, name string, root *os.Root) error {
	f, err := evidence.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return readTar(f, root)
}

// restoring rebuilds one repository.
type restoring struct {
	record  *Record
	dir     string // of the snapshot
	to      string
	git     *mirror
	entries []entry // of the index, as captured
}

// repository makes the repository with its refs, and lays the tracked files out.
func (r *restoring) repository(ctx context.Context) error {
	g := r.record.Git
	m, err := newMirror(ctx, filepath.Join(r.to, ".git"), nil)
	if err != nil {
		return err
	}
	m.worktree, m.format = r.to, g.Format
	r.git = m
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
	if err := r.refs(ctx); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(r.dir, EntriesFile))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if r.entries, err = parseEntries(data); err != nil {
		return err
	}
	return r.checkOut(ctx)
}

// refs sets refs, HEAD and stash.
func (r *restoring) refs(ctx context.Context) error {
	g := r.record.Git
	names := make([]string, 0, len(g.Refs))
	for name := range g.Refs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.HasPrefix(name, "refs/") && !strings.HasPrefix(name, "refs/evidence/") && name != "refs/stash" {
			if _, err := r.git.text(ctx, "update-ref", "--no-deref", name, g.Refs[name]); err != nil {
				return err
			}
		}
	}
	head := []string{"update-ref", "--no-deref", "HEAD", g.Head}
	if g.Branch != "" {
		head = []string{"symbolic-ref", "HEAD", g.Branch}
	}
	if _, err := r.git.text(ctx, head...); err != nil {
		return err
	}
	for _, s := range slices.Backward(g.Stashes) {
		if _, err := r.git.text(ctx, "stash", "store", "--quiet", "--message", s.Message, s.Commit); err != nil {
			return err
		}
	}
	return nil
}

// checkOut lays HEAD out and applies worktree.patch. Submodules are not HEAD's to lay out, nor is what a sparse
// checkout left out.
func (r *restoring) checkOut(ctx context.Context) error {
	base := filepath.Join(r.git.dir, "index.base")
	defer os.Remove(base)
	if r.record.Git.Head != "" {
		if _, err := r.git.run(ctx, call{index: base, args: []string{"read-tree", r.record.Git.Head}}); err != nil {
			return err
		}
		paths, err := r.basePaths(ctx, base)
		if err != nil {
			return err
		}
		if _, err := r.git.run(ctx, call{index: base, stdin: paths, args: []string{"checkout-index", "--force", "-z", "--stdin"}}); err != nil {
			return err
		}
	}
	patch := filepath.Join(r.dir, WorktreeFile)
	if info, err := os.Stat(patch); err != nil || info.Size() == 0 {
		return err
	}
	_, err := r.git.text(ctx, "apply", "--binary", "--whitespace=nowarn", patch)
	return err
}

// basePaths lists what of HEAD is laid out: not what a sparse checkout left out, nor what could not be read.
func (r *restoring) basePaths(ctx context.Context, base string) ([]byte, error) {
	entries, err := r.git.readEntries(ctx, base)
	if err != nil {
		return nil, err
	}
	absent := map[string]bool{}
	for i := range r.entries {
		absent[r.entries[i].path] = r.entries[i].skipped()
	}
	if err := r.present(absent); err != nil {
		return nil, err
	}
	var paths bytes.Buffer
	skipped := skippedPaths(r.record.Skipped)
	for i := range entries {
		if e := &entries[i]; e.mode != gitlink && !absent[e.path] && !under(skipped, e.path) {
			paths.WriteString(e.path + "\x00")
		}
	}
	return paths.Bytes(), nil
}

// present takes from absent what lay in the worktree all the same.
func (r *restoring) present(absent map[string]bool) error {
	tree, err := os.ReadFile(filepath.Join(r.dir, TreeFile))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for line := range bytes.Lines(tree) {
		it, err := parseTreeLine(strings.TrimSuffix(string(line), "\n"))
		if err != nil {
			return err
		}
		delete(absent, it.path)
	}
	return nil
}

// stage rebuilds the index with its conflicts and flags, and gives the repository its settings.
func (r *restoring) stage(ctx context.Context) error {
	var info, skip, assume bytes.Buffer
	for i := range r.entries {
		e := &r.entries[i]
		fmt.Fprintf(&info, "%s %s %c\t%s\x00", e.mode, e.object, e.stage, e.path)
		if e.skipped() {
			skip.WriteString(e.path + "\x00")
		}
		if e.tag >= 'a' && e.tag <= 'z' {
			assume.WriteString(e.path + "\x00")
		}
	}
	for _, c := range []call{
		{stdin: info.Bytes(), args: []string{"update-index", "-z", "--index-info"}},
		{stdin: skip.Bytes(), args: []string{"update-index", "--skip-worktree", "-z", "--stdin"}},
		{stdin: assume.Bytes(), args: []string{"update-index", "--assume-unchanged", "-z", "--stdin"}},
	} {
		if len(c.stdin) == 0 {
			continue
		}
		if _, err := r.git.run(ctx, c); err != nil {
			return err
		}
	}
	return copyIn(filepath.Join(r.dir, StateDir), r.git.dir)
}

// prove compares the restored worktree with the captured one.
func (r *restoring) prove(ctx context.Context, root *os.Root) error {
	now, err := list(root, nil)
	if err != nil {
		return err
	}
	want, err := os.ReadFile(filepath.Join(r.dir, TreeFile))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if got := now.text(now.items); got != string(want) {
		return fmt.Errorf("%w: the restored tree differs: %s", ErrDamaged, firstDifference(string(want), got))
	}
	if r.record.Git == nil {
		return nil
	}
	entries, err := r.git.run(ctx, call{args: []string{"ls-files", "-z", "-v", "--stage"}})
	if err != nil {
		return err
	}
	if want := r.record.Git.Index; len(r.entries) > 0 && sumOf(entries) != want {
		return fmt.Errorf("%w: the restored index differs from %s", ErrDamaged, EntriesFile)
	}
	return r.finish(ctx)
}

// finish takes the raw attributes away and gives the settings back.
func (r *restoring) finish(ctx context.Context) error {
	c := capture{mirror: r.git, record: &GitRecord{}}
	if err := c.readRefs(ctx); err != nil {
		return err
	}
	if err := c.readStashes(ctx); err != nil {
		return err
	}
	if !slices.Equal(c.record.Stashes, r.record.Git.Stashes) {
		return fmt.Errorf("%w: the stash was captured as %q, restored as %q", ErrDamaged, r.record.Git.Stashes, c.record.Stashes)
	}
	for _, ours := range []string{"info/attributes", newObjects} {
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
	return nil
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
