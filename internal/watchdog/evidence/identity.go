package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// identity is the digest of a state: of what belongs to the worktree, so that what others do in the repository leaves it as it is. tree is the sum of
// the tree without ignored files.
func (r *Record) identity(tree string) string {
	what := struct {
		Tree       string
		Unreadable bool
		Git        *GitRecord
	}{Tree: tree, Unreadable: r.Unreadable != ""}
	if g := r.Git; g != nil {
		what.Git = &GitRecord{
			Head: g.Head, Branch: g.Branch, Format: g.Format, Stashes: g.OwnStashes(), Unmerged: g.Unmerged, Progress: g.Progress,
			Settings: g.Settings, Shallow: g.Shallow, Index: g.Index, Own: g.Own, State: g.State,
		}
	}
	data, err := json.Marshal(what)
	if err != nil {
		panic(err) // names are quoted, and all else is text
	}
	return sumOf(data)
}

// OwnStashes are the stash entries that were made on this worktree's branch, or on no branch if it is on none.
func (g *GitRecord) OwnStashes() []Stash {
	branch := "(no branch)"
	if g.Branch != "" {
		branch = strings.TrimPrefix(g.Branch, "refs/heads/")
	}
	var own []Stash
	for _, s := range g.Stashes {
		if strings.HasPrefix(s.Message, "WIP on "+branch+": ") || strings.HasPrefix(s.Message, "On "+branch+": ") {
			own = append(own, s)
		}
	}
	return own
}

// ownPrefixes are the refs that each worktree has for itself.
var ownPrefixes = []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"}

func (c *capture) worktreeRefs() map[string]string {
	var own map[string]string
	for _, r := range c.refs {
		if slices.ContainsFunc(ownPrefixes, func(p string) bool { return strings.HasPrefix(r.name, p) }) {
			if own == nil {
				own = map[string]string{}
			}
			own[r.name] = r.object
		}
	}
	return own
}

// stateSum is the sum of the state files of a worktree, those left out that belong to the whole repository.
func stateSum(names []string, file func(string) string) (string, error) {
	var b strings.Builder
	for _, name := range names {
		if slices.Contains(infoFiles[1:], name) {
			continue
		}
		sum, err := sumPath(file(name))
		if errors.Is(err, fs.ErrNotExist) {
			return "", changing(err)
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %s\n", sum, name)
	}
	if b.Len() == 0 {
		return "", nil
	}
	return sumOf([]byte(b.String())), nil
}

// checkDigest computes the digest anew from what the evidence has, nested repositories included.
func checkDigest(dir, sub string, record *Record) error {
	at := filepath.Join(dir, sub)
	tree, err := treeWithoutIgnored(at)
	if err != nil {
		return err
	}
	if record.Git != nil {
		names, err := evidenceState(at)
		if err != nil {
			return err
		}
		sum, err := stateSum(names, func(name string) string { return filepath.Join(at, StateDir, name) })
		if err != nil {
			return err
		}
		if sum != record.Git.State {
			return fmt.Errorf("%w: %s is not what the record says", ErrDamaged, filepath.Join(sub, StateDir))
		}
	}
	if got := withNested(record.identity(tree), record.Nested); got != record.Digest {
		return fmt.Errorf("%w: the digest of %s is %s, the record says %s", ErrDamaged, filepath.Join(sub, TreeFile), got, record.Digest)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, n := range record.Nested {
		if !plain(n.Dir) {
			return fmt.Errorf("%w: a nested repository in %q", ErrDamaged, n.Dir)
		}
		inner, err := readRecord(root, filepath.Join(sub, n.Dir))
		if err != nil {
			return err
		}
		if inner.Digest != n.Digest {
			return fmt.Errorf("%w: the digest of %s is %s, the record around it says %s", ErrDamaged, n.Dir, inner.Digest, n.Digest)
		}
		if err := checkDigest(dir, filepath.Join(sub, n.Dir), inner); err != nil {
			return err
		}
	}
	return nil
}

// evidenceState lists the state files that a snapshot has, sorted.
func evidenceState(dir string) ([]string, error) {
	if err := checkState(dir); err != nil {
		return nil, err
	}
	var names []string
	for _, g := range filesBelow(filepath.Join(dir, StateDir), "", nil) {
		names = append(names, g.name)
	}
	slices.Sort(names)
	return names, nil
}

// treeWithoutIgnored is the sum of tree.txt without the files of ignored.txt.
func treeWithoutIgnored(dir string) (string, error) {
	tree, err := os.ReadFile(filepath.Join(dir, TreeFile))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	list, err := os.ReadFile(filepath.Join(dir, IgnoredFile))
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	ignored := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3); len(f) == 3 {
			if name, err := strconv.Unquote(f[2]); err == nil {
				ignored[name] = true
			}
		}
	}
	var kept strings.Builder
	for line := range strings.Lines(string(tree)) {
		it, err := parseTreeLine(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return "", err
		}
		if !ignored[it.path] {
			kept.WriteString(line)
		}
	}
	return sumOf([]byte(kept.String())), nil
}
