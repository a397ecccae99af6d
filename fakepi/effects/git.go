package effects

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// commit records all that changed.
func (t *Tree) commit(message string) error {
	if _, err := t.git("add", "-A"); err != nil {
		return err
	}
	_, err := t.git("commit", "--quiet", "--no-gpg-sign", "-m", message)
	return err
}

// push publishes the current branch.
func (t *Tree) push(remote string) error {
	url, err := t.git("remote", "get-url", "--push", "--", remote)
	if err != nil {
		return err
	}
	url = strings.TrimSuffix(url, "\n")
	folder := url
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(t.root.Name(), folder)
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() || strings.Contains(url, "::") {
		return fmt.Errorf("%s: %w: %s", remote, ErrRemote, url)
	}
	_, err = t.git("push", "--quiet", "--", remote, "HEAD")
	return err
}

// author signs commits where the environment names nobody.
var author = []string{
	"GIT_AUTHOR_NAME=fakepi", "GIT_AUTHOR_EMAIL=fakepi@localhost",
	"GIT_COMMITTER_NAME=fakepi", "GIT_COMMITTER_EMAIL=fakepi@localhost",
}

// git runs a command of git, with no hook of the repository, no question and no protocol but files. The error is a
// [*Failure] with what git says.
func (t *Tree) git(args ...string) (string, error) {
	fixed := []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false"}
	cmd := exec.Command("git", append(fixed, args...)...)
	cmd.Dir = t.root.Name()
	cmd.Env = slices.Concat(author, os.Environ()) // of a name that is given twice the last value counts
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=file")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", &Failure{Text: strings.TrimSpace(string(out) + string(exit.Stderr)), Err: err}
	}
	return string(out), err
}
