package evidence

import (
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
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
	path   string // slashes, relative to the worktree
	mode   fs.FileMode
	size   int64
	sum    string // SHA-256 of the contents, or of a link's target; empty for a folder
	blob   string // the name that git gives the same contents
	stat   stat
	xattrs map[string]string
}

// stat changes whenever a file does.
type stat struct {
	dev, ino     uint64
	mtime, ctime syscall.Timespec
	uid, gid     uint32
	links        uint64
	blocks       int64 // of 512 bytes
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
	folders []item // all of them, "." first: for their modes and times
	nested  []string
	skipped []Skipped
	sha256  bool // git names objects by it
	at      string
	apart   map[string]bool // folders that are nested repositories, whatever is in them
}

// longestWorktree is the longest path, in bytes, at which a nested repository is one: git takes no longer ones.
const longestWorktree = 3500

// list walks a worktree without following links. What known already holds, unchanged, is not read again. Folders
// named nested are left out, as are those with a repository.
func list(ctx context.Context, root *os.Root, known *listing, sha256 bool, nested map[string]bool) (*listing, error) {
	before := map[string]*item{}
	if known != nil {
		for i := range known.items {
			before[known.items[i].path] = &known.items[i]
		}
	}
	l := &listing{sha256: sha256, at: root.Name(), apart: nested}
	if err := l.walk(ctx, root, ".", before); err != nil {
		return nil, err
	}
	slices.SortFunc(l.items, func(a, b item) int { return strings.Compare(a.path, b.path) })
	return l, l.sums(ctx, root)
}

// walk lists a folder; here is open on it.
func (l *listing) walk(ctx context.Context, here *os.Root, dir string, before map[string]*item) error {
	entries, err := readDir(here, ".")
	if err != nil {
		return l.skip(dir, err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.apart[dir] {
		return nil
	}
	if dir != "." && slices.ContainsFunc(entries, isGit) {
		if len(l.at)+len(dir) < longestWorktree {
			l.nested = append(l.nested, dir)
			return nil
		}
		l.skipped = append(l.skipped, Skipped{path.Join(dir, ".git"), "the path is too long for git"})
	}
	if err := l.folder(here, dir, entries); err != nil {
		return err
	}
	for _, e := range entries {
		if isGit(e) {
			continue
		}
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			if err := l.enter(ctx, here, e.Name(), name, before); err != nil {
				return err
			}
			continue
		}
		if err := l.add(here, e.Name(), name, before[name]); err != nil {
			return err
		}
	}
	return nil
}

// folder notes a folder, and as an item if it is empty.
func (l *listing) folder(here *os.Root, dir string, entries []fs.DirEntry) error {
	f, err := here.Open(".")
	if err != nil {
		return l.skip(dir, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return l.skip(dir, err)
	}
	l.folders = append(l.folders, item{path: dir, mode: info.Mode(), stat: statOf(info), xattrs: xattrsOf(f)})
	if len(entries) == 0 && dir != "." {
		l.items = append(l.items, item{path: dir, mode: fs.ModeDir | 0o755})
	}
	return nil
}

func (l *listing) enter(ctx context.Context, here *os.Root, base, name string, before map[string]*item) error {
	sub, err := here.OpenRoot(base)
	if err != nil {
		return l.skip(name, err)
	}
	defer sub.Close()
	return l.walk(ctx, sub, name, before)
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
	case errors.Is(err, syscall.EIO) && name != ".", errors.Is(err, syscall.ESTALE) && name != ".":
		l.skipped = append(l.skipped, Skipped{name, "the disk does not give it"})
		return nil
	case errors.Is(err, syscall.ENOTDIR) && name != ".", errors.Is(err, syscall.ELOOP) && name != ".":
		return fmt.Errorf("%w: %w", errChanging, err)
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
		it.size = int64(len(target))
		it.sum, it.blob = l.sumsOf([]byte(target))
	case it.mode.IsRegular():
	default:
		l.skipped = append(l.skipped, Skipped{name, "neither file, folder nor link: " + it.mode.Type().String()})
		return nil
	}
	l.items = append(l.items, it)
	return nil
}

// sums reads the files that have no sum yet, on all cores.
func (l *listing) sums(ctx context.Context, root *os.Root) error {
	failed := make([]error, len(l.items))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			buf := make([]byte, 64<<10)
			for i := next.Add(1) - 1; i < int64(len(l.items)); i = next.Add(1) - 1 {
				if it := &l.items[i]; it.sum == "" && it.mode.IsRegular() {
					failed[i] = l.read(ctx, root, it, buf)
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
	return ctx.Err()
}

// read gives a file its sums.
func (l *listing) read(ctx context.Context, root *os.Root, it *item, buf []byte) error {
	f, err := openPlain(root, it.path)
	if err != nil {
		return err
	}
	defer f.Close()
	it.xattrs = xattrsOf(f)
	n, err := l.hash(ctx, it, f, io.Discard, buf)
	it.size = n
	return err
}

// hash copies a file and gives the item the sums of what was copied. The name that git gives holds only if the file is
// as long as the item says.
func (l *listing) hash(ctx context.Context, it *item, from io.Reader, to io.Writer, buf []byte) (int64, error) {
	sum, blob := sha256.New(), l.blobHash(it.size)
	w := io.MultiWriter(sum, blob)
	if to != io.Discard {
		w = io.MultiWriter(sum, blob, to)
	}
	n, err := io.CopyBuffer(w, &reader{ctx, from}, buf)
	it.sum, it.blob = hex.EncodeToString(sum.Sum(nil)), hex.EncodeToString(blob.Sum(nil))
	if n != it.size {
		it.blob = ""
	}
	return n, err
}

// reader reads until its context ends.
type reader struct {
	ctx  context.Context
	from io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}

// blobHash begins the hash by which git names contents of a size.
func (l *listing) blobHash(size int64) hash.Hash {
	h := sha1.New()
	if l.sha256 {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}

func (l *listing) sumsOf(data []byte) (sum, blob string) {
	h := l.blobHash(int64(len(data)))
	h.Write(data)
	return sumOf(data), hex.EncodeToString(h.Sum(nil))
}

func statOf(info fs.FileInfo) stat {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stat{}
	}
	return stat{dev: uint64(s.Dev), ino: s.Ino, mtime: s.Mtim, ctime: s.Ctim, uid: s.Uid, gid: s.Gid, links: uint64(s.Nlink), blocks: s.Blocks}
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// openPlain opens a file, and nothing that is none: opening does not wait for anybody.
func openPlain(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%w: %q is no plain file any more", errChanging, name), f.Close())
	}
	return f, nil
}

// sumFile is the SHA-256 of a file; buf is what it reads with.
func sumFile(root *os.Root, name string, buf []byte) (string, error) {
	f, err := openPlain(root, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return sumReader(f, buf)
}

func sumPath(file string) (string, error) {
	f, err := openRegular(file)
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
func (l *listing) digest() string { return sumOf([]byte(treeText(l.items))) }

// treeText is tree.txt of some items.
func treeText(items []item) string {
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
	if len(paths) == 0 {
		return false
	}
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
			it := item{path: name, sum: f[1]}
			switch f[0] {
			case "040000":
				it.mode, it.sum = fs.ModeDir|0o755, ""
				return it, nil
			case "120000":
				it.mode = fs.ModeSymlink | 0o777
				return it, nil
			case "100755":
				it.mode = 0o755
				return it, nil
			case "100644":
				it.mode = 0o644
				return it, nil
			}
		}
	}
	return item{}, fmt.Errorf("%w: %s has the line %q", ErrDamaged, TreeFile, line)
}

// plain reports whether a path stays inside its folder and is written in its shortest form. It need not be UTF-8.
func plain(name string) bool {
	return name != "." && filepath.IsLocal(name) && path.Clean(name) == name
}
