package evidence

import (
	"bytes"
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
	cmd.Dir, cmd.Env = m.dir, append(ownersEnvironment(), "GIT_DIR="+m.dir, "GIT_OPTIONAL_LOCKS=0")
	cmd.Stdout, cmd.Stderr = out, out
	return cmd.Run()
}

// RemoteHead asks a remote of the owner's, with the owner's configuration and no worktree's, where a branch is
// ("refs/heads/main"). It returns "" where the remote has no such branch.
func RemoteHead(ctx context.Context, remote, branch string) (string, error) {
	nowhere, err := os.MkdirTemp("", "evidence-remote-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(nowhere)
	var out, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", "ls-remote", "--", remote, branch)
	cmd.Dir, cmd.Env = nowhere, append(ownersEnvironment(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(nowhere))
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: asking %s for %s: %w: %s", ErrRepository, Masked(remote), branch, err, harmless(Masked(firstLine(stderr.String()))))
	}
	for line := range strings.Lines(out.String()) {
		if object, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); name == branch {
			return object, nil
		}
	}
	return "", nil
}

func ownersEnvironment() []string {
	env := []string{"GIT_TERMINAL_PROMPT=0"}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			env = append(env, v)
		}
	}
	return env
}

// Commits lists the newest commits of a worktree's HEAD, at most 100.
func Commits(ctx context.Context, worktree string) ([]LogEntry, error) {
	repo, err := findRepository(worktree)
	if err != nil || repo == nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "evidence-log-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	m, err := newMirror(ctx, filepath.Join(work, "git"), repo)
	if err != nil {
		return nil, err
	}
	out, err := m.run(ctx, call{args: []string{"log", "-z", "--max-count=100", "--no-show-signature", "--format=%H %ct %s", "HEAD"}, may: []int{128}})
	if err != nil {
		return nil, err
	}
	var list []LogEntry
	for line := range strings.SplitSeq(string(out), "\x00") {
		var e LogEntry
		if _, err := fmt.Sscan(line, &e.Commit, &e.Time); err == nil {
			_, e.Subject, _ = strings.Cut(strings.TrimPrefix(line, e.Commit+" "), " ")
			list = append(list, e)
		}
	}
	return list, nil
}

// LogEntry is one commit.
type LogEntry struct {
	Commit  string
	Time    int64 // when it was made, in seconds since 1970
	Subject string
}
