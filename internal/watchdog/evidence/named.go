package evidence

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// named is an object that a repository's state names, and where.
type named struct{ object, by string }

// kind is what an object is.
type kind struct {
	kind string // "commit", "tree", "blob", "tag"; empty: it is not there
	size int64
}

// wholeName finds the full name of an object, shortName one that may be cut short.
var (
	wholeName = regexp.MustCompile(`\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b`)
	shortName = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`)
)

// readNamed lists every object that git's state names: unfinished operations with what they put aside, reflogs, grafts, the
// index's resolved conflicts, refs; and commits that nothing names any more, such as a stash entry that was dropped.
func (c *capture) readNamed(ctx context.Context) error {
	found := map[string]string{} // where it was named first
	note := func(name, by string) {
		if strings.Trim(name, "0") != "" && found[name] == "" {
			found[name] = by
		}
	}
	names, odd := c.repo.stateNames()
	c.miss(odd...)
	for _, name := range append(names, "FETCH_HEAD") {
		if err := c.noteState(name, note); err != nil {
			return err
		}
	}
	if err := c.noteLogs(ctx, note); err != nil {
		return err
	}
	undo, err := c.run(ctx, call{index: c.index, args: asItIs(c.index, "ls-files", "-z", "--resolve-undo")})
	if err != nil {
		return err
	}
	for _, name := range wholeName.FindAllString(string(undo), -1) {
		note(name, "index")
	}
	if err := c.look(ctx, found); err != nil {
		return err
	}
	return c.readLost(ctx)
}

// noteState notes the objects that a state file names. Those of messages and patches may be none.
func (c *capture) noteState(name string, note func(name, by string)) error {
	file := c.repo.stateFile(name)
	data, err := readText(file)
	if errors.Is(err, fs.ErrNotExist) || name == "FETCH_HEAD" && err != nil || name == "MERGE_RR" {
		return nil
	}
	if err != nil {
		return err
	}
	if len(data) > small {
		data = data[:small]
	}
	for _, at := range shortName.FindAllIndex(data, 20000) {
		note(string(data[at[0]:at[1]]), name)
	}
	return nil
}

// noteLogs notes what reflogs name.
func (c *capture) noteLogs(ctx context.Context, note func(name, by string)) error {
	for _, log := range c.repo.logFiles() {
		data, err := readText(log.file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for line := range bytes.Lines(data) {
			f := bytes.SplitN(line, []byte{' '}, 3)
			for _, name := range f[:min(2, len(f))] {
				if wholeName.Match(name) {
					note(string(name), log.name)
				}
			}
		}
	}
	if c.hasReftable() {
		out, err := c.text(ctx, "rev-list", "--no-walk", "--reflog")
		if err != nil {
			return err
		}
		for name := range strings.FieldsSeq(out) {
			note(name, "reflogs")
		}
	}
	return nil
}

// look asks git what the named objects, those of the index and those of refs are. What is not there is listed.
func (c *capture) look(ctx context.Context, found map[string]string) error {
	for i := range c.entries {
		if e := &c.entries[i]; e.mode != gitlink && c.head[e.path].name != e.object {
			found[e.object] = cmp.Or(found[e.object], "index: "+e.path)
		}
	}
	for _, r := range c.refs {
		if r.object != "" {
			found[r.object] = cmp.Or(found[r.object], r.name)
		}
	}
	asked := make([]string, 0, len(found))
	for name := range found {
		asked = append(asked, name)
	}
	slices.Sort(asked)
	kinds, err := c.kindsOf(ctx, asked)
	if err != nil {
		return err
	}
	c.kinds = map[string]kind{}
	for i, name := range asked {
		k := kinds[i]
		switch {
		case k.kind != "":
			c.kinds[k.name] = kind{k.kind, k.size}
			c.named = append(c.named, named{k.name, found[name]})
		case len(name) == nameLength(c.format) && !strings.Contains(found[name], "MSG"):
			c.miss(Skipped{name, "the repository does not have this object, which is named by " + found[name]})
		}
	}
	return nil
}

// told is what git says of an object.
type told struct {
	name, kind string
	size       int64
}

// kindsOf asks git for objects, in order.
func (m *mirror) kindsOf(ctx context.Context, names []string) ([]told, error) {
	if len(names) == 0 {
		return nil, nil
	}
	out, err := m.run(ctx, call{stdin: []byte(strings.Join(names, "\n") + "\n"), args: []string{"cat-file", "--batch-check"}})
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	list := make([]told, 0, len(names))
	for _, line := range lines {
		var t told
		if n, _ := fmt.Sscan(line, &t.name, &t.kind, &t.size); n != 3 || !slices.Contains([]string{"commit", "tree", "blob", "tag"}, t.kind) {
			if strings.HasPrefix(line, " ") || !strings.Contains(line, " ") {
				continue // candidates for an ambiguous name follow on stderr
			}
			t = told{}
		}
		list = append(list, t)
	}
	if len(list) != len(names) {
		return nil, fmt.Errorf("%w: git was asked for %d objects and told of %d", ErrRepository, len(names), len(list))
	}
	return list, nil
}

// readLost lists commits and tags that are there and that nothing names.
func (c *capture) readLost(ctx context.Context) error {
	all, err := c.text(ctx, "cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objecttype) %(objectname)")
	if err != nil {
		return err
	}
	known, err := c.reachable(ctx)
	if err != nil {
		c.miss(Skipped{"commits that nothing names", "they could not be looked for: " + err.Error()})
		return ctx.Err()
	}
	for line := range strings.Lines(all) {
		what, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if what == "commit" && !known[name] {
			c.lost = append(c.lost, name)
			c.kinds[name] = kind{kind: "commit"}
		}
	}
	slices.Sort(c.lost)
	return nil
}

// reachable is the set of commits that refs, HEAD and the state name, with their histories.
func (c *capture) reachable(ctx context.Context) (map[string]bool, error) {
	var tips bytes.Buffer
	for _, n := range c.named {
		if k := c.kinds[n.object].kind; k == "commit" || k == "tag" {
			fmt.Fprintln(&tips, n.object)
		}
	}
	if c.record.Head != "" {
		fmt.Fprintln(&tips, c.record.Head)
	}
	known := map[string]bool{}
	if tips.Len() == 0 {
		return known, nil
	}
	out, err := c.run(ctx, call{stdin: tips.Bytes(), args: []string{"rev-list", "--ignore-missing", "--stdin"}})
	for name := range strings.FieldsSeq(string(out)) {
		known[name] = true
	}
	return known, err
}

// nameLength is how long the full name of an object is.
func nameLength(format string) int {
	if format == "sha256" {
		return 64
	}
	return 40
}

// objectsText is objects.txt: what the bundle has beside refs, with its kind and what names it.
func (c *capture) objectsText() string {
	var b strings.Builder
	for _, n := range c.named {
		fmt.Fprintf(&b, "%s %s %s\n", n.object, c.kinds[n.object].kind, quoteName(n.by))
	}
	for _, name := range c.lost {
		fmt.Fprintf(&b, "%s commit nothing\n", name)
	}
	return b.String()
}
