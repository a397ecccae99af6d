package evidence

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
)

// small is the size, in bytes, up to which a file is read in one piece, and shown in a patch.
const small = 8 << 20

// archiving writes items to a tar file. What is written is hashed as it is written: an item that is not what it was when
// it was listed becomes what the archive has, and is noted.
type archiving struct {
	listing *listing
	root    *os.Root
	tar     *tar.Writer
	changed []string
	buf     []byte
	small   func(it *item, data []byte) error // is shown each small file; nil: nobody is
}

// archive writes a tar file; none for no items. It returns the paths that changed meanwhile.
func (l *listing) archive(ctx context.Context, root *os.Root, items []*item, file string, show func(*item, []byte) error) ([]string, error) {
	if len(items) == 0 {
		return nil, nil
	}
	f, err := create(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	a := archiving{listing: l, root: root, tar: tar.NewWriter(w), buf: make([]byte, 256<<10), small: show}
	for _, it := range items {
		if err := a.add(ctx, it); err != nil {
			return nil, err
		}
	}
	return a.changed, errors.Join(a.tar.Close(), w.Flush(), f.Close())
}

func (a *archiving) add(ctx context.Context, it *item) error {
	h := &tar.Header{Format: tar.FormatPAX, Name: it.path, Mode: int64(it.mode.Perm())}
	switch {
	case it.mode.IsDir():
		h.Typeflag, h.Name = tar.TypeDir, it.path+"/"
		return a.tar.WriteHeader(h)
	case it.mode&fs.ModeSymlink != 0:
		return a.addLink(it, h)
	}
	f, err := openPlain(a.root, it.path)
	if err != nil {
		return a.gone(it, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	was := *it
	it.mode, it.size, it.stat = info.Mode(), info.Size(), statOf(info)
	h.Typeflag, h.Mode, h.ModTime = tar.TypeReg, int64(it.mode.Perm()), time.Unix(it.stat.mtime.Unix()).UTC()
	if it.size <= small {
		err = a.addSmall(it, h, f)
	} else {
		err = a.addLarge(ctx, it, h, f)
	}
	if it.sum != was.sum || it.kind() != was.kind() {
		a.changed = append(a.changed, it.path)
	}
	return err
}

// gone drops an item that is not there any more.
func (a *archiving) gone(it *item, err error) error {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errChanging) && !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, syscall.ELOOP) {
		return err
	}
	a.changed = append(a.changed, it.path)
	it.mode = fs.ModeIrregular
	return nil
}

func (a *archiving) addLink(it *item, h *tar.Header) error {
	target, err := a.root.Readlink(it.path)
	if errors.Is(err, syscall.EINVAL) {
		return a.gone(it, fmt.Errorf("%w: %w", errChanging, err))
	}
	if err != nil {
		return a.gone(it, err)
	}
	h.Typeflag, h.Linkname = tar.TypeSymlink, target
	was := it.sum
	if it.sum, it.blob = a.listing.sumsOf([]byte(target)); it.sum != was {
		a.changed = append(a.changed, it.path)
	}
	if a.small != nil {
		if err := a.small(it, []byte(target)); err != nil {
			return err
		}
	}
	return a.tar.WriteHeader(h)
}

// addSmall reads the file first: whatever it has is what it is.
func (a *archiving) addSmall(it *item, h *tar.Header, f *os.File) error {
	data, err := io.ReadAll(io.LimitReader(f, 2*small))
	if err != nil {
		return err
	}
	it.size = int64(len(data))
	it.sum, it.blob = a.listing.sumsOf(data)
	h.Size = it.size
	if err := a.tar.WriteHeader(h); err != nil {
		return err
	}
	if a.small != nil && it.size <= small {
		if err := a.small(it, data); err != nil {
			return err
		}
	}
	_, err = a.tar.Write(data)
	return err
}

// addLarge writes as much as the file had when it was opened. One that became shorter is filled up with zeros.
func (a *archiving) addLarge(ctx context.Context, it *item, h *tar.Header, f *os.File) error {
	h.Size = it.size
	if err := a.tar.WriteHeader(h); err != nil {
		return err
	}
	_, err := a.listing.hash(ctx, it, io.LimitReader(io.MultiReader(f, zeros{}), it.size), a.tar, a.buf)
	return err
}

// zeros reads as zeros without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// readTar extracts an archive into root and calls found for each path. Absolute names, those that climb, and those that lead through
// a link are refused, whatever the manifest says (WDC-SAFE-003).
func readTar(ctx context.Context, r io.Reader, root *os.Root, sparse map[string]bool, found func(string)) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		name := strings.TrimSuffix(h.Name, "/")
		if !plain(name) || hasGit(name) {
			return fmt.Errorf("%w: the archive has an entry named %q", ErrDamaged, h.Name)
		}
		if err := extract(&reader{ctx, t}, h, root, name, sparse[name]); err != nil {
			return err
		}
		found(name)
	}
}

func extract(r io.Reader, h *tar.Header, root *os.Root, name string, sparse bool) error {
	if err := plainParents(root, name); err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		return root.Symlink(h.Linkname, name)
	case tar.TypeReg:
		return layOut(root, name, r, fs.FileMode(h.Mode).Perm(), sparse)
	}
	return fmt.Errorf("%w: the archive has %q of type %q", ErrDamaged, h.Name, h.Typeflag)
}

// hasGit reports whether a path leads into git's own data.
func hasGit(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == ".git" {
			return true
		}
	}
	return false
}

// plainParents checks that no folder of a path is a link: os.Root would follow one that stays inside.
func plainParents(root *os.Root, name string) error {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		info, err := root.Lstat(dir)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%w: the archive has %q, and %q is no folder", ErrDamaged, name, dir)
		}
	}
	return nil
}

// layOut writes a file. Where it had holes, zeros become holes.
func layOut(root *os.Root, name string, r io.Reader, mode fs.FileMode, sparse bool) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode|0o200)
	if err != nil {
		return err
	}
	if sparse {
		err = copySparse(f, r)
	} else {
		_, err = io.Copy(f, r)
	}
	if err == nil {
		err = f.Chmod(mode)
	}
	return errors.Join(err, f.Close())
}

// copySparse leaves out blocks of zeros.
func copySparse(f *os.File, r io.Reader) error {
	const block = 4096
	buf, none := make([]byte, block), make([]byte, block)
	size := int64(0)
	for {
		n, err := io.ReadFull(r, buf)
		if n > 0 && !bytes.Equal(buf[:n], none[:n]) {
			if _, err := f.WriteAt(buf[:n], size); err != nil {
				return err
			}
		}
		size += int64(n)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return f.Truncate(size)
		}
		if err != nil {
			return err
		}
	}
}
