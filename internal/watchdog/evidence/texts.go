package evidence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// texts writes what git says to people: status, log, other worktrees, configuration.
func (c *capture) texts(ctx context.Context, dir string, src *repository) error {
	status := call{index: c.index, args: []string{
		"status", "--porcelain=v2", "--branch", "--untracked-files=all", "--ignored=no", "--ignore-submodules=all", "--no-renames",
	}}
	if err := c.write(ctx, status, filepath.Join(dir, StatusFile)); err != nil {
		return err
	}
	if c.record.Head != "" {
		log := call{args: []string{"log", "--max-count=100", "--no-color", "--no-show-signature", "--date=iso-strict", "--format=%H %ad %an%d%n    %s", c.record.Head, "--"}}
		if err := c.write(ctx, log, filepath.Join(dir, LogFile)); err != nil {
			return err
		}
	}
	if err := writeText(dir, WorktreesFile, otherWorktrees(src)); err != nil {
		return err
	}
	return writeText(dir, ConfigFile, configured(src))
}

func writeText(dir, name, text string) error {
	f, err := create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// otherWorktrees lists the worktrees of a repository from its own files: who else may have this branch.
func otherWorktrees(src *repository) string {
	var b strings.Builder
	describe := func(gitdir, place string) {
		head, _ := os.ReadFile(filepath.Join(gitdir, "HEAD"))
		fmt.Fprintf(&b, "worktree %s\nHEAD %s\n", strconv.QuoteToGraphic(place), strconv.QuoteToGraphic(strings.TrimSpace(string(head))))
		if reason, err := os.ReadFile(filepath.Join(gitdir, "locked")); err == nil {
			fmt.Fprintf(&b, "locked %s\n", strconv.QuoteToGraphic(strings.TrimSpace(string(reason))))
		}
		b.WriteByte('\n')
	}
	describe(src.common, filepath.Dir(src.common))
	entries, _ := os.ReadDir(filepath.Join(src.common, "worktrees"))
	for _, e := range entries {
		gitdir := filepath.Join(src.common, "worktrees", e.Name())
		place, _ := os.ReadFile(filepath.Join(gitdir, "gitdir"))
		describe(gitdir, filepath.Dir(strings.TrimSpace(string(place))))
	}
	return b.String()
}

// secret finds what a configuration may give away: a password in a URL, an authorization header, a token.
var secret = regexp.MustCompile(`(?i)(://[^/@\s:]*:)[^@\s]+@|((?:extraheader|password|token|secret)\s*=\s*).*`)

// configured shows the configuration and the hooks without running any.
func configured(src *repository) string {
	var b strings.Builder
	for _, name := range []string{filepath.Join(src.common, "config"), filepath.Join(src.dir, "config.worktree")} {
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		fmt.Fprintf(&b, "## %s\n", name)
		if err != nil {
			fmt.Fprintf(&b, "unreadable: %v\n", err)
			continue
		}
		b.WriteString(harmless(secret.ReplaceAllString(string(data), "${1}${2}***")))
		b.WriteByte('\n')
	}
	entries, _ := os.ReadDir(filepath.Join(src.common, "hooks"))
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".sample") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(src.common, "hooks", e.Name()))
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "## hook %s, %d bytes, SHA-256 %s\n", strconv.QuoteToGraphic(e.Name()), len(data), sumOf(data))
	}
	return b.String()
}

// harmless takes from a text what could drive a terminal (WDC-SAFE-002).
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, s)
}

// copyProgress copies the files of an unfinished merge or rebase, and the patterns of a sparse checkout.
func copyProgress(src *repository, dir string) error {
	for _, name := range []string{
		"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "ORIG_HEAD", "AUTO_MERGE",
		"BISECT_LOG", "BISECT_START", "BISECT_TERMS", "rebase-merge", "rebase-apply", "sequencer", "info/sparse-checkout",
	} {
		if err := copyIn(filepath.Join(src.dir, name), filepath.Join(dir, StateDir, name)); err != nil {
			return err
		}
	}
	return nil
}
