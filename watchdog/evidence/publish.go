package evidence

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Push publishes a commit of a worktree's repository: refspec is "COMMIT:refs/heads/NAME", remote a URL or path of the
// owner's. It runs with the owner's own configuration and none of the worktree's: no hook, credential helper or ssh
// command that the worker could have set.
func Push(ctx context.Context, worktree, remote, refspec string, out io.Writer) error {
	repo, err := findRepository(worktree)
	if err != nil {
		return err
	}
	if repo == nil {
		return fmt.Errorf("%w: %s has no git", ErrRepository, worktree)
	}
	work, err := os.MkdirTemp("", "evidence-push-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	m, err := newMirror(ctx, filepath.Join(work, "git"), repo)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "git", "push", "--no-verify", "--no-recurse-submodules", remote, refspec)
	cmd.Dir = m.dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_DIR="+m.dir, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
	cmd.Stdout, cmd.Stderr = out, out
	return cmd.Run()
}
