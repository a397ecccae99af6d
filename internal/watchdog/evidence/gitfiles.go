package evidence

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// What lies in git's places was left there by a worker: a file that is read is a plain one, by whatever name, and no reading
// waits for anybody or goes on without end.

// longestText is the largest file of git's that is read as a text, in bytes.
const longestText = 256 << 20

// openRegular opens a plain file, or a link to one.
func openRegular(file string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: %s is no plain file: %s", ErrRepository, file, info.Mode().Type())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// readText reads a file of git's.
func readText(file string) ([]byte, error) {
	f, err := openRegular(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, longestText+1))
	if err == nil && len(data) > longestText {
		err = fmt.Errorf("%w: %s has more than %d MiB", ErrRepository, file, longestText>>20)
	}
	return data, err
}

// The files by which git knows what is unfinished in a worktree, and what belongs to it. Nothing else is put into the
// folder of a repository's data: there, "config" or "commondir" would be obeyed.
var (
	stateFiles = regexp.MustCompile(`^(MERGE_(HEAD|MSG|MODE|RR|AUTOSTASH)|SQUASH_MSG|CHERRY_PICK_HEAD|REVERT_HEAD|REBASE_HEAD|ORIG_HEAD|AUTO_MERGE|` +
		`COMMIT_EDITMSG|BISECT_(LOG|START|TERMS|NAMES|EXPECTED_REV|ANCESTORS_OK|FIRST_PARENT|HEAD|RUN)|NOTES_MERGE_(REF|PARTIAL)|TAG_EDITMSG)$`)
	stateFolders = []string{"rebase-merge", "rebase-apply", "sequencer", "NOTES_MERGE_WORKTREE"}
	infoFiles    = []string{"info/sparse-checkout", "info/exclude", "info/grafts"}
	stepFile     = regexp.MustCompile(`^[a-z0-9_.-]+$`)
	obeyed       = []string{"config", "config.worktree", "commondir", "gitdir", "hooks", "objects", "refs", "worktrees", "modules", "..", "."}
)

// stateName reports whether a file may be put into git's data: it is one of the state of an unfinished operation.
func stateName(name string) bool {
	if slices.Contains(infoFiles, name) || stateFiles.MatchString(name) {
		return true
	}
	dir, base := path.Split(name)
	return slices.Contains(stateFolders, strings.TrimSuffix(dir, "/")) && stepFile.MatchString(base) && !slices.Contains(obeyed, base)
}

// stateNames lists the state files of a worktree, sorted, and what lies among them and is none.
func (r *repository) stateNames() (names []string, odd []Skipped) {
	add := func(base, name string) {
		info, err := os.Stat(filepath.Join(base, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			odd = append(odd, Skipped{".git/" + name, err.Error()})
		case !info.Mode().IsRegular() || !stateName(name):
			odd = append(odd, Skipped{".git/" + name, "it is none of git's state files: " + info.Mode().Type().String()})
		default:
			names = append(names, name)
		}
	}
	entries, _ := os.ReadDir(r.dir)
	for _, e := range entries {
		if stateFiles.MatchString(e.Name()) {
			add(r.dir, e.Name())
		}
		if slices.Contains(stateFolders, e.Name()) && e.IsDir() {
			inner, _ := os.ReadDir(filepath.Join(r.dir, e.Name()))
			for _, i := range inner {
				add(r.dir, e.Name()+"/"+i.Name())
			}
		}
	}
	add(r.dir, infoFiles[0])
	for _, name := range infoFiles[1:] {
		add(r.common, name)
	}
	slices.Sort(names)
	return names, odd
}

// stateFile is where a state file lies.
func (r *repository) stateFile(name string) string {
	if slices.Contains(infoFiles[1:], name) {
		return filepath.Join(r.common, name)
	}
	return filepath.Join(r.dir, name)
}

// copyState copies the state files into the evidence, an empty folder of them too.
func (r *repository) copyState(dir string) error {
	names, _ := r.stateNames()
	for _, name := range names {
		if err := copyFile(r.stateFile(name), filepath.Join(dir, StateDir, name)); err != nil {
			return err
		}
	}
	for _, name := range stateFolders {
		if info, err := os.Lstat(filepath.Join(r.dir, name)); err == nil && info.IsDir() {
			if err := os.MkdirAll(filepath.Join(dir, StateDir, name), 0o700); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkState refuses evidence whose state files are none of git's.
func checkState(dir string) error {
	base := filepath.Join(dir, StateDir)
	return filepath.WalkDir(base, func(file string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && file == base || file == base {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(base, file)
		if err != nil {
			return err
		}
		if e.IsDir() && (name == "info" || slices.Contains(stateFolders, name)) || e.Type().IsRegular() && stateName(name) {
			return nil
		}
		return fmt.Errorf("%w: %s/%q is none of git's state files", ErrDamaged, StateDir, name)
	})
}

// installState puts the state files of the evidence into a repository's folder. The exclusions and grafts go into common,
// unless that is empty: they belong to all worktrees of a repository.
func installState(dir, gitDir, common string) error {
	if err := checkState(dir); err != nil {
		return err
	}
	base := filepath.Join(dir, StateDir)
	return filepath.WalkDir(base, func(file string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && file == base {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(base, file)
		if err != nil || name == "." {
			return err
		}
		to := filepath.Join(gitDir, name)
		if slices.Contains(infoFiles[1:], name) {
			if common == "" {
				return nil
			}
			to = filepath.Join(common, name)
		}
		if e.IsDir() {
			return os.MkdirAll(to, 0o700)
		}
		return copyFile(file, to)
	})
}

// gitFile is a file of git's in an archive: under the name that it would have in a plain repository.
type gitFile struct{ name, file string }

// logFiles lists the reflogs of a worktree: of its HEAD and own refs, and of the repository's refs.
func (r *repository) logFiles() []gitFile {
	files := filesBelow(filepath.Join(r.dir, "logs"), "logs", nil)
	if r.dir != r.common {
		files = append(files, filesBelow(filepath.Join(r.common, "logs", "refs"), "logs/refs", nil)...)
	}
	return files
}

// filesBelow lists the plain files below a folder, in order. What is none is told to odd.
func filesBelow(dir, name string, odd func(string)) []gitFile {
	var files []gitFile
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		at, below := filepath.Join(dir, e.Name()), path.Join(name, e.Name())
		info, err := os.Stat(at)
		switch {
		case e.IsDir():
			files = append(files, filesBelow(at, below, odd)...)
		case err == nil && info.Mode().IsRegular() && !strings.HasSuffix(e.Name(), ".lock"):
			files = append(files, gitFile{below, at})
		case odd != nil && !strings.HasSuffix(e.Name(), ".lock"):
			odd(below)
		}
	}
	return files
}

// writeGitTar archives files of git's. Credentials of URLs in reflogs are masked. What is gone by now is left out.
func writeGitTar(ctx context.Context, files []gitFile, to string) error {
	if len(files) == 0 {
		return nil
	}
	out, err := create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	t := tar.NewWriter(out)
	for _, g := range files {
		if err := addGitFile(ctx, t, g); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), out.Close())
}

func addGitFile(ctx context.Context, t *tar.Writer, g gitFile) error {
	h := &tar.Header{Format: tar.FormatPAX, Name: g.name, Mode: 0o600, Typeflag: tar.TypeReg}
	if strings.HasPrefix(g.name, "logs/") {
		data, err := readText(g.file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		data = maskedURLs(data)
		h.Size = int64(len(data))
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		_, err = t.Write(data)
		return err
	}
	f, err := openRegular(g.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	h.Size = info.Size()
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.Copy(t, io.LimitReader(io.MultiReader(&reader{ctx, f}, zeros{}), h.Size))
	return err
}

// dataName reports whether a file of an archive may be put into a repository's data: what git reads there and does not obey.
func dataName(name string) bool {
	if !plain(name) || hasGit(name) || strings.HasSuffix(name, ".lock") {
		return false
	}
	first, rest, _ := strings.Cut(name, "/")
	switch first {
	case "HEAD", "packed-refs", "shallow", "index":
		return rest == ""
	case "refs", "logs", "reftable":
		return rest != ""
	case "modules":
		return moduleName(rest)
	case "lfs":
		return strings.HasPrefix(rest, "objects/")
	case "objects":
		return rest != "" && rest != "info/alternates" && rest != "info/http-alternates"
	}
	return remembered.MatchString(name) || rest == "" && sharedIndex.MatchString(name) || stateName(name)
}

// moduleName reports whether a path leads to the data of a submodule, whose own name may have folders.
func moduleName(name string) bool {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		if rest := name[i+1:]; !strings.HasPrefix(rest, "modules/") && dataName(rest) {
			return true
		}
	}
	return false
}

// remembered are the conflicts whose solutions git remembers.
var remembered = regexp.MustCompile(`^rr-cache/[0-9a-f]{40,64}/(preimage|postimage|thisimage)(\.[0-9]+)?$`)

var sharedIndex = regexp.MustCompile(`^sharedindex\.[0-9a-f]{40,64}$`)

// installGitTar unpacks files of git's into a repository's data.
func installGitTar(ctx context.Context, file, gitDir string) error {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	root, err := os.OpenRoot(gitDir)
	if err != nil {
		return err
	}
	defer root.Close()
	for t := tar.NewReader(f); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil || h.Typeflag != tar.TypeReg || !dataName(h.Name) {
			return errors.Join(fmt.Errorf("%w: %s has an entry that is none of git's data", ErrDamaged, filepath.Base(file)), err)
		}
		if err := root.MkdirAll(path.Dir(h.Name), 0o700); err != nil {
			return err
		}
		_ = root.Remove(h.Name)
		mode := fs.FileMode(0o600)
		if strings.HasPrefix(h.Name, "objects/") {
			mode = 0o444
		}
		if err := layOut(root, h.Name, &reader{ctx, t}, mode, false); err != nil {
			return err
		}
	}
}
