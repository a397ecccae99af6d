package fidelity

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fakepi.example/internal/fakepi/fidelity/realpi"
)

// Place is where a run takes place: a home folder and a worktree, of its own.
type Place struct{ Home, Work string }

// NewPlace makes both below a folder and puts the script's files into the worktree.
func NewPlace(dir string, s *Script) (Place, error) {
	p := Place{Home: filepath.Join(dir, "home"), Work: filepath.Join(dir, "work")}
	for _, d := range []string{realpi.AgentDir(p.Home), p.Work} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return p, err
		}
	}
	for name, data := range s.Work {
		file := filepath.Join(p.Work, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return p, err
		}
		text := strings.ReplaceAll(string(data), "$CWD", p.Work)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return p, err
		}
	}
	return p, p.takeSessions(s)
}

// takeSessions puts the sessions that a recorded run had before into the place, as if they had been made there.
func (at Place) takeSessions(s *Script) error {
	if s.Recorded == nil {
		return nil
	}
	return eachFile(filepath.Join(s.Recorded.Dir, recordedBefore), func(name string, data []byte) error {
		if err := os.MkdirAll(at.sessions(), 0o755); err != nil {
			return err
		}
		text := strings.ReplaceAll(string(data), recordedWork, at.Work)
		return os.WriteFile(filepath.Join(at.sessions(), name), []byte(text), 0o644)
	})
}

// sessions is the folder of the worktree's sessions.
func (at Place) sessions() string {
	return filepath.Join(realpi.AgentDir(at.Home), "sessions", "--"+dashed(at.Work)+"--")
}

// mark is the variable by which the processes of a run are known, in whatever group or session they are: the shell of a
// tool has its own (docs/pi-formats.md, section 8).
func (at Place) mark() string { return "FIDELITY_PLACE=" + at.Work }

// eachFile reads the files below a folder, which need not exist.
func eachFile(root string, f func(name string, data []byte) error) error {
	if _, err := os.Stat(root); err != nil {
		return nil
	}
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || name == ".git" {
			return filepath.SkipDir
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return f(filepath.ToSlash(name), data)
	})
}
