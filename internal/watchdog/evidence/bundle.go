package evidence

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The refs that a bundle has beside the repository's own.
const (
	headRef     = "refs/evidence/head"
	objectRefs  = "refs/evidence/object/"  // a commit or tag that no ref reaches, under its own name
	contentsRef = "refs/evidence/contents" // a tree of blobs and trees that no commit has
)

// bundle writes repo.bundle: the repository's own refs, or all, and every object that its state names. A repository
// without any has none. What keeps the bundle from being made is left out, and listed.
func (c *capture) bundle(ctx context.Context, file string, all bool) error {
	refs := c.ownRefs(all)
	commits, files := c.objectsBeside(refs)
	commits, err := c.unreached(ctx, refs, commits)
	if err != nil {
		return err
	}
	if err := c.tryBundle(ctx, file, refs, commits, files); err == nil || ctx.Err() != nil {
		return err
	}
	_ = os.Remove(file)
	return c.tryBundle(ctx, file, refs, c.sound(ctx, refs, commits), files)
}

func (c *capture) tryBundle(ctx context.Context, file string, own map[string]string, commits, files []string) error {
	refs := maps.Clone(own)
	if c.record.Head != "" {
		refs[headRef] = c.record.Head
	}
	for _, commit := range commits {
		refs[objectRefs+commit] = commit
	}
	tree, err := c.objectsTree(ctx, files)
	if err != nil {
		return err
	}
	if tree != "" {
		refs[contentsRef] = tree
	}
	if len(refs) == 0 {
		return nil
	}
	var updates, lines bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		fmt.Fprintln(&lines, name)
		if strings.HasPrefix(name, "refs/evidence/") {
			fmt.Fprintf(&updates, "update %s %s\n", name, refs[name])
		}
	}
	if updates.Len() > 0 {
		if _, err := c.run(ctx, call{stdin: updates.Bytes(), args: []string{"update-ref", "--stdin"}}); err != nil {
			return err
		}
	}
	if _, err := c.run(ctx, call{stdin: lines.Bytes(), args: []string{"bundle", "create", "--quiet", file, "--stdin"}}); err != nil {
		return err
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return fmt.Errorf("%w: git made no bundle: %w", ErrRepository, err)
	}
	c.record.Refs = refs
	return nil
}

// unreached tells which commits and tags refs and HEAD do not reach: a bundle has the others anyway.
func (c *capture) unreached(ctx context.Context, refs map[string]string, commits []string) ([]string, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	var tips bytes.Buffer
	if c.record.Head != "" {
		fmt.Fprintln(&tips, c.record.Head)
	}
	for _, object := range refs {
		if k := c.kinds[object].kind; k == "commit" || k == "tag" {
			fmt.Fprintln(&tips, object)
		}
	}
	reached := map[string]bool{}
	if tips.Len() > 0 {
		out, err := c.run(ctx, call{stdin: tips.Bytes(), args: []string{"rev-list", "--stdin"}})
		if err != nil {
			return nil, err
		}
		for name := range strings.FieldsSeq(string(out)) {
			reached[name] = true
		}
	}
	return slices.DeleteFunc(commits, func(name string) bool { return reached[name] }), nil
}

// sound tells which commits git can bundle, each tried alone, and lists the others.
func (c *capture) sound(ctx context.Context, refs map[string]string, commits []string) []string {
	const most = 500
	var good []string
	known := []string{"rev-list", "--objects", "--quiet", "", "--not"}
	if c.record.Head != "" {
		known = append(known, c.record.Head)
	}
	for _, object := range refs {
		if c.kinds[object].kind == "commit" {
			known = append(known, object)
		}
	}
	for i, commit := range commits {
		known[3] = commit
		if i < most {
			if _, err := c.run(ctx, call{args: known}); err == nil {
				good = append(good, commit)
				continue
			}
		}
		c.miss(Skipped{commit, "a commit whose history is not complete"})
	}
	return good
}

// ref is one ref of the repository.
type ref struct {
	name   string
	object string
	symref string // that it stands for
}

// readRefs lists the refs. One that git cannot read is listed as missing.
func (c *capture) readRefs(ctx context.Context) error {
	out, err := c.text(ctx, "for-each-ref", "--format=%(refname)%09%(objectname)%09%(symref)")
	if err != nil {
		return err
	}
	listed := map[string]bool{}
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			return fmt.Errorf("%w: a ref is told as %q", ErrRepository, line)
		}
		c.refs, listed[f[0]] = append(c.refs, ref{f[0], f[1], f[2]}), true
	}
	for _, g := range filesBelow(filepath.Join(c.dir, "refs"), "refs", nil) {
		if !listed[g.name] {
			data, _ := readText(g.file)
			if target, ok := strings.CutPrefix(string(data), "ref: "); ok { // of a branch that is not born
				c.refs = append(c.refs, ref{name: g.name, symref: strings.TrimSpace(target)})
				continue
			}
			c.miss(Skipped{g.name, fmt.Sprintf("git cannot read this ref; it has %.80q", data)})
		}
	}
	return nil
}

const remoteRefs = "refs/remotes/"

// ownRefs tells the repository's refs that go into the bundle: all but the remote-tracking ones, which a remote has.
func (c *capture) ownRefs(all bool) map[string]string {
	refs := map[string]string{}
	for _, r := range c.refs {
		if strings.HasPrefix(r.name, remoteRefs) && !all && c.record.RefStorage == "" {
			continue
		}
		switch {
		case r.symref != "":
			if c.record.Symbolic == nil {
				c.record.Symbolic = map[string]string{}
			}
			c.record.Symbolic[r.name] = r.symref
		case c.kinds[r.object].kind != "":
			refs[r.name] = r.object
		}
	}
	return refs
}

// objectsBeside sorts what the state names, the index has and nothing names: commits and tags, and the rest.
func (c *capture) objectsBeside(refs map[string]string) (commits, files []string) {
	at := map[string]bool{c.record.Head: true}
	for _, object := range refs {
		at[object] = true
	}
	sets := map[bool]map[string]bool{true: {}, false: {}}
	add := func(object string) {
		if k := c.kinds[object].kind; !at[object] && k != "" {
			sets[k == "commit" || k == "tag"][object] = true
		}
	}
	for _, n := range c.named {
		add(n.object)
	}
	for _, object := range c.lost {
		add(object)
	}
	inHead := make(map[string]bool, len(c.head))
	for _, o := range c.head {
		inHead[o.name] = true
	}
	for i := range c.entries {
		if e := &c.entries[i]; e.mode != gitlink && !inHead[e.object] {
			add(e.object)
		}
	}
	return slices.Sorted(maps.Keys(sets[true])), slices.Sorted(maps.Keys(sets[false]))
}

// objectsTree makes a tree of objects that no commit has, so that a bundle carries them. It returns "" for none.
func (c *capture) objectsTree(ctx context.Context, files []string) (string, error) {
	if len(files) == 0 {
		return "", nil
	}
	var lines strings.Builder
	for _, object := range files {
		mode := "100644"
		if c.kinds[object].kind == "tree" {
			mode = "040000"
		}
		fmt.Fprintf(&lines, "%s %s %s\t%s\n", mode, c.kinds[object].kind, object, object)
	}
	tree, err := c.run(ctx, call{stdin: []byte(lines.String()), args: []string{"mktree", "--missing"}, write: true})
	return strings.TrimSpace(string(tree)), err
}

// patches writes worktree.patch and index.patch, for people. Files larger than 8 MiB are left out.
func (c *capture) patches(ctx context.Context, dir string, st *state) error {
	tree, err := c.worktreeTree(ctx, st)
	if err != nil {
		return err
	}
	common := []string{"--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"}
	base := cmp.Or(c.tree, emptyTrees[0])
	if c.format == "sha256" {
		base = cmp.Or(c.tree, emptyTrees[1])
	}
	args := slices.Concat([]string{"diff-tree", "-r", "-p"}, common, []string{base, tree})
	if err := c.write(ctx, call{args: args}, filepath.Join(dir, WorktreeFile)); err != nil {
		return err
	}
	for i := range c.entries {
		if k := c.kinds[c.entries[i].object]; k.size > small {
			common[0] = "--no-indent-heuristic" // in the place of --binary: what is large is named only
		}
	}
	args = slices.Concat([]string{"diff-index", "--cached", "-p", "--ignore-submodules=dirty"}, common, []string{base})
	index, err := c.fullIndex(ctx)
	if err != nil {
		return err
	}
	return c.write(ctx, call{args: args, index: index}, filepath.Join(dir, IndexFile))
}

// worktreeTree makes a tree of the tracked files as they lie there. Those that are large stay as HEAD has them.
func (c *capture) worktreeTree(ctx context.Context, st *state) (string, error) {
	index := filepath.Join(c.dir, "index.tracked")
	from := []string{"read-tree", "--empty"}
	if c.record.Head != "" {
		from = []string{"read-tree", c.record.Head}
	}
	if _, err := c.run(ctx, call{index: index, args: from}); err != nil {
		return "", err
	}
	var remove, add bytes.Buffer
	here := map[string]bool{}
	for i := range st.listing.items {
		here[st.listing.items[i].path] = true
	}
	for _, name := range st.gone(here) {
		fmt.Fprintf(&remove, "0 %s\t%s\x00", strings.Repeat("0", nameLength(c.format)), name)
	}
	for _, it := range st.parts.edited {
		if it.size <= small && it.mode&fs.ModeIrregular == 0 {
			fmt.Fprintf(&add, "%s %s 0\t%s\x00", it.kind(), it.blob, it.path)
		}
	}
	for _, stdin := range [][]byte{remove.Bytes(), add.Bytes()} {
		if len(stdin) == 0 {
			continue
		}
		if _, err := c.run(ctx, call{index: index, stdin: stdin, args: []string{"update-index", "--add", "--replace", "-z", "--index-info"}}); err != nil {
			return "", err
		}
	}
	tree, err := c.run(ctx, call{index: index, args: []string{"write-tree", "--missing-ok"}, write: true})
	return strings.TrimSpace(string(tree)), err
}

// keep writes contents as an object of the mirror, for the patch.
func (c *capture) keep(it *item, data []byte) error {
	dir := filepath.Join(c.dir, newObjects, it.blob[:2])
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err != nil {
		return err
	}
	fmt.Fprintf(z, "blob %d\x00", len(data))
	if _, err := z.Write(data); err != nil {
		return err
	}
	return errors.Join(z.Close(), os.WriteFile(filepath.Join(dir, it.blob[2:]), b.Bytes(), 0o600))
}

// write runs git into a file.
func (c *capture) write(ctx context.Context, k call, file string) error {
	f, err := create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	k.out = f
	if _, err := c.run(ctx, k); err != nil {
		return err
	}
	return f.Close()
}

// create makes a file of the evidence, for the owner only (WDC-SAFE-004).
func create(file string) (*os.File, error) {
	return os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

// entriesText is index-entries.txt.
func (c *capture) entriesText() string {
	var b strings.Builder
	for i := range c.entries {
		e := &c.entries[i]
		fmt.Fprintf(&b, "%c %s %s %c\t%s\x00", e.tag, e.mode, e.object, e.stage, e.path)
	}
	return b.String()
}

// stashes writes a patch for each stash entry, for people.
func (c *capture) stashes(ctx context.Context, dir string) error {
	if len(c.record.Stashes) == 0 {
		return nil
	}
	if err := os.Mkdir(filepath.Join(dir, StashDir), 0o700); err != nil {
		return err
	}
	for i, s := range c.record.Stashes {
		name := fmt.Sprintf("%d.patch", i)
		k := call{args: []string{"diff-tree", "-r", "-p", "--binary", "--full-index", "--no-ext-diff", "--no-textconv", s.Commit + "^1", s.Commit}}
		if err := c.write(ctx, k, filepath.Join(dir, StashDir, name)); ctx.Err() != nil {
			return err
		} else if err != nil {
			c.miss(Skipped{StashDir + "/" + name, err.Error()})
		}
	}
	return nil
}
