package evidence

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// What is written to a real repository is written as git does, and without git where that will do: nothing that is
// configured in it then runs.

// addObjects adds a folder of objects to the repository. Those that it has already stay.
func (r *repository) addObjects(from string) error {
	objects := filepath.Join(r.common, "objects")
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == from {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		to := filepath.Join(objects, rel)
		switch _, err := os.Lstat(to); {
		case err == nil:
			return nil
		case e.IsDir():
			return errors.Join(os.Mkdir(to, 0o755), handOver(to, objects))
		}
		return installFile(path, to, 0o444, objects)
	})
}

// installFile copies a file to its place in one step, for the owner of like. Until then it has the name of an object that git
// is writing: git passes over what a killed process leaves of one, and prunes it.
func installFile(from, to string, mode fs.FileMode, like string) error {
	partly := filepath.Join(filepath.Dir(to), "tmp_obj_"+filepath.Base(to))
	if err := os.Remove(partly); err != nil && !errors.Is(err, fs.ErrNotExist) { // a killed one's, which may be read-only
		return err
	}
	defer os.Remove(partly)
	if err := copyFile(from, partly); err != nil {
		return err
	}
	if err := errors.Join(os.Chmod(partly, mode), handOver(partly, like), syncOne(partly)); err != nil {
		return err
	}
	return os.Rename(partly, to)
}

// handOver gives a file to the owner of another one. Only root can, and only root need.
func handOver(file, like string) error {
	info, err := os.Stat(like)
	if err != nil || os.Geteuid() != 0 {
		return err
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return os.Lchown(file, int(s.Uid), int(s.Gid))
}

// lockIndex takes git's own lock of the index.
func (r *repository) lockIndex() (string, error) {
	lock := filepath.Join(r.dir, "index.lock")
	f, err := create(lock)
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%w: %s is there: git is at work or was killed; remove it if none runs", ErrCommit, lock)
	}
	if err != nil {
		return "", err
	}
	return lock, f.Close()
}

// setIndex gives the worktree another index. The lock is git's own, and the caller's.
func (r *repository) setIndex(from, lock string) error {
	index, mode := filepath.Join(r.dir, "index"), fs.FileMode(0o644)
	if info, err := os.Stat(index); err == nil {
		mode = info.Mode().Perm()
	}
	if err := copyFile(from, lock); err != nil {
		return err
	}
	if err := errors.Join(os.Chmod(lock, mode), handOver(lock, r.dir)); err != nil {
		return err
	}
	return os.Rename(lock, index)
}

// moveBranch moves a branch from HEAD to a commit, if it is still there.
func (r *repository) moveBranch(ctx context.Context, g *GitRecord, commit string) error {
	from := cmp.Or(g.Head, strings.Repeat("0", len(commit)))
	return r.quiet(ctx, "update-ref", "-m", "piwatch: work in progress", g.Branch, commit, from)
}

// quiet runs git on the real repository, for what runs no more than hooks; those are off.
func (r *repository) quiet(ctx context.Context, args ...string) error {
	m := mirror{dir: r.dir}
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir, cmd.Env = r.dir, m.environment("")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: git %s: %w: %s", ErrRepository, args[0], err, firstLine(stderr.String()))
	}
	return nil
}
