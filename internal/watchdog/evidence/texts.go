package evidence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// texts writes what a repository's own files say: other worktrees, configuration.
func texts(dir string, src *repository) error {
	if err := writeText(dir, WorktreesFile, otherWorktrees(src)); err != nil {
		return err
	}
	return writeText(dir, ConfigFile, configured(src))
}

// forPeople writes what git says to people: status, log, patches. A restore needs none of them; one that fails is listed.
func (c *capture) forPeople(ctx context.Context, dir string, st *state) {
	steps := []struct {
		name string
		do   func(context.Context) error
	}{
		{StatusFile, func(ctx context.Context) error { return c.status(ctx, dir, st) }},
		{LogFile, func(ctx context.Context) error { return c.log(ctx, dir) }},
		{WorktreeFile, func(ctx context.Context) error { return c.patches(ctx, dir, st) }},
		{StashDir, func(ctx context.Context) error { return c.stashes(ctx, dir) }},
	}
	for _, s := range steps {
		if err := s.do(ctx); err != nil {
			c.miss(Skipped{s.name, Masked(err.Error())})
		}
	}
}

func (c *capture) status(ctx context.Context, dir string, st *state) error {
	for _, s := range st.listing.skipped {
		if strings.HasPrefix(path.Base(s.Path), ".git") {
			return fmt.Errorf("%w: git would read %q", ErrRepository, s.Path)
		}
	}
	index, err := c.fullIndex(ctx)
	if err != nil {
		return err
	}
	status := call{
		index: index, dir: st.at, env: []string{"GIT_WORK_TREE=" + st.at},
		args: []string{"status", "--porcelain=v2", "--branch", "--untracked-files=all", "--ignored=no", "--ignore-submodules=all", "--no-renames"},
	}
	return c.write(ctx, status, filepath.Join(dir, StatusFile))
}

func (c *capture) log(ctx context.Context, dir string) error {
	if c.record.Head == "" {
		return nil
	}
	log := call{args: []string{"log", "--max-count=100", "--no-color", "--no-show-signature", "--date=iso-strict", "--format=%H %ad %an%d%n    %s", c.record.Head, "--"}}
	return c.write(ctx, log, filepath.Join(dir, LogFile))
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
		head, _ := readText(filepath.Join(gitdir, "HEAD"))
		fmt.Fprintf(&b, "worktree %s\nHEAD %s\n", strconv.QuoteToGraphic(place), strconv.QuoteToGraphic(strings.TrimSpace(string(head))))
		if reason, err := readText(filepath.Join(gitdir, "locked")); err == nil {
			fmt.Fprintf(&b, "locked %s\n", strconv.QuoteToGraphic(strings.TrimSpace(string(reason))))
		}
		b.WriteByte('\n')
	}
	describe(src.common, filepath.Dir(src.common))
	entries, _ := os.ReadDir(filepath.Join(src.common, "worktrees"))
	for _, e := range entries {
		gitdir := filepath.Join(src.common, "worktrees", e.Name())
		place, _ := readText(filepath.Join(gitdir, "gitdir"))
		describe(gitdir, filepath.Dir(strings.TrimSpace(string(place))))
	}
	return b.String()
}

// configured shows the configuration and the hooks without running any.
func configured(src *repository) string {
	var b strings.Builder
	for _, name := range []string{filepath.Join(src.common, "config"), filepath.Join(src.dir, "config.worktree")} {
		data, err := readText(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		fmt.Fprintf(&b, "## %s\n", name)
		if err != nil {
			fmt.Fprintf(&b, "unreadable: %v\n", err)
			continue
		}
		b.WriteString(harmless(Masked(string(data))))
		b.WriteByte('\n')
	}
	entries, _ := os.ReadDir(filepath.Join(src.common, "hooks"))
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".sample") {
			continue
		}
		data, err := readText(filepath.Join(src.common, "hooks", e.Name()))
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
