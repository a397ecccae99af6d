package evidence

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// readEntries lists an index.
func (m *mirror) readEntries(ctx context.Context, index string) ([]entry, error) {
	out, err := m.run(ctx, call{index: index, args: []string{"ls-files", "-z", "-v", "--stage"}})
	if err != nil {
		return nil, err
	}
	return parseEntries(out)
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

// capture is what git knows of a worktree, gathered in the mirror.
type capture struct {
	*mirror
	record  *GitRecord
	entries []entry
	refs    []ref
	objects int64           // bytes of the repository's objects
	inHead  map[string]bool // objects of HEAD's files
	head    map[string]bool // their mode, object and path
	base    string          // tree of HEAD without submodules
	tree    string          // the tracked files as they lie there
	tracked string          // index file of that tree
}

// takeGit reads the repository's state and the tracked files.
func takeGit(ctx context.Context, m *mirror, src *repository, l *listing) (*capture, error) {
	c := &capture{mirror: m, record: &GitRecord{Format: m.format, Settings: m.settings}, tracked: filepath.Join(m.dir, "index.tracked")}
	weigh := func(context.Context) (err error) {
		c.objects, err = weight(filepath.Join(src.common, "objects"))
		return err
	}
	if err := together(ctx, c.readHead, c.readIndex, c.readRefs, weigh); err != nil {
		return nil, err
	}
	tracked := func(ctx context.Context) error { return c.readTracked(ctx, l) }
	if err := together(ctx, tracked, c.readStashes, c.readUnpushed); err != nil {
		return nil, err
	}
	if data, err := os.ReadFile(filepath.Join(m.dir, "shallow")); err == nil {
		c.record.Shallow = string(data)
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
	branch, err := c.run(ctx, call{args: []string{"symbolic-ref", "--quiet", "HEAD"}, loose: true})
	if err != nil {
		return err
	}
	head, err := c.run(ctx, call{args: []string{"rev-parse", "--quiet", "--verify", "HEAD^{commit}"}, loose: true})
	if err != nil {
		return err
	}
	c.record.Branch, c.record.Head = strings.TrimSpace(string(branch)), strings.TrimSpace(string(head))
	if c.record.Head == "" && c.record.Branch == "" {
		return fmt.Errorf("%w: HEAD names neither a branch nor a commit", ErrRepository)
	}
	return nil
}

func (c *capture) readIndex(ctx context.Context) error {
	if _, err := os.Stat(c.index); !errors.Is(err, fs.ErrNotExist) {
		if c.entries, err = c.readEntries(ctx, c.index); errors.Is(err, ErrRepository) {
			return fmt.Errorf("%w; if %s is damaged, move it away and try again: only what was staged is lost with it", err, c.source)
		} else if err != nil {
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

// readTracked takes the files that HEAD or the index names as they lie there. It compares contents, not times, and
// leaves submodules out. What cannot be read stays as HEAD or the index has it.
func (c *capture) readTracked(ctx context.Context, l *listing) error {
	base, err := c.readBase(ctx)
	if err != nil {
		return err
	}
	add, absent := bytes.NewBuffer([]byte{}), bytes.NewBuffer([]byte{})
	skipped := skippedPaths(l.skipped)
	for _, e := range slices.Concat(base, c.entries) {
		if e.mode == gitlink {
			continue
		}
		if !c.head[e.mode+e.object+e.path] {
			fmt.Fprintf(add, "%s %s 0\t%s\x00", e.mode, e.object, e.path)
		}
		if under(skipped, e.path) || e.skipped() && c.missing(e.path) {
			absent.WriteString(e.path + "\x00")
		}
	}
	steps := []call{
		{stdin: add.Bytes(), args: []string{"update-index", "--add", "--replace", "-z", "--index-info"}},
		{stdin: absent.Bytes(), args: []string{"update-index", "--skip-worktree", "-z", "--stdin"}},
		{args: []string{"update-index", "-q", "--refresh"}, loose: true}, // so that what is unchanged is not written again
		{args: []string{"add", "--update", "--ignore-errors", "--", "."}, loose: true, write: true},
	}
	for _, s := range steps {
		if s.stdin != nil && len(s.stdin) == 0 {
			continue
		}
		s.index = c.tracked
		if _, err := c.run(ctx, s); err != nil {
			return err
		}
	}
	tree, err := c.run(ctx, call{index: c.tracked, args: []string{"write-tree", "--missing-ok"}, write: true})
	c.tree = strings.TrimSpace(string(tree))
	return err
}

func (c *capture) missing(name string) bool {
	_, err := os.Lstat(filepath.Join(c.worktree, name))
	return errors.Is(err, fs.ErrNotExist)
}

// readBase fills the index of tracked files from HEAD, and returns its entries.
func (c *capture) readBase(ctx context.Context) ([]entry, error) {
	from := []string{"read-tree", "--empty"}
	if c.record.Head != "" {
		from = []string{"read-tree", c.record.Head}
	}
	if _, err := c.run(ctx, call{index: c.tracked, args: from}); err != nil {
		return nil, err
	}
	entries, err := c.readEntries(ctx, c.tracked)
	if err != nil {
		return nil, err
	}
	var links bytes.Buffer
	c.inHead, c.head = make(map[string]bool, len(entries)), make(map[string]bool, len(entries))
	for i := range entries {
		e := &entries[i]
		c.inHead[e.object], c.head[e.mode+e.object+e.path] = true, true
		if e.mode == gitlink {
			links.WriteString(e.path + "\x00")
		}
	}
	if links.Len() == 0 && c.record.Head != "" {
		c.base, err = c.text(ctx, "rev-parse", c.record.Head+"^{tree}")
		return entries, err
	}
	if links.Len() > 0 {
		if _, err := c.run(ctx, call{index: c.tracked, stdin: links.Bytes(), args: []string{"update-index", "--force-remove", "-z", "--stdin"}}); err != nil {
			return nil, err
		}
	}
	tree, err := c.run(ctx, call{index: c.tracked, args: []string{"write-tree", "--missing-ok"}, write: true})
	c.base = strings.TrimSpace(string(tree))
	return entries, err
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
			c.record.Stashes = append(c.record.Stashes, Stash{commit, message})
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
	_, err = fmt.Sscan(out, &c.record.Unpushed)
	return err
}

// paths lists paths that git does not track: "others", or those it ignores; a folder that is ignored as a whole ends in
// a slash.
func (c *capture) paths(ctx context.Context, more ...string) (map[string]bool, error) {
	args := append([]string{"ls-files", "-z", "--others", "--exclude-standard"}, more...)
	out, err := c.run(ctx, call{index: c.tracked, args: args, loose: true})
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if len(name) > 0 {
			set[string(name)] = true
		}
	}
	return set, nil
}

// inProgress are the files by which git knows that something is unfinished.
var inProgress = []struct{ file, name string }{
	{"MERGE_HEAD", "merge"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"}, {"BISECT_LOG", "bisect"}, {"sequencer", "sequence"},
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

// edited lists tracked files that differ from HEAD, in the tree or in the index.
func (c *capture) edited(ctx context.Context) ([]string, error) {
	var names []string
	for _, k := range []call{
		{args: []string{"diff-tree", "-r", "-z", "--name-only", "--no-renames", c.base, c.tree}},
		{args: []string{"diff-index", "--cached", "-z", "--name-only", "--no-renames", "--ignore-submodules=dirty", cmp.Or(c.record.Head, c.base)}, index: c.index},
	} {
		out, err := c.run(ctx, k)
		if err != nil {
			return nil, err
		}
		for name := range bytes.SplitSeq(out, []byte{0}) {
			if len(name) > 0 {
				names = append(names, string(name))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
