package evidence

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
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
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		fmt.Fprintln(&lines, name)
	}
	if _, err := c.run(ctx, call{stdin: lines.Bytes(), args: []string{"bundle", "create", "--quiet", file, "--stdin"}}); err != nil {
		return err
	}
	if err := os.Chmod(file, 0o600); err != nil {
		return err
	}
	if _, err := c.text(ctx, "bundle", "verify", "--quiet", file); err != nil {
		return err
	}
	c.record.Refs = refs
	return nil
}

// bundleRefs tells what goes into the bundle, and names in the mirror what no ref of the repository names.
func (c *capture) bundleRefs(ctx context.Context, all bool) (map[string]string, error) {
	refs, err := c.ownRefs(ctx, all)
	if err != nil {
		return nil, err
	}
	var updates bytes.Buffer
	keep := func(name, commit string) {
		refs[name] = commit
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
	if updates.Len() > 0 {
		if _, err := c.run(ctx, call{stdin: updates.Bytes(), args: []string{"update-ref", "--stdin"}}); err != nil {
			return nil, err
		}
	}
	return refs, nil
}

// ref is one ref of the repository.
type ref struct {
	name   string
	object string
	commit string // that it names, by way of a tag too; empty: none
}

// readRefs lists the refs.
func (c *capture) readRefs(ctx context.Context) error {
	const format = "%(refname)%09%(objectname)%09%(objecttype)%09%(*objectname)%09%(*objecttype)"
	out, err := c.text(ctx, "for-each-ref", "--format="+format)
	if err != nil {
		return err
	}
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 {
			return fmt.Errorf("%w: a ref is told as %q", ErrRepository, line)
		}
		r := ref{name: f[0], object: f[1]}
		switch "commit" {
		case f[2]:
			r.commit = f[1]
		case f[4]:
			r.commit = f[3]
		}
		c.refs = append(c.refs, r)
	}
	return nil
}

const remoteRefs = "refs/remotes/"

// ownRefs tells the repository's refs that go into the bundle.
func (c *capture) ownRefs(ctx context.Context, all bool) (map[string]string, error) {
	unpushed, err := c.unpushed(ctx)
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for _, r := range c.refs {
		local := !strings.HasPrefix(r.name, remoteRefs)
		if all || r.name == c.record.Branch || r.name == "refs/stash" || local && unpushed[r.commit] {
			refs[r.name] = r.object
		}
	}
	return refs, nil
}

// unpushed is the set of commits that local refs have and no remote has.
func (c *capture) unpushed(ctx context.Context) (map[string]bool, error) {
	var tips bytes.Buffer
	for _, r := range c.refs {
		if r.commit != "" && !strings.HasPrefix(r.name, remoteRefs) {
			fmt.Fprintln(&tips, r.commit)
		}
	}
	if tips.Len() == 0 {
		return nil, nil
	}
	out, err := c.run(ctx, call{stdin: tips.Bytes(), args: []string{"rev-list", "--stdin", "--not", "--remotes"}})
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		set[strings.TrimSpace(line)] = true
	}
	return set, nil
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
	base := cmp.Or(c.record.Head, c.base)
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
