package evidence

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pointer is a file of Git LFS that stands for contents elsewhere.
var lfsPointer = regexp.MustCompile(`^version https://git-lfs\.github\.com/spec/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\n`)

// longestPointer is the largest file that Git LFS takes for a pointer, in bytes.
const longestPointer = 1024

// lfsFiles lists the contents under Git LFS that commits without a remote name, or the index, where the repository has them.
func (c *capture) lfsFiles(ctx context.Context) ([]gitFile, error) {
	store := filepath.Join(c.repo.common, "lfs", "objects")
	if _, err := os.Stat(store); err != nil {
		return nil, nil
	}
	blobs, err := c.unpushedBlobs(ctx)
	if err != nil {
		return nil, err
	}
	kinds, err := c.kindsOf(ctx, blobs)
	if err != nil {
		return nil, err
	}
	var files []gitFile
	for _, k := range kinds {
		if k.kind != "blob" || k.size > longestPointer {
			continue
		}
		text, err := c.run(ctx, call{args: []string{"cat-file", "blob", k.name}})
		if err != nil {
			return nil, err
		}
		found := lfsPointer.FindSubmatch(text)
		if found == nil {
			continue
		}
		oid := string(found[1])
		name := filepath.Join("lfs", "objects", oid[:2], oid[2:4], oid)
		file := filepath.Join(c.repo.common, name)
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			c.miss(Skipped{name, "the repository does not have the contents of this Git LFS pointer"})
			continue
		}
		files = append(files, gitFile{name, file})
	}
	return firstOfEach(files), nil
}

// unpushedBlobs lists files that no remote has, those of the index included.
func (c *capture) unpushedBlobs(ctx context.Context) ([]string, error) {
	var tips bytes.Buffer
	for object, k := range c.kinds {
		if k.kind == "commit" {
			fmt.Fprintln(&tips, object)
		}
	}
	var names []string
	if tips.Len() > 0 {
		out, err := c.run(ctx, call{stdin: tips.Bytes(), args: []string{"rev-list", "--objects", "--ignore-missing", "--stdin", "--not", "--remotes"}})
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			names = append(names, name)
		}
	}
	for i := range c.entries {
		names = append(names, c.entries[i].object)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
