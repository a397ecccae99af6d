package evidence

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// repository is where a worktree's git data lie.
type repository struct {
	worktree string
	dir      string // of this worktree: HEAD, index
	common   string // of the repository: refs, objects; the same unless the worktree is a linked one
}

// findRepository returns the repository whose worktree begins at root, or nil without git.
func findRepository(root string) (*repository, error) {
	at := filepath.Join(root, ".git")
	info, err := os.Stat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, outsideGit(root)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrRepository, err)
	}
	r := &repository{worktree: root, dir: at}
	if !info.IsDir() {
		if r.dir, err = pointer(at, "gitdir: ", root); err != nil {
			return nil, err
		}
	}
	r.common = r.dir
	if _, err := os.Stat(filepath.Join(r.dir, "commondir")); err == nil {
		if r.common, err = pointer(filepath.Join(r.dir, "commondir"), "", r.dir); err != nil {
			return nil, err
		}
	}
	if info, err := os.Stat(filepath.Join(r.dir, "HEAD")); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%w: %s has no HEAD", ErrRepository, r.dir), err)
	}
	return r, nil
}

// outsideGit refuses a folder within a worktree: what belongs to it lies above.
func outsideGit(root string) error {
	for dir := filepath.Dir(root); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return fmt.Errorf("%w: %w: %s lies inside the worktree %s; name that one", ErrRepository, errInside, root, dir)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// pointer reads a file that holds a path.
func pointer(file, prefix, base string) (string, error) {
	data, err := readText(file)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrRepository, err)
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), prefix)
	if !ok || path == "" {
		return "", fmt.Errorf("%w: %s points nowhere", ErrRepository, file)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w: %s points to what is not there: %w", ErrRepository, file, err)
	}
	return path, nil
}

// inertKeys are the settings that start no process (WDC-SAFE-005). A restored repository gets them back; a capture
// works without them, since it takes everything as it lies there.
var inertKeys = []string{
	"core.autocrlf", "core.eol", "core.filemode", "core.ignorecase", "core.symlinks", "core.sparsecheckout",
	"core.sparsecheckoutcone", "index.sparse",
}

// rawAttributes stand above every .gitattributes: contents are taken as they lie there.
const rawAttributes = "* -text -ident !eol !filter !working-tree-encoding !diff !merge\n"

// shadow is the worktree that git sees while it captures: it has the .gitignore files alone. Git reads nothing of the real
// one, whatever was left there.
const shadow = "shadow"

// sourceReftable is the copy of a reftable to which git adds nothing.
const sourceReftable = "reftable.source"

// newObjects is where objects are written: git would touch those of the source that are the same.
const newObjects = "objects.new"

// mirror is a private GIT_DIR for a worktree: copies of HEAD, refs and index, the source's objects by reference, and
// none of its configuration. New objects stay in it.
type mirror struct {
	dir      string
	worktree string
	format   string // of objects
	settings []Setting
	index    string        // the copy of the source's index
	source   string        // what it is a copy of
	limit    time.Duration // of one run of git; 0: DefaultGitLimit
}

// newMirror builds a mirror in dir, which must not exist. A nil source makes an empty repository.
func newMirror(ctx context.Context, dir string, src *repository) (*mirror, error) {
	m := &mirror{dir: dir, format: "sha1", index: filepath.Join(dir, "index.source")}
	for _, sub := range []string{"objects/info", newObjects, "refs/heads", "info", shadow} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "info/attributes"), []byte(rawAttributes), 0o600); err != nil {
		return nil, err
	}
	if src == nil {
		return m, os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600)
	}
	m.worktree, m.source = filepath.Join(dir, shadow), filepath.Join(src.dir, "index")
	if err := m.copyGitData(src); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRepository, err)
	}
	if err := m.readSettings(ctx, src); err != nil {
		return nil, err
	}
	return m, m.writeConfig()
}

// copyGitData copies what names commits and paths, and refers to the objects.
func (m *mirror) copyGitData(src *repository) error {
	objects, err := filepath.Abs(filepath.Join(src.common, "objects"))
	if err != nil {
		return err
	}
	if err := checkStore(objects); err != nil {
		return err
	}
	line := objects
	if strings.ContainsAny(line, "\"\n\\") {
		line = quoteC(line)
	}
	line += "\n" + quoteC(filepath.Join(m.dir, newObjects)) + "\n"
	if err := os.WriteFile(filepath.Join(m.dir, "objects/info/alternates"), []byte(line), 0o600); err != nil {
		return err
	}
	if err := m.copyRefs(src); err != nil {
		return err
	}
	if err := copyIndex(m.source, m.index); err != nil {
		return err
	}
	shared, err := filepath.Glob(filepath.Join(escapeGlob(src.dir), "sharedindex.*"))
	if err != nil {
		return err
	}
	for _, file := range shared {
		if err := copyIn(file, filepath.Join(m.dir, filepath.Base(file))); err != nil {
			return err
		}
	}
	return nil
}

// copyRefs copies what names commits: loose refs before packed ones, since git packs a ref before it removes the loose one.
// Grafts and replacements stay out: a bundle is to have what they hide. A reftable is copied until its list stays the same.
func (m *mirror) copyRefs(src *repository) error {
	for _, name := range []string{"refs", "packed-refs", "shallow", "info/exclude", "logs/refs/stash"} {
		if err := copyIn(filepath.Join(src.common, name), filepath.Join(m.dir, name)); err != nil {
			return err
		}
	}
	for range 3 {
		before, _ := readText(filepath.Join(src.common, "reftable", "tables.list"))
		if err := copyIn(filepath.Join(src.common, "reftable"), filepath.Join(m.dir, sourceReftable)); err != nil {
			return err
		}
		if after, _ := readText(filepath.Join(src.common, "reftable", "tables.list")); bytes.Equal(before, after) {
			break
		}
	}
	if err := copyIn(filepath.Join(m.dir, sourceReftable), filepath.Join(m.dir, "reftable")); err != nil {
		return err
	}
	for _, name := range []string{"HEAD", "refs", "info/sparse-checkout"} {
		if err := copyIn(filepath.Join(src.dir, name), filepath.Join(m.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// copyIndex copies an index with its time: git does not trust what it knows of a file that is younger.
func copyIndex(from, to string) error {
	info, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(copyFile(from, to), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

// copyIn copies a file or folder; one that is not there is left out, and links to folders are not followed.
func copyIn(from, to string) error {
	info, err := os.Lstat(from)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		entries, err := os.ReadDir(from)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(to, 0o700); err != nil {
			return err
		}
		for _, e := range entries {
			if err := copyIn(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
				return err
			}
		}
		return nil
	case info.Mode()&fs.ModeSymlink != 0: // of a HEAD of old times
		if target, err := os.Stat(from); err != nil || !target.Mode().IsRegular() {
			return nil
		}
	case !info.Mode().IsRegular():
		return nil
	}
	return copyFile(from, to)
}

func copyFile(from, to string) error {
	in, err := openRegular(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // gone meanwhile: a ref that was packed, a lock
	}
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// readSettings takes the inert settings over. Includes are not followed.
func (m *mirror) readSettings(ctx context.Context, src *repository) error {
	for _, name := range []string{filepath.Join(src.common, "config"), filepath.Join(src.dir, "config.worktree")} {
		data, err := readText(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrRepository, err)
		}
		list, err := m.run(ctx, call{stdin: data, args: []string{"config", "--no-includes", "--file", "-", "--list", "-z"}})
		if err != nil {
			return err
		}
		for item := range bytes.SplitSeq(list, []byte{0}) {
			key, value, _ := strings.Cut(string(item), "\n")
			switch {
			case key == "extensions.objectformat":
				m.format = value
			case slices.Contains(inertKeys, key):
				m.settings = append(m.settings, Setting{key, value})
			}
		}
	}
	return nil
}

// writeConfig gives the mirror a configuration of its own.
func (m *mirror) writeConfig() error {
	var b strings.Builder
	version := 0
	if m.format != "sha1" {
		version = 1
	}
	fmt.Fprintf(&b, "[core]\n\trepositoryformatversion = %d\n\tbare = false\n\tautocrlf = false\n\tfilemode = true\n", version)
	if m.format != "sha1" {
		fmt.Fprintf(&b, "[extensions]\n\tobjectformat = %s\n", quoteConfig(m.format))
	}
	if info, err := os.Stat(filepath.Join(m.dir, "reftable")); err == nil && info.IsDir() {
		b.WriteString("[extensions]\n\trefstorage = reftable\n")
	}
	return os.WriteFile(filepath.Join(m.dir, "config"), []byte(b.String()), 0o600)
}

func quoteConfig(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// quoteC quotes a path as git does where it is not plain.
func quoteC(s string) string { return quoteBytes(s, 0x100) }

// call is one run of git.
type call struct {
	args  []string
	index string // file; empty: none in particular
	stdin []byte
	out   io.Writer // instead of the result
	dir   string    // to run in; empty: the worktree, or the mirror without one
	may   []int     // exit statuses that are no errors
	write bool      // writes objects, and need not see those of the source
	env   []string  // more of it
}

// command is what git is told to do.
func (c *call) command() string {
	for i := 0; i < len(c.args); i += 2 {
		if c.args[i] != "-c" {
			return c.args[i]
		}
	}
	return ""
}

// DefaultGitLimit is how long one run of git may take.
const DefaultGitLimit = 15 * time.Minute

// run runs git on the mirror. Nothing of the user's or worker's configuration reaches it. It ends with its children: when the
// context does, and at its time limit.
func (m *mirror) run(ctx context.Context, c call) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	limited, cancel := context.WithTimeout(ctx, cmp.Or(m.limit, DefaultGitLimit))
	defer cancel()
	cmd := exec.CommandContext(limited, "git", c.args...)
	endWithChildren(cmd)
	cmd.Dir = cmp.Or(c.dir, m.worktree, m.dir)
	cmd.Env = append(m.environment(c.index), c.env...)
	if c.write {
		cmd.Env = append(cmd.Env, "GIT_OBJECT_DIRECTORY="+filepath.Join(m.dir, newObjects))
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(c.stdin), &stdout, &stderr
	if c.out != nil {
		cmd.Stdout = c.out
	}
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if limited.Err() != nil {
			return nil, fmt.Errorf("%w: git %s was ended after %s", ErrRepository, c.command(), cmp.Or(m.limit, DefaultGitLimit))
		}
		if failure, exited := errors.AsType[*exec.ExitError](err); exited && slices.Contains(c.may, failure.ExitCode()) {
			return stdout.Bytes(), nil
		}
		said := strings.ReplaceAll(firstLine(stderr.String()), m.index, m.source)
		return nil, fmt.Errorf("%w: git %s: %w: %s", ErrRepository, c.command(), err, strconv.QuoteToGraphic(Masked(said)))
	}
	return stdout.Bytes(), nil
}

// endWithChildren makes a command the head of a process group, and lets the end of its context end all of that.
func endWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// environment is all that git may know.
func (m *mirror) environment(index string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + m.dir, "XDG_CONFIG_HOME=" + m.dir, "LC_ALL=C", "TZ=UTC",
		"GIT_DIR=" + m.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_PAGER=cat", "GIT_ALLOW_PROTOCOL=none", "GIT_LITERAL_PATHSPECS=1",
		"GIT_AUTHOR_NAME=evidence", "GIT_AUTHOR_EMAIL=evidence@localhost", "GIT_AUTHOR_DATE=@946684800 +0000",
		"GIT_COMMITTER_NAME=evidence", "GIT_COMMITTER_EMAIL=evidence@localhost", "GIT_COMMITTER_DATE=@946684800 +0000",
	}
	if m.worktree != "" {
		env = append(env, "GIT_WORK_TREE="+m.worktree)
	}
	if index != "" {
		env = append(env, "GIT_INDEX_FILE="+index)
	}
	return env
}

// text runs git and returns its output without the last line end.
func (m *mirror) text(ctx context.Context, args ...string) (string, error) {
	out, err := m.run(ctx, call{args: args})
	return strings.TrimRight(string(out), "\n"), err
}
