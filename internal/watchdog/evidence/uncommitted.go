package evidence

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Uncommitted is what a commit of all work in a worktree takes up, and which new files it leaves.
type Uncommitted struct {
	Take  []string `json:"take"`
	Leave []Left   `json:"leave"`
}

func (u *Uncommitted) equal(other *Uncommitted) bool {
	return slices.Equal(u.Take, other.Take) && slices.Equal(u.Leave, other.Leave)
}

// Left is a new file that is not committed. It stays in the worktree, and in the evidence.
type Left struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Why a new file is left.
const (
	LeftIgnored = "an ignore file of the owner, or of the repository's settings, names it"
	LeftSecret  = "its name is one of files that hold secrets"
)

// LookUncommitted lists what Commit would take up now. Its errors are those of Commit.
func LookUncommitted(ctx context.Context, worktree string) (*Uncommitted, error) {
	c, done, err := beginCommit(ctx, worktree)
	if err != nil {
		return nil, err
	}
	defer done()
	return &c.uncommitted, nil
}

// choose divides the paths into those that a commit takes up and the new ones that it leaves.
func (c *committing) choose(ctx context.Context, edited, added []string) error {
	ignored, err := c.ignored(ctx, added)
	if err != nil {
		return err
	}
	take := edited
	for _, name := range added {
		switch {
		case ignored[name]:
			c.uncommitted.Leave = append(c.uncommitted.Leave, Left{name, LeftIgnored})
		case secret(name):
			c.uncommitted.Leave = append(c.uncommitted.Leave, Left{name, LeftSecret})
		default:
			take = append(take, name)
		}
	}
	slices.Sort(take)
	c.uncommitted.Take = take
	return nil
}

// ignored tells which new files the owner's own ignore file excludes, or the one that the repository's settings name. An
// ignore file holds patterns alone, and whoever wrote it can only keep a file from being committed.
func (c *committing) ignored(ctx context.Context, added []string) (map[string]bool, error) {
	if len(added) == 0 {
		return nil, nil
	}
	var patterns bytes.Buffer
	for _, name := range append([]string{ownIgnoreFile(ctx)}, c.ignoreFiles(ctx)...) {
		if data, err := readText(name); err == nil { // one that is not there, or is no file, ignores nothing
			patterns.Write(data)
			patterns.WriteByte('\n')
		}
	}
	file := filepath.Join(c.converting.dir, "excludes")
	if err := os.WriteFile(file, patterns.Bytes(), 0o600); err != nil {
		return nil, err
	}
	out, err := c.converting.run(ctx, call{
		stdin: []byte("./" + strings.Join(added, "\x00./") + "\x00"), may: []int{1}, // none is ignored
		env:  []string{"GIT_LITERAL_PATHSPECS=0"}, // which check-ignore does not know; ./ keeps a name from being more
		args: []string{"-c", "core.excludesFile=" + file, "check-ignore", "--no-index", "-z", "--stdin"},
	})
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		all[strings.TrimPrefix(name, "./")] = true
	}
	return all, nil
}

// ignoreFiles are those that the repository's own settings name.
func (c *committing) ignoreFiles(ctx context.Context) []string {
	var all []string
	for _, name := range []string{filepath.Join(c.repo.common, "config"), filepath.Join(c.repo.dir, "config.worktree")} {
		data, err := readText(name)
		if err != nil {
			continue
		}
		out, err := c.converting.run(ctx, call{
			stdin: data, may: []int{1}, args: []string{"config", "--no-includes", "--file", "-", "--type=path", "--get-all", "-z", "core.excludesFile"},
		})
		if err != nil {
			continue
		}
		for file := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if filepath.IsAbs(file) {
				all = append(all, file)
			}
		}
	}
	return all
}

// ownIgnoreFile is the ignore file of whoever runs this program.
func ownIgnoreFile(ctx context.Context) string {
	cmd := exec.CommandContext(ctx, "git", "config", "--global", "--type=path", "--get", "core.excludesFile")
	cmd.Dir = "/"
	if out, err := cmd.Output(); err == nil {
		return strings.TrimSuffix(string(out), "\n")
	}
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git/ignore")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".config/git/ignore")
}

// secretNames are patterns of the names of files that hold secrets, whole files of them.
var secretNames = []string{
	".env", ".env.*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ovpn", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*",
	".netrc", "_netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials", "credentials", "credentials.json", "secrets.*", "*.secret", "service-account*.json",
}

// secret reports whether a file's name is one of those. Examples and templates are for everybody.
func secret(name string) bool {
	base := strings.ToLower(path.Base(name))
	for _, example := range []string{".example", ".sample", ".template", ".dist", ".pub"} {
		if strings.HasSuffix(base, example) {
			return false
		}
	}
	return slices.ContainsFunc(secretNames, func(pattern string) bool {
		ok, _ := path.Match(pattern, base)
		return ok
	})
}
