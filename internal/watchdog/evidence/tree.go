package evidence

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
	return fmt.Sprintf("%s %s %s\n", i.kind(), cmp.Or(i.sum, "-"), strconv.QuoteToASCII(i.path))
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
	return l, l.sums(root)
}

// walk lists a folder; here is open on it.
func (l *listing) walk(here *os.Root, dir string, before map[string]*item) error {
	entries, err := readDir(here, ".")
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
			if err := l.enter(here, e.Name(), name, before); err != nil {
				return err
			}
			continue
		}
		if err := l.add(here, e.Name(), name, before[name]); err != nil {
			return err
		}
	}
	if empty && dir != "." {
		l.items = append(l.items, item{path: dir, mode: fs.ModeDir | 0o755})
	}
	return nil
}

func (l *listing) enter(here *os.Root, base, name string, before map[string]*item) error {
	sub, err := here.OpenRoot(base)
	if err != nil {
		return l.skip(name, err)
	}
	defer sub.Close()
	return l.walk(sub, name, before)
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

// add lists one file or link. A file gets its sum later.
func (l *listing) add(here *os.Root, base, name string, before *item) error {
	info, err := here.Lstat(base)
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
		target, err := here.Readlink(base)
		if err != nil {
			return l.skip(name, err)
		}
		it.sum, it.size = sumOf([]byte(target)), int64(len(target))
	case it.mode.IsRegular():
	default:
		l.skipped = append(l.skipped, Skipped{name, "neither file, folder nor link: " + it.mode.Type().String()})
		return nil
	}
	l.items = append(l.items, it)
	return nil
}

// sums reads the files that have no sum yet, on all cores.
func (l *listing) sums(root *os.Root) error {
	failed := make([]error, len(l.items))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			buf := make([]byte, 64<<10)
			for i := next.Add(1) - 1; i < int64(len(l.items)); i = next.Add(1) - 1 {
				if it := &l.items[i]; it.sum == "" && it.mode.IsRegular() {
					it.sum, failed[i] = sumFile(root, it.path, buf)
				}
			}
		})
	}
	workers.Wait()
	kept := l.items[:0]
	for i, it := range l.items {
		if failed[i] == nil {
			kept = append(kept, it)
		} else if err := l.skip(it.path, failed[i]); err != nil {
			return err
		}
	}
	l.items = kept
	slices.SortFunc(l.skipped, func(a, b Skipped) int { return strings.Compare(a.Path, b.Path) })
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

// sumFile is the SHA-256 of a file; buf is what it reads with.
func sumFile(root *os.Root, name string, buf []byte) (string, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return sumReader(f, buf)
}

func sumPath(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return sumReader(f, make([]byte, 64<<10))
}

func sumReader(r io.Reader, buf []byte) (string, error) {
	h := sha256.New()
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{r}, buf); err != nil { // a file would bring a buffer of its own
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

// skippedPaths names what was skipped, and all that lies in it.
func skippedPaths(list []Skipped) map[string]bool {
	paths := make(map[string]bool, 2*len(list))
	for _, s := range list {
		paths[s.Path], paths[s.Path+"/"] = true, true
	}
	return paths
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
