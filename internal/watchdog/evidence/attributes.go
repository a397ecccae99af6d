package evidence

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// attribute is a line of attributes.jsonl: what a file or folder has beside its contents.
type attribute struct {
	Path   string            `json:"path"`
	Mode   string            `json:"mode,omitempty"` // octal, with setuid, setgid and sticky; none for a link
	Owner  string            `json:"owner"`          // "uid:gid"; not restored
	Time   time.Time         `json:"mtime"`
	Holes  bool              `json:"holes,omitempty"`
	Link   string            `json:"hard_link_to,omitempty"` // the first name of the same file
	Xattrs map[string][]byte `json:"xattrs,omitempty"`
}

// xattrsOf reads the extended attributes of an open file; what a file system does not have or give is none.
func xattrsOf(f *os.File) map[string]string {
	fd := int(f.Fd())
	n, err := unix.Flistxattr(fd, nil)
	if err != nil || n == 0 {
		return nil
	}
	names := make([]byte, n)
	if n, err = unix.Flistxattr(fd, names); err != nil {
		return nil
	}
	found := map[string]string{}
	for name := range bytes.SplitSeq(bytes.TrimRight(names[:n], "\x00"), []byte{0}) {
		size, err := unix.Fgetxattr(fd, string(name), nil)
		if err != nil || string(name) == "security.selinux" {
			continue
		}
		value := make([]byte, size)
		if size, err = unix.Fgetxattr(fd, string(name), value); err == nil {
			found[string(name)] = string(value[:size])
		}
	}
	return found
}

// octal is a mode with setuid, setgid and sticky.
func octal(mode fs.FileMode) string {
	bits := uint32(mode.Perm())
	for _, b := range []struct {
		flag fs.FileMode
		bit  uint32
	}{{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000}} {
		if mode&b.flag != 0 {
			bits |= b.bit
		}
	}
	return fmt.Sprintf("%04o", bits)
}

func attributeOf(it *item) attribute {
	a := attribute{Path: quoteName(it.path), Owner: fmt.Sprintf("%d:%d", it.stat.uid, it.stat.gid), Time: time.Unix(it.stat.mtime.Unix()).UTC()}
	if it.mode&fs.ModeSymlink == 0 {
		a.Mode = octal(it.mode)
	}
	a.Holes = it.mode.IsRegular() && it.size > 0 && it.stat.blocks*512 < it.size && it.size >= 4096
	if len(it.xattrs) > 0 {
		a.Xattrs = make(map[string][]byte, len(it.xattrs))
		for name, value := range it.xattrs {
			a.Xattrs[name] = []byte(value)
		}
	}
	return a
}

// attributesOf lists the attributes of items and of the folders around them, in path order.
func attributesOf(items, folders []item) []attribute {
	list := make([]attribute, 0, len(items)+len(folders))
	for i := range folders {
		list = append(list, attributeOf(&folders[i]))
	}
	first := map[[2]uint64]string{}
	for i := range items {
		it := &items[i]
		if it.mode.IsDir() {
			continue
		}
		a := attributeOf(it)
		if it.stat.links > 1 && it.mode.IsRegular() {
			id := [2]uint64{it.stat.dev, it.stat.ino}
			if name, ok := first[id]; ok {
				a.Link = quoteName(name)
			} else {
				first[id] = it.path
			}
		}
		list = append(list, a)
	}
	slices.SortStableFunc(list, func(a, b attribute) int { return strings.Compare(a.Path, b.Path) })
	return list
}

func writeAttributes(dir string, list []attribute) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i := range list {
		if err := enc.Encode(list[i]); err != nil {
			return err
		}
	}
	return writeText(dir, AttributesFile, b.String())
}

// readAttributes reads attributes.jsonl, with plain names.
func readAttributes(dir string) ([]attribute, error) {
	f, err := os.Open(dir + "/" + AttributesFile)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer f.Close()
	var list []attribute
	for dec := json.NewDecoder(bufio.NewReader(f)); ; {
		var a attribute
		err := dec.Decode(&a)
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err == nil {
			err = eachName(unquoteInPlace, &a.Path, &a.Link)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, AttributesFile, err)
		}
		if a.Path != "." && (!plain(a.Path) || hasGit(a.Path)) || a.Link != "" && (!plain(a.Link) || hasGit(a.Link)) {
			return nil, fmt.Errorf("%w: %s names %q", ErrDamaged, AttributesFile, a.Path)
		}
		list = append(list, a)
	}
}

// dress gives the files and folders of a tree their attributes, folders last and from below, since their modes and times
// concern what happens in them. The top folder keeps the right to be moved. What cannot be given shows when the tree is compared.
func dress(root *os.Root, list []attribute) error {
	for i := range list {
		if a := &list[i]; a.Link != "" {
			if err := relink(root, a); err != nil {
				return err
			}
		}
	}
	for _, a := range slices.Backward(list) {
		if a.Path == "." {
			continue
		}
		if err := dressOne(root, &a); err != nil {
			return err
		}
	}
	return nil
}

// relink makes a file one with another, which has the same contents.
func relink(root *os.Root, a *attribute) error {
	buf := make([]byte, 64<<10)
	one, err := sumFile(root, a.Link, buf)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if two, err := sumFile(root, a.Path, buf); err != nil || one != two {
		return errors.Join(fmt.Errorf("%w: %q and %q are one file, and differ", ErrDamaged, a.Path, a.Link), err)
	}
	if err := root.Remove(a.Path); err != nil {
		return err
	}
	return root.Link(a.Link, a.Path)
}

func dressOne(root *os.Root, a *attribute) error {
	info, err := root.Lstat(a.Path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return linkTime(root, a)
	}
	f, err := root.OpenFile(a.Path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	for name, value := range a.Xattrs {
		_ = unix.Fsetxattr(int(f.Fd()), name, value, 0) // what is refused is listed
	}
	mode, err := a.mode(info)
	if err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	times := []unix.Timeval{unix.NsecToTimeval(a.Time.UnixNano()), unix.NsecToTimeval(a.Time.UnixNano())}
	if err := setTimes(f, a.Time); err == nil {
		return nil
	}
	return unix.Futimes(int(f.Fd()), times)
}

// mode parses the mode. Setuid and setgid are for the same owner alone: with another they would give rights away.
func (a *attribute) mode(info fs.FileInfo) (fs.FileMode, error) {
	var bits uint32
	if _, err := fmt.Sscanf(a.Mode, "%o", &bits); err != nil || bits > 0o7777 {
		return 0, fmt.Errorf("%w: %q has the mode %q", ErrDamaged, a.Path, a.Mode)
	}
	mode := fs.FileMode(bits & 0o777)
	if bits&0o1000 != 0 {
		mode |= fs.ModeSticky
	}
	if s := statOf(info); a.Owner == fmt.Sprintf("%d:%d", s.uid, s.gid) {
		if bits&0o4000 != 0 {
			mode |= fs.ModeSetuid
		}
		if bits&0o2000 != 0 {
			mode |= fs.ModeSetgid
		}
	}
	return mode, nil
}

// setTimes sets the time of an open file by its descriptor: its path may be too long for a system call.
func setTimes(f *os.File, at time.Time) error {
	ts := unix.NsecToTimespec(at.UnixNano())
	return unix.UtimesNanoAt(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), []unix.Timespec{ts, ts}, 0)
}

func linkTime(root *os.Root, a *attribute) error {
	dir, base := splitPath(a.Path)
	f, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	ts := unix.NsecToTimespec(a.Time.UnixNano())
	return unix.UtimesNanoAt(int(f.Fd()), base, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW)
}

func splitPath(name string) (dir, base string) {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return ".", name
}

// undressed lists, by path, what of the attributes a restored tree does not have.
func undressed(want, got []attribute) []Skipped {
	have := make(map[string]*attribute, len(got))
	for i := range got {
		have[got[i].Path] = &got[i]
	}
	var list []Skipped
	for i := range want {
		w := want[i]
		g := have[quoteName(w.Path)]
		if g == nil || w.Path == "." {
			continue
		}
		var lacks []string
		if w.Mode != g.Mode {
			lacks = append(lacks, "mode "+w.Mode)
		}
		if !w.Time.Equal(g.Time) {
			lacks = append(lacks, "time")
		}
		if quoteName(w.Link) != g.Link {
			lacks = append(lacks, "hard link")
		}
		if w.Holes && !g.Holes {
			lacks = append(lacks, "holes")
		}
		for name, value := range w.Xattrs {
			if !bytes.Equal(g.Xattrs[name], value) {
				lacks = append(lacks, name)
			}
		}
		if len(lacks) > 0 {
			slices.Sort(lacks)
			list = append(list, Skipped{w.Path, "not restored: " + strings.Join(lacks, ", ")})
		}
	}
	return list
}
