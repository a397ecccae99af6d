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

// commit records all that changed, as it is: no filter of the repository runs.
func (t *Tree) commit(message string) error {
	env, err := t.noFilters()
	if err != nil {
		return err
	}
	if _, err := t.git(env, "add", "-A"); err != nil {
		return err
	}
	_, err = t.git(env, "commit", "--quiet", "--no-gpg-sign", "-m", message)
	return err
}

// noFilters is an environment that turns off each filter that is configured.
func (t *Tree) noFilters() (env []string, err error) {
	names, err := t.git(nil, "config", "--null", "--name-only", "--get-regexp", `^filter\..*\.(clean|process|required)$`)
	var f *Failure
	if errors.As(err, &f) && f.Text == "" {
		return nil, nil // there is none
	}
	if err != nil {
		return nil, err
	}
	list := strings.Split(strings.TrimSuffix(names, "\x00"), "\x00")
	for n, name := range list {
		off := ""
		if strings.HasSuffix(name, ".required") {
			off = "false"
		}
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, name), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, off))
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(list))), nil
}

// push publishes the current branch.
func (t *Tree) push(remote string) error {
	url, err := t.git(nil, "remote", "get-url", "--push", "--", remote)
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
	_, err = t.git(nil, "push", "--quiet", "--receive-pack=git-receive-pack", "--", remote, "HEAD")
	return err
}

// author signs commits where the environment names nobody.
var author = []string{
	"GIT_AUTHOR_NAME=fakepi", "GIT_AUTHOR_EMAIL=fakepi@localhost",
	"GIT_COMMITTER_NAME=fakepi", "GIT_COMMITTER_EMAIL=fakepi@localhost",
}

// ofRepository are the variables that make another repository of the working directory's, as git sets them for its hooks
// (git rev-parse --local-env-vars).
var ofRepository = []string{
	"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_GRAFT_FILE",
	"GIT_SHALLOW_FILE", "GIT_NO_REPLACE_OBJECTS", "GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE",
}

// git runs a command of git in the working directory's own repository, with no hook of it, no question and no protocol but
// files. The error is a [*Failure] with what git says.
func (t *Tree) git(env []string, args ...string) (string, error) {
	fixed := []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false"}
	cmd := exec.Command("git", append(fixed, args...)...)
	cmd.Dir = t.root.Name()
	cmd.Env = slices.Concat(author, environment()) // of a name that is given twice the last value counts
	cmd.Env = append(append(cmd.Env, env...), "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=file")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", &Failure{Text: strings.TrimSpace(string(out) + string(exit.Stderr)), Err: err}
	}
	return string(out), err
}

// environment is that of the process, but for what names a repository.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(ofRepository, name)
	})
}
