package evidence

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// entry is one entry of git's index.
type entry struct {
	tag    byte // as git ls-files -v tells it: H, S for skip-worktree, lower case for assume-unchanged
	mode   string
	object string
	stage  byte // '0', or '1' to '3' in a conflict
	path   string
}

const gitlink = "160000"

// readEntries lists an index. The folders of a sparse one are expanded here: git would write to the repository's objects.
func (m *mirror) readEntries(ctx context.Context, index string) ([]entry, error) {
	out, err := m.run(ctx, call{index: index, args: asItIs(index, "ls-files", "-z", "-v", "--stage")})
	if err != nil {
		return nil, err
	}
	listed, err := parseEntries(out)
	if err != nil {
		return nil, err
	}
	list := make([]entry, 0, len(listed))
	for _, e := range listed {
		if e.mode != "040000" {
			list = append(list, e)
			continue
		}
		files, err := m.files(ctx, e.object)
		if err != nil {
			return nil, err
		}
		for name, o := range files {
			list = append(list, entry{e.tag, o.mode, o.name, e.stage, e.path + name})
		}
	}
	if len(list) != len(listed) {
		slices.SortFunc(list, func(a, b entry) int { return cmp.Or(strings.Compare(a.path, b.path), int(a.stage)-int(b.stage)) })
	}
	return list, nil
}

// asItIs lets git list an index without expanding it.
func asItIs(index, command string, args ...string) []string {
	if !isSparse(index) {
		return append([]string{command}, args...)
	}
	return append([]string{
		"-c", "core.sparseCheckout=true", "-c", "core.sparseCheckoutCone=true", "-c", "index.sparse=true",
		"-c", "sparse.expectFilesOutsideOfPatterns=true", command, "--sparse",
	}, args...)
}

// isSparse reports whether an index has folders as entries.
func isSparse(index string) bool {
	data, err := readText(index)
	return err == nil && bytes.Contains(data, []byte("sdir"))
}

// fullIndex is an index without folders as entries: the one that git is shown for people's texts.
func (c *capture) fullIndex(ctx context.Context) (string, error) {
	if !isSparse(c.index) {
		return c.index, nil
	}
	full := filepath.Join(c.dir, "index.full")
	var all, skip bytes.Buffer
	for i := range c.entries {
		e := &c.entries[i]
		fmt.Fprintf(&all, "%s %s %c\t%s\x00", e.mode, e.object, e.stage, e.path)
		if e.skipped() {
			skip.WriteString(e.path + "\x00")
		}
	}
	if _, err := c.run(ctx, call{index: full, stdin: all.Bytes(), args: []string{"update-index", "-z", "--index-info"}}); err != nil {
		return "", err
	}
	_, err := c.run(ctx, call{index: full, stdin: skip.Bytes(), args: []string{"update-index", "--skip-worktree", "-z", "--stdin"}})
	return full, err
}

// parseEntries reads "TAG MODE OBJECT STAGE\tPATH\0".
func parseEntries(data []byte) ([]entry, error) {
	var list []entry
	for line := range bytes.SplitSeq(data, []byte{0}) {
		if len(line) == 0 {
			continue
		}
		head, name, ok := strings.Cut(string(line), "\t")
		f := strings.Split(head, " ")
		if !ok || len(f) != 4 || len(f[0]) != 1 || !strings.Contains("HSMRCKUhsmrcku?", f[0]) || len(f[3]) != 1 || !strings.Contains("0123", f[3]) {
			return nil, fmt.Errorf("%w: an entry of the index is %q", ErrDamaged, line)
		}
		list = append(list, entry{f[0][0], f[1], f[2], f[3][0], name})
	}
	return list, nil
}

func (e *entry) skipped() bool { return e.tag == 'S' || e.tag == 's' }

// object is what a tree of git's has at a path.
type object struct{ mode, name string }

// capture is what git knows of a worktree, gathered in the mirror.
type capture struct {
	*mirror
	repo    *repository
	record  *GitRecord
	entries []entry
	refs    []ref
	objects int64             // bytes of the repository's objects
	kinds   map[string]kind   // of the objects that are named anywhere
	head    map[string]object // the files of HEAD
	tree    string            // of HEAD
	named   []named           // objects that the repository's state names, beside refs and index
	lost    []string          // commits that nothing names
	mu      sync.Mutex
	missing []Skipped // what of this the snapshot cannot have
}

// miss notes what the snapshot cannot have.
func (c *capture) miss(list ...Skipped) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.missing = append(c.missing, list...)
}

func (c *capture) hasReftable() bool {
	_, err := os.Stat(filepath.Join(c.dir, "reftable"))
	return err == nil
}

// takeGit reads the repository's state; the whole of it has every object that is named anywhere, too.
func takeGit(ctx context.Context, m *mirror, src *repository, whole bool) (*capture, error) {
	c := &capture{mirror: m, repo: src, record: &GitRecord{Format: m.format, Settings: m.settings}}
	weigh := func(context.Context) (err error) {
		c.objects, err = weight(filepath.Join(src.common, "objects"))
		return err
	}
	if err := weigh(ctx); err != nil { // first: git would wait for a pipe among its objects
		return nil, err
	}
	if err := together(ctx, c.readHead, c.readIndex, c.readRefs); err != nil {
		return nil, err
	}
	if err := c.checkHead(); err != nil {
		return nil, err
	}
	if err := together(ctx, c.readTree, c.readStashes, c.readUnpushed); err != nil {
		return nil, err
	}
	if whole {
		if err := c.readNamed(ctx); err != nil {
			return nil, err
		}
	}
	if data, err := readText(filepath.Join(m.dir, "shallow")); err == nil {
		c.record.Shallow = string(data)
	}
	if c.hasReftable() {
		c.record.RefStorage = "reftable"
	}
	c.record.Progress = progressOf(src.dir)
	return c, nil
}

// together runs steps that do not need each other side by side, until one fails.
func together(ctx context.Context, steps ...func(context.Context) error) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, step := range steps {
		g.Go(func() error { return step(ctx) })
	}
	return g.Wait()
}

func (c *capture) readHead(ctx context.Context) error {
	branch, err := c.run(ctx, call{args: []string{"symbolic-ref", "--quiet", "HEAD"}, may: []int{1}})
	if err != nil {
		return err
	}
	head, err := c.run(ctx, call{args: []string{"rev-parse", "--quiet", "--verify", "HEAD^{commit}"}, may: []int{1}})
	if err != nil {
		return err
	}
	c.record.Branch, c.record.Head = strings.TrimSuffix(string(branch), "\n"), strings.TrimSpace(string(head))
	if c.record.Head == "" && c.record.Branch == "" {
		return fmt.Errorf("%w: HEAD names neither a branch nor a commit", ErrRepository)
	}
	return nil
}

// checkHead compares what git says of HEAD with its own file, and with the list of refs.
func (c *capture) checkHead() error {
	if !c.hasReftable() {
		if branch, commit := c.repo.headFile(); branch != c.record.Branch || branch == "" && commit != c.record.Head {
			return fmt.Errorf("%w: git says that HEAD is %q, its file says %q", ErrRepository, c.record.Branch+c.record.Head, branch+commit)
		}
	}
	if c.record.Branch == "" {
		return nil
	}
	i := slices.IndexFunc(c.refs, func(r ref) bool { return r.name == c.record.Branch })
	if c.record.Head == "" && i >= 0 || c.record.Head == "" && c.repo.hasRef(c.record.Branch) {
		return fmt.Errorf("%w: %s is there, and names no commit", ErrRepository, c.record.Branch)
	}
	if c.record.Head != "" && (i < 0 || c.refs[i].object != c.record.Head) {
		return fmt.Errorf("%w: git lists no %s at %s", ErrRepository, c.record.Branch, c.record.Head)
	}
	return nil
}

// headFile reads HEAD without git.
func (r *repository) headFile() (branch, commit string) {
	data, err := readText(filepath.Join(r.dir, "HEAD"))
	if err != nil {
		return "", ""
	}
	line := strings.TrimRight(string(data), "\r\n")
	if name, ok := strings.CutPrefix(line, "ref:"); ok {
		return strings.TrimSpace(name), ""
	}
	return "", line
}

// hasRef looks for a ref without git.
func (r *repository) hasRef(name string) bool {
	if info, err := os.Stat(filepath.Join(r.common, name)); err == nil && !info.IsDir() {
		return true
	}
	packed, err := readText(filepath.Join(r.common, "packed-refs"))
	return err == nil && bytes.Contains(append([]byte{'\n'}, packed...), []byte(" "+name+"\n"))
}

func (c *capture) readIndex(ctx context.Context) error {
	if _, err := os.Stat(c.index); !errors.Is(err, fs.ErrNotExist) {
		if c.entries, err = c.readEntries(ctx, c.index); err != nil {
			return err
		}
		if err := checkCount(c.index, len(c.entries)); err != nil {
			return err
		}
	}
	c.record.Index = sumOf([]byte(c.entriesText()))
	for i := range c.entries {
		if e := &c.entries[i]; e.stage != '0' && !slices.Contains(c.record.Unmerged, e.path) {
			c.record.Unmerged = append(c.record.Unmerged, e.path)
		}
	}
	return nil
}

// checkCount compares what git lists of an index with the index itself: git reads a damaged one without a word.
func checkCount(index string, listed int) error {
	data, err := readText(index)
	if err != nil {
		return err
	}
	const head, oldest = 12, sha1.Size // signature, version and number; the shortest sum at the end
	if len(data) < head+oldest {
		return fmt.Errorf("%w: the index is cut off", ErrRepository)
	}
	if n := binary.BigEndian.Uint32(data[8:head]); listed == 0 && n > 0 {
		return fmt.Errorf("%w: the index has %d entries, git lists none", ErrRepository, n)
	}
	body, sum := data[:len(data)-sha1.Size], data[len(data)-sha1.Size:]
	want := sha1.Sum(body)
	if bytes.Equal(sum, want[:]) || bytes.Equal(sum, make([]byte, sha1.Size)) { // zeros: it was written without
		return nil
	}
	body, sum = data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if long := sha256.Sum256(body); bytes.Equal(sum, long[:]) {
		return nil
	}
	return fmt.Errorf("%w: the index is damaged: it does not have the sum that it ends with", ErrRepository)
}

// emptyTrees are the names of a tree without anything in it.
var emptyTrees = []string{"4b825dc642cb6eb9a060e54bf8d69288fbee4904", "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"}

// readTree lists the files of HEAD.
func (c *capture) readTree(ctx context.Context) error {
	c.head = map[string]object{}
	if c.record.Head == "" {
		return nil
	}
	var err error
	if c.tree, err = c.text(ctx, "rev-parse", "--verify", c.record.Head+"^{tree}"); err != nil {
		return err
	}
	c.head, err = c.files(ctx, c.record.Head)
	if err == nil && len(c.head) == 0 && !slices.Contains(emptyTrees, c.tree) {
		err = fmt.Errorf("%w: git lists no files of the tree %s", ErrRepository, c.tree)
	}
	return err
}

// files lists what a commit has.
func (m *mirror) files(ctx context.Context, commit string) (map[string]object, error) {
	out, err := m.run(ctx, call{args: []string{"ls-tree", "-r", "-z", "--full-tree", commit}})
	if err != nil {
		return nil, err
	}
	list := map[string]object{}
	for line := range bytes.SplitSeq(out, []byte{0}) {
		if len(line) == 0 {
			continue
		}
		about, name, ok := strings.Cut(string(line), "\t")
		f := strings.Split(about, " ")
		if !ok || len(f) != 3 {
			return nil, fmt.Errorf("%w: a file of %s is told as %q", ErrRepository, commit, line)
		}
		list[name] = object{f[0], f[2]}
	}
	return list, nil
}

func (c *capture) readStashes(ctx context.Context) error {
	if !slices.ContainsFunc(c.refs, func(r ref) bool { return r.name == "refs/stash" }) {
		return nil
	}
	out, err := c.text(ctx, "log", "--walk-reflogs", "--no-show-signature", "-z", "--format=%H %gs", "refs/stash", "--")
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(out, "\x00") {
		if commit, message, ok := strings.Cut(line, " "); ok {
			c.record.Stashes = append(c.record.Stashes, Stash{commit, Masked(message)})
		}
	}
	return nil
}

// readUnpushed counts the commits of HEAD that no remote has.
func (c *capture) readUnpushed(ctx context.Context) error {
	if c.record.Head == "" {
		return nil
	}
	out, err := c.text(ctx, "rev-list", "--count", c.record.Head, "--not", "--remotes")
	if err != nil {
		return err
	}
	if _, err = fmt.Sscan(out, &c.record.Unpushed); err != nil {
		err = fmt.Errorf("%w: git counts %q commits", ErrRepository, out)
	}
	return err
}

// ignores tells which of the paths the .gitignore files and info/exclude leave out. Git sees those files alone.
func (m *mirror) ignores(ctx context.Context, root *os.Root, items []item, paths []string) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	to, err := os.OpenRoot(m.worktree)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	for i := range items {
		it := &items[i]
		if path.Base(it.path) != ".gitignore" || !it.mode.IsRegular() || it.size > longestText {
			continue
		}
		if err := copyRules(root, to, it.path); err != nil {
			return nil, err
		}
	}
	out, err := m.run(ctx, call{
		stdin: []byte("./" + strings.Join(paths, "\x00./") + "\x00"), may: []int{1}, // no name then begins as a pattern does
		args: []string{"check-ignore", "-z", "--stdin", "--no-index"}, env: []string{"GIT_LITERAL_PATHSPECS=0"},
	})
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if len(name) > 0 {
			set[strings.TrimPrefix(string(name), "./")] = true
		}
	}
	return set, nil
}

func copyRules(from, to *os.Root, name string) error {
	f, err := openPlain(from, name)
	if err != nil {
		return changing(err)
	}
	defer f.Close()
	if err := to.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	_ = to.Remove(name)
	return layOut(to, name, f, 0o600, false)
}

// inProgress are the files by which git knows that something is unfinished.
var inProgress = []struct{ file, name string }{
	{"MERGE_HEAD", "merge"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"}, {"sequencer", "sequence"}, {"NOTES_MERGE_PARTIAL", "notes merge"},
}

func progressOf(dir string) []string {
	var names []string
	for _, p := range inProgress {
		if _, err := os.Lstat(filepath.Join(dir, p.file)); err == nil && !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}

// staged lists the paths in which the index differs from HEAD.
func (c *capture) staged() map[string]bool {
	differ, indexed := map[string]bool{}, make(map[string]bool, len(c.entries))
	for i := range c.entries {
		e := &c.entries[i]
		indexed[e.path] = true
		if e.stage != '0' || c.head[e.path] != (object{e.mode, e.object}) {
			differ[e.path] = true
		}
	}
	for name := range c.head {
		if !indexed[name] {
			differ[name] = true
		}
	}
	return differ
}

// edited lists tracked files that differ from HEAD, in the tree or in the index.
func (st *state) edited() []string {
	differ := st.git.staged()
	for _, it := range st.parts.edited {
		differ[it.path] = true
	}
	here := make(map[string]bool, len(st.listing.items))
	for i := range st.listing.items {
		here[st.listing.items[i].path] = true
	}
	for _, name := range st.gone(here) {
		differ[name] = true
	}
	names := make([]string, 0, len(differ))
	for name := range differ {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// gone lists files of HEAD and the index that are not in the worktree, and were not left out of it by a sparse checkout.
func (st *state) gone(here map[string]bool) []string {
	left := map[string]bool{}
	for i := range st.git.entries {
		if e := &st.git.entries[i]; e.skipped() {
			left[e.path] = true
		}
	}
	skipped := skippedPaths(st.listing.skipped)
	var names []string
	for name, o := range st.git.head {
		if o.mode != gitlink && !here[name] && !left[name] && !under(skipped, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// changing turns the error about what was there a moment ago into an errChanging.
func changing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", errChanging, err)
	}
	return err
}
