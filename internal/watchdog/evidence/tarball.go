package evidence

import (
	"archive/tar"
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

// writeTar writes items in their order. The same items make the same bytes: owners are left out. A link is stored as
// a link. A file that changed its length meanwhile is an ErrChanging.
func writeTar(w io.Writer, root *os.Root, items []item) error {
	t := tar.NewWriter(w)
	for i := range items {
		if err := addToTar(t, root, &items[i]); err != nil {
			return err
		}
	}
	return t.Close()
}

func addToTar(t *tar.Writer, root *os.Root, it *item) error {
	h := &tar.Header{Format: tar.FormatPAX, Name: it.path, Mode: int64(it.mode.Perm())}
	switch {
	case it.mode.IsDir():
		h.Typeflag, h.Name = tar.TypeDir, it.path+"/"
		return t.WriteHeader(h)
	case it.mode&fs.ModeSymlink != 0:
		target, err := root.Readlink(it.path)
		if err != nil {
			return changing(err)
		}
		h.Typeflag, h.Linkname = tar.TypeSymlink, target
		return t.WriteHeader(h)
	}
	h.Typeflag, h.Size = tar.TypeReg, it.size
	h.ModTime = time.Unix(it.stat.mtime.Unix()).UTC()
	f, err := root.OpenFile(it.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return changing(err)
	}
	defer f.Close()
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	n, err := io.Copy(t, io.LimitReader(f, it.size))
	if err == nil && n < it.size {
		err = fmt.Errorf("%w: %q became shorter", ErrChanging, it.path)
	}
	return err
}

// changing turns the error about what was there a moment ago into an ErrChanging.
func changing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrChanging, err)
	}
	return err
}

// readTar extracts an archive into root. Absolute names, those that climb, and those that lead through a link are
// refused, whatever the manifest says (WDC-SAFE-003).
func readTar(r io.Reader, root *os.Root) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		if err := extract(t, h, root); err != nil {
			return err
		}
	}
}

func extract(t *tar.Reader, h *tar.Header, root *os.Root) error {
	name := strings.TrimSuffix(h.Name, "/")
	if !plain(name) || hasGit(name) {
		return fmt.Errorf("%w: the archive has an entry named %q", ErrDamaged, h.Name)
	}
	if err := plainParents(root, name); err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, fs.FileMode(h.Mode).Perm())
	case tar.TypeSymlink:
		return root.Symlink(h.Linkname, name)
	case tar.TypeReg:
		return extractFile(t, h, root, name)
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

func extractFile(t *tar.Reader, h *tar.Header, root *os.Root, name string) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fs.FileMode(h.Mode).Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, t)
	if err == nil {
		err = f.Chmod(fs.FileMode(h.Mode).Perm())
	}
	return errors.Join(err, f.Close())
}
