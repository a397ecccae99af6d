package evidence

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The refs that a bundle has beside the repository's own.
const (
	headRef     = "refs/evidence/head"
	contentsRef = "refs/evidence/contents" // a commit of all contents that only the index names
	stashRefs   = "refs/evidence/stash/"   // with the number of the entry behind it
)

// bundle writes repo.bundle: the branch, what no remote has, the stash and staged contents, or all refs. A repository
// without any commit and without staged contents has none.
func (c *capture) bundle(ctx context.Context, file string, all bool) error {
	refs, err := c.bundleRefs(ctx, all)
	if err != nil || len(refs) == 0 {
		return err
	}
	var lines bytes.Buffer
	for _, name := range refs {
		fmt.Fprintln(&lines, name)
	}
	if _, err := c.run(ctx, call{stdin: lines.Bytes(), args: []string{"bundle", "create", "--quiet", file, "--stdin"}}); err != nil {
		return err
	}
	if _, err := c.text(ctx, "bundle", "verify", "--quiet", file); err != nil {
		return err
	}
	c.record.Refs, err = c.values(ctx, refs)
	return err
}

// values tells which object each ref names.
func (c *capture) values(ctx context.Context, refs []string) (map[string]string, error) {
	out, err := c.text(ctx, "for-each-ref", "--format=%(objectname) %(refname)")
	if err != nil {
		return nil, err
	}
	values := make(map[string]string, len(refs))
	for line := range strings.Lines(out) {
		if object, name, _ := strings.Cut(strings.TrimSpace(line), " "); slices.Contains(refs, name) {
			values[name] = object
		}
	}
	return values, nil
}

// bundleRefs lists what goes into the bundle, and names in the mirror what no ref of the repository names.
func (c *capture) bundleRefs(ctx context.Context, all bool) ([]string, error) {
	var refs []string
	var updates bytes.Buffer
	keep := func(name, commit string) {
		refs = append(refs, name)
		fmt.Fprintf(&updates, "update %s %s\n", name, commit)
	}
	if c.record.Head != "" {
		keep(headRef, c.record.Head)
	}
	for i, s := range c.record.Stashes {
		keep(fmt.Sprintf("%s%d", stashRefs, i), s.Commit)
	}
	contents, err := c.contents(ctx)
	if err != nil {
		return nil, err
	}
	if contents != "" {
		keep(contentsRef, contents)
	}
	if len(refs) > 0 {
		if _, err := c.run(ctx, call{stdin: updates.Bytes(), args: []string{"update-ref", "--stdin"}}); err != nil {
			return nil, err
		}
	}
	own, err := c.ownRefs(ctx, all)
	return append(refs, own...), err
}

// ownRefs lists the repository's refs that go into the bundle.
func (c *capture) ownRefs(ctx context.Context, all bool) ([]string, error) {
	out, err := c.text(ctx, "for-each-ref", "--format=%(objecttype) %(refname)")
	if err != nil || out == "" {
		return nil, err
	}
	var refs []string
	for line := range strings.SplitSeq(out, "\n") {
		kind, name, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(name, "refs/evidence/"):
		case all, name == c.record.Branch, name == "refs/stash":
			refs = append(refs, name)
		case kind == "commit" && !strings.HasPrefix(name, "refs/remotes/"):
			n, err := c.text(ctx, "rev-list", "--max-count=1", name, "--not", "--remotes")
			if err != nil {
				return nil, err
			}
			if n != "" {
				refs = append(refs, name)
			}
		}
	}
	return refs, nil
}

// contents makes a commit of the contents that the index names and HEAD does not, so that a bundle carries them,
// conflicts included.
func (c *capture) contents(ctx context.Context) (string, error) {
	var objects []string
	for i := range c.entries {
		if e := &c.entries[i]; e.mode != gitlink && !c.inHead[e.object] {
			objects = append(objects, e.object)
		}
	}
	slices.Sort(objects)
	var lines strings.Builder
	for _, object := range slices.Compact(objects) {
		fmt.Fprintf(&lines, "100644 blob %s\t%s\n", object, object)
	}
	if lines.Len() == 0 {
		return "", nil
	}
	tree, err := c.run(ctx, call{stdin: []byte(lines.String()), args: []string{"mktree", "--missing"}, write: true})
	if err != nil {
		return "", err
	}
	commit, err := c.run(ctx, call{args: []string{"commit-tree", strings.TrimSpace(string(tree)), "-m", "contents of the index"}, write: true})
	return strings.TrimSpace(string(commit)), err
}

// patches writes worktree.patch and index.patch.
func (c *capture) patches(ctx context.Context, dir string) error {
	common := []string{"--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"}
	args := slices.Concat([]string{"diff-tree", "-r", "-p"}, common, []string{c.base, c.tree})
	if err := c.write(ctx, call{args: args}, filepath.Join(dir, WorktreeFile)); err != nil {
		return err
	}
	base := orElse(c.record.Head, c.base)
	args = slices.Concat([]string{"diff-index", "--cached", "-p", "--ignore-submodules=dirty"}, common, []string{base})
	return c.write(ctx, call{args: args, index: c.index}, filepath.Join(dir, IndexFile))
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

// stashes writes a patch for each stash entry.
func (c *capture) stashes(ctx context.Context, dir string) error {
	if len(c.record.Stashes) == 0 {
		return nil
	}
	if err := os.Mkdir(filepath.Join(dir, StashDir), 0o700); err != nil {
		return err
	}
	for i, s := range c.record.Stashes {
		k := call{args: []string{"diff-tree", "-r", "-p", "--binary", "--full-index", "--no-ext-diff", "--no-textconv", s.Commit + "^1", s.Commit}}
		if err := c.write(ctx, k, filepath.Join(dir, StashDir, fmt.Sprintf("%d.patch", i))); err != nil {
			return err
		}
	}
	return nil
}
