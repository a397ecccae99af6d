package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// item is one thing in a worktree. A folder is one only while it is empty: git does not know it then.
type item struct {
	path string // slashes, relative to the worktree
	mode fs.FileMode
	size int64
	sum  string // SHA-256 of the contents, or of a link's target; empty for a folder
	stat stat
}

// stat changes whenever a file does.
type stat struct {
	dev, ino     uint64
	mtime, ctime syscall.Timespec
}

// kind is the mode as git and tree.txt write it.
func (i *item) kind() string {
	switch {
	case i.mode.IsDir():
		return "040000"
	case i.mode&fs.ModeSymlink != 0:
		return "120000"
	case i.mode&0o111 != 0:
		return "100755"
	}
	return "100644"
}

// line is the item in tree.txt.
func (i *item) line() string {
	return fmt.Sprintf("%s %s %s\n", i.kind(), orElse(i.sum, "-"), strconv.QuoteToASCII(i.path))
}

// listing is everything in a worktree but git's data and nested repositories.
type listing struct {
	items   []item // in path order
	nested  []string
	skipped []Skipped
}

// list walks a worktree without following links. What known already holds, unchanged, is not read again.
func list(root *os.Root, known *listing) (*listing, error) {
	before := map[string]*item{}
	if known != nil {
		for i := range known.items {
			before[known.items[i].path] = &known.items[i]
		}
	}
	l := &listing{}
	if err := l.walk(root, ".", before); err != nil {
		return nil, err
	}
	slices.SortFunc(l.items, func(a, b item) int { return strings.Compare(a.path, b.path) })
	return l, nil
}

func (l *listing) walk(root *os.Root, dir string, before map[string]*item) error {
	entries, err := readDir(root, dir)
	if err != nil {
		return l.skip(dir, err)
	}
	if dir != "." && slices.ContainsFunc(entries, isGit) {
		l.nested = append(l.nested, dir)
		return nil
	}
	empty := true
	for _, e := range entries {
		if isGit(e) {
			continue
		}
		empty = false
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			if err := l.walk(root, name, before); err != nil {
				return err
			}
			continue
		}
		if err := l.add(root, name, before[name]); err != nil {
			return err
		}
	}
	if empty && dir != "." {
		l.items = append(l.items, item{path: dir, mode: fs.ModeDir | 0o755})
	}
	return nil
}

func isGit(e fs.DirEntry) bool { return e.Name() == ".git" }

func readDir(root *os.Root, dir string) ([]fs.DirEntry, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// skip notes what cannot be read; what is gone by now is no news.
func (l *listing) skip(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist) && name != ".":
		return nil
	case errors.Is(err, fs.ErrPermission) && name != ".":
		l.skipped = append(l.skipped, Skipped{name, "permission denied"})
		return nil
	}
	return err
}

// add lists one file or link.
func (l *listing) add(root *os.Root, name string, before *item) error {
	info, err := root.Lstat(name)
	if err != nil {
		return l.skip(name, err)
	}
	it := item{path: name, mode: info.Mode(), size: info.Size(), stat: statOf(info)}
	if before != nil && before.stat == it.stat && before.mode == it.mode && before.size == it.size {
		l.items = append(l.items, *before)
		return nil
	}
	switch {
	case it.mode&fs.ModeSymlink != 0:
		target, err := root.Readlink(name)
		if err != nil {
			return l.skip(name, err)
		}
		it.sum, it.size = sumOf([]byte(target)), int64(len(target))
	case it.mode.IsRegular():
		if it.sum, err = sumFile(root, name); err != nil {
			return l.skip(name, err)
		}
	default:
		l.skipped = append(l.skipped, Skipped{name, "neither file, folder nor link: " + it.mode.Type().String()})
		return nil
	}
	l.items = append(l.items, it)
	return nil
}

func statOf(info fs.FileInfo) stat {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stat{}
	}
	return stat{dev: uint64(s.Dev), ino: s.Ino, mtime: s.Mtim, ctime: s.Ctim}
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func sumFile(root *os.Root, name string) (string, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return sumReader(f)
}

func sumPath(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return sumReader(f)
}

func sumReader(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// digest is the SHA-256 of all items.
func (l *listing) digest() string { return sumOf([]byte(l.text(l.items))) }

// text is tree.txt of some items.
func (l *listing) text(items []item) string {
	var b strings.Builder
	for i := range items {
		b.WriteString(items[i].line())
	}
	return b.String()
}

// under reports whether a path is one of the given ones or lies in one of those that end in a slash.
func under(paths map[string]bool, name string) bool {
	if paths[name] {
		return true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if paths[dir+"/"] {
			return true
		}
	}
	return paths[name+"/"]
}

// parseTreeLine reads a line of tree.txt.
func parseTreeLine(line string) (item, error) {
	f := strings.SplitN(line, " ", 3)
	if len(f) == 3 {
		if name, err := strconv.Unquote(f[2]); err == nil && plain(name) {
			return item{path: name, sum: f[1]}, nil
		}
	}
	return item{}, fmt.Errorf("%w: %s has the line %q", ErrDamaged, TreeFile, line)
}

// plain reports whether a path stays inside its folder and is written in its shortest form. It need not be UTF-8.
func plain(name string) bool {
	return name != "." && filepath.IsLocal(name) && path.Clean(name) == name
}
