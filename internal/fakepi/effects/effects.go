// Package effects does really what the tools of a scripted worker are said to do: it writes files, commits and pushes
// with git, and runs commands. Nothing that a script gives reaches outside the working directory, but for a push, which
// goes to a folder only, and for a command, which its caller must have allowed.
package effects

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
)

// Tree is a working directory.
type Tree struct {
	root *os.Root
}

// Failure is why an effect came to nothing, in the words in which a tool of Pi tells the model.
type Failure struct {
	Text string
	Err  error // what it comes from; may be nil
}

func (f *Failure) Error() string { return f.Text }

// Unwrap is the cause.
func (f *Failure) Unwrap() error { return f.Err }

var (
	// ErrGitDir: a script does not write into a repository's own folder, where files are commands.
	ErrGitDir = errors.New("the path is inside the folder of a git repository")
	// ErrLinks: a path leads through links without end.
	ErrLinks = errors.New("the path leads through too many links")
	// ErrRemote: a push goes to a folder of this machine only.
	ErrRemote = errors.New("the remote is no folder")
	// ErrKind: an effect of a kind that Do does not know.
	ErrKind = errors.New("no such effect")
)

// Open opens a working directory.
func Open(dir string) (*Tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Tree{root}, nil
}

// Close closes it.
func (t *Tree) Close() error { return t.root.Close() }

// Change is what an edit has made of a file. It is zero of other effects.
type Change struct{ Before, After string }

// Do carries out an effect of any kind but run. The error is a [*Failure].
func (t *Tree) Do(e fakepi.Effect) (Change, error) {
	var change Change
	var err error
	switch e.Kind {
	case script.EffectWrite:
		err = t.write(e)
	case script.EffectAppend:
		err = t.append(e)
	case script.EffectEdit:
		change, err = t.edit(e)
	case script.EffectCommit:
		err = t.commit(e.Text)
	case script.EffectPush:
		err = t.push(e.Remote)
	default:
		err = fmt.Errorf("%w: %s", ErrKind, e.Kind)
	}
	var f *Failure
	if err == nil || errors.As(err, &f) {
		return change, err
	}
	return change, &Failure{Text: err.Error(), Err: err}
}

// write makes a file, with the folders above it as Pi's tool does.
func (t *Tree) write(e fakepi.Effect) error {
	if err := t.mayWrite(e.Path); err != nil {
		return err
	}
	if err := t.root.MkdirAll(path.Dir(e.Path), 0o755); err != nil {
		return err
	}
	return t.root.WriteFile(e.Path, []byte(e.Text), 0o644)
}

func (t *Tree) append(e fakepi.Effect) error {
	if err := t.mayWrite(e.Path); err != nil {
		return err
	}
	file, err := t.root.OpenFile(e.Path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(e.Text)
	return errors.Join(err, file.Close())
}

// edit replaces a text that the file has exactly once.
func (t *Tree) edit(e fakepi.Effect) (Change, error) {
	if err := t.mayWrite(e.Path); err != nil {
		return Change{}, err
	}
	data, err := t.root.ReadFile(e.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return Change{}, &Failure{Text: "Could not edit file: " + e.Path + ". Error code: ENOENT.", Err: err}
	}
	if err != nil {
		return Change{}, err
	}
	before := string(data)
	switch n := strings.Count(before, e.Old); n {
	case 0:
		return Change{}, &Failure{Text: "Could not find the exact text in " + e.Path + ". The old text must match exactly including all whitespace and newlines."}
	case 1:
		after := strings.Replace(before, e.Old, e.Text, 1)
		return Change{before, after}, t.root.WriteFile(e.Path, []byte(after), 0o644)
	default:
		return Change{}, &Failure{Text: fmt.Sprintf("Found %d occurrences of the text in %s. The text must be unique. Please provide more context to make it unique.", n, e.Path)}
	}
}

// mayWrite refuses a path that leads into the folder of a repository, bare ones included: what git finds there it runs.
// What leaves the tree os.Root refuses.
func (t *Tree) mayWrite(name string) error {
	target, err := t.resolve(name)
	if err != nil {
		return err
	}
	if strings.EqualFold(path.Base(target), ".git") {
		return fmt.Errorf("%s: %w", name, ErrGitDir)
	}
	for dir := path.Dir(target); ; dir = path.Dir(dir) {
		if strings.EqualFold(path.Base(dir), ".git") || t.isGitDir(dir) {
			return fmt.Errorf("%s: %w", name, ErrGitDir)
		}
		if dir == "." || dir == "/" {
			return nil
		}
	}
}

// maxLinks is how many links a path may lead through, as on Linux.
const maxLinks = 40

// resolve follows the links of a path, the last one too and those to what does not exist yet: a write makes it there.
func (t *Tree) resolve(name string) (string, error) {
	done, rest := ".", strings.Split(path.Clean(name), "/")
	for links := 0; len(rest) > 0; {
		next := path.Join(done, rest[0])
		rest = rest[1:]
		info, err := t.root.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			return path.Join(next, path.Join(rest...)), nil
		}
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: %w", name, ErrLinks)
		}
		target, err := t.root.Readlink(next)
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) {
			return next, nil // which os.Root refuses
		}
		rest = append(strings.Split(path.Clean(target), "/"), rest...)
	}
	return done, nil
}

// isGitDir reports whether a folder looks to git like one of a repository.
func (t *Tree) isGitDir(dir string) bool {
	for _, part := range []string{"HEAD", "objects", "refs"} {
		if _, err := t.root.Stat(path.Join(dir, part)); err != nil {
			return false
		}
	}
	return true
}
