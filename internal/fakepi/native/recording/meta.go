package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Meta is what meta.json says about a run.
type Meta struct {
	PiVersion string
	Scenario  string
	Mode      string // json, rpc or tui
	Argv      []string
	ExitCode  int    // if Exited and Signal is ""
	Signal    string // such as SIGKILL; "" if the process ended by itself
	Exited    bool   // an exit code or a signal is recorded
	// ExitAt is coarse: the eof events tell the end better. Both times count from the
	// start of the recording.
	ExitAt    time.Duration
	SpawnedAt time.Duration
	Epoch     time.Time // civil time at the start of the recording; 1970 if not recorded

	Killed   string          // the signal that the recorder sent, such as SIGTERM; "" if none
	Settings json.RawMessage // what stood in Pi's settings beside the model; null if nothing
	Model    json.RawMessage // the script that the model played

	Worktree map[string]string // its files when all was over, by their paths
}

// ReadMeta reads a meta.json. The error is a [*Error], or that of reading the file.
func ReadMeta(path string) (Meta, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Meta{}, err
	}
	var raw struct {
		PiVersion string   `json:"pi_version"`
		Scenario  string   `json:"scenario"`
		Mode      string   `json:"mode"`
		Argv      []string `json:"argv"`
		ExitCode  *int     `json:"exit_code"`
		Signal    *string  `json:"signal"`
		ExitMs    float64  `json:"exit_t_ms"`
		SpawnMs   float64  `json:"spawn_t_ms"`
		EpochMs   float64  `json:"t0_epoch_ms"`
		Kill      struct{ Signal string }
		Settings  json.RawMessage   `json:"settings_extra"`
		Model     json.RawMessage   `json:"fake_llm_script"`
		Worktree  map[string]string `json:"cwd_files_after"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return Meta{}, metaError(path, text, err)
	}
	m := Meta{
		PiVersion: raw.PiVersion,
		Scenario:  raw.Scenario,
		Mode:      raw.Mode,
		Argv:      raw.Argv,
		Exited:    raw.ExitCode != nil || raw.Signal != nil,
		ExitAt:    time.Duration(raw.ExitMs * float64(time.Millisecond)),
		SpawnedAt: time.Duration(raw.SpawnMs * float64(time.Millisecond)),
		Epoch:     time.UnixMicro(int64(raw.EpochMs * 1000)).UTC(),
		Killed:    raw.Kill.Signal,
		Settings:  raw.Settings,
		Model:     raw.Model,
		Worktree:  raw.Worktree,
	}
	if raw.ExitCode != nil {
		m.ExitCode = *raw.ExitCode
	}
	if raw.Signal != nil {
		m.Signal = *raw.Signal
	}
	return m, nil
}

func metaError(path string, text []byte, err error) *Error {
	offset := len(text)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = int(syntax.Offset)
	} else if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = int(wrong.Offset)
	}
	before := text[:min(offset, len(text))]
	return &Error{
		File:   path,
		Line:   bytes.Count(before, []byte{'\n'}) + 1,
		Column: max(1, len(before)-bytes.LastIndexByte(before, '\n')-1),
		Reason: err.Error(),
		Remedy: "mend the JSON, or remove the file to read the run without it",
	}
}

// Run is the folder of one recorded run.
type Run struct {
	Dir      string
	Meta     Meta
	Sessions []string // paths of the session files, also of those from before a resume
}

// Find returns the runs below root, at any depth, in the order of their paths: every
// folder with a meta.json and an events.rec.jsonl.
func Find(root string) ([]Run, error) {
	var runs []Run
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != MetaFile {
			return err
		}
		dir := filepath.Dir(path)
		if _, err := os.Stat(filepath.Join(dir, EventsFile)); err != nil {
			return nil
		}
		run, err := open(dir)
		runs = append(runs, run)
		return err
	})
	return runs, err
}

func open(dir string) (Run, error) {
	meta, err := ReadMeta(filepath.Join(dir, MetaFile))
	if err != nil {
		return Run{}, err
	}
	run := Run{Dir: dir, Meta: meta}
	for _, sub := range []string{"session", "session_before"} {
		files, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return run, err
		}
		for _, f := range files {
			if strings.HasSuffix(f.Name(), ".jsonl") {
				run.Sessions = append(run.Sessions, filepath.Join(dir, sub, f.Name()))
			}
		}
	}
	return run, nil
}

// Events reads the run's recording.
func (r Run) Events() ([]Event, error) { return ReadFile(filepath.Join(r.Dir, EventsFile)) }
