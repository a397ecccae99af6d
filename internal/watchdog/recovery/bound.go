package recovery

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Bound is what an approval is for beside the files of the worktree: what the successor is told and begins with, and what could
// make git or Pi do something else.
type Bound struct {
	Brief    string `json:"brief_sha256"`
	Session  string `json:"session_sha256,omitempty"` // of its first Size bytes: a worker that is stopped may still write
	Size     int64  `json:"session_size,omitempty"`
	Settings string `json:"settings_sha256,omitempty"` // of git's settings, hooks and attributes, and of the folder .pi
}

// bind reads what a plan is bound to. The worktree may be gone.
func bind(brief, session, worktree string) (Bound, error) {
	b := Bound{Brief: sum([]byte(brief))}
	if session != "" {
		data, _, err := readRegular(session)
		if err != nil {
			return b, fmt.Errorf("%w: %w", ErrSession, err)
		}
		b.Session, b.Size = sum(data), int64(len(data))
	}
	var err error
	b.Settings, err = settings(worktree)
	return b, err
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// checkBrief refuses a brief that was changed after the plan was made.
func (b *Bound) checkBrief(folder string) error {
	file := filepath.Join(folder, BriefFile)
	data, _, err := readRegular(file)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	if sum(data) != b.Brief {
		return fmt.Errorf("%w: %s was changed after the plan was made; plan again", ErrChanged, file)
	}
	return nil
}

// checkSession refuses a session whose part that the plan knows is another now.
func (b *Bound) checkSession(file string) error {
	if b.Session == "" {
		return nil
	}
	data, _, err := readRegular(file)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	if int64(len(data)) < b.Size || sum(data[:b.Size]) != b.Session {
		return fmt.Errorf("%w: %s was rewritten after the plan was made; plan again", ErrChanged, file)
	}
	return nil
}

// checkSettings refuses where git or Pi could now do something else in the worktree.
func (b *Bound) checkSettings(worktree string) error {
	now, err := settings(worktree)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrChanged, err)
	}
	if now != b.Settings {
		return fmt.Errorf("%w: git's settings or hooks, or the folder .pi, of %s were changed after the plan was made; look, and plan again", ErrChanged, worktree)
	}
	return nil
}

// maxSettings bounds the files that are read; a folder with more of them is named instead of read.
const maxSettings = 4096

// settings is the digest of what could make git or Pi do something else: empty where there is no worktree.
func settings(worktree string) (string, error) {
	if _, err := os.Stat(worktree); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	hash := sha256.New()
	seen := 0
	add := func(path string) error {
		return filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			if seen++; seen > maxSettings {
				return fmt.Errorf("%s holds more than %d files", path, maxSettings)
			}
			info, err := os.Stat(name)
			if err != nil || d.IsDir() || !info.Mode().IsRegular() { // a link that leads nowhere, a pipe
				fmt.Fprintf(hash, "%q %s\n", name, d.Type())
				return nil
			}
			data, _, err := readRegular(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(hash, "%q %s %x\n", name, info.Mode(), sha256.Sum256(data))
			return nil
		})
	}
	paths := []string{filepath.Join(worktree, ".pi")}
	if own, common := gitFolders(worktree); own != "" {
		paths = append(paths, filepath.Join(own, "config.worktree"), filepath.Join(common, "config"), filepath.Join(common, "hooks"),
			filepath.Join(common, "info/attributes"), filepath.Join(common, "info/exclude"))
	}
	for _, path := range paths {
		if err := add(path); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// gitFolders are the worktree's own folder of git's and the one that it shares with others; empty where there is none.
func gitFolders(worktree string) (own, common string) {
	own = filepath.Join(worktree, ".git")
	info, err := os.Stat(own)
	if err != nil {
		return "", ""
	}
	if info.IsDir() {
		return own, own
	}
	data, _, err := readRegular(own)
	target, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if err != nil || !ok {
		return "", ""
	}
	own = target
	if !filepath.IsAbs(own) {
		own = filepath.Join(worktree, own)
	}
	common = own
	if data, _, err := readRegular(filepath.Join(own, "commondir")); err == nil {
		if common = strings.TrimSpace(string(data)); !filepath.IsAbs(common) {
			common = filepath.Join(own, common)
		}
	}
	return own, common
}
