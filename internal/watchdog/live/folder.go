package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"fakepi.example/watchdog"
)

// ErrFolder is wrapped by the error about a folder that is none of a worker.
var ErrFolder = errors.New("no folder of a watched worker")

// Folder is where all about one worker is kept, for its owner only (WDC-SAFE-004):
//
//	worker.json     what was started (Spec)
//	spool.jsonl     what was observed, one watchdog.Observation a line
//	journal.db      what the watchdog remembers
//	status.json     its last verdict (Status)
//	notices.jsonl   what was told, one Notice a line
//	delivered.jsonl which of them have reached their channels
//	evidence/       snapshots
//	holder.log      what the holder complains of
type Folder string

// Spec says what a worker was started as.
type Spec struct {
	ID         string        `json:"id"`
	Generation int           `json:"generation"`
	Command    []string      `json:"command"`
	Dir        string        `json:"dir"`
	Mode       watchdog.Mode `json:"mode"`
	Task       string        `json:"task,omitempty"`
	Model      string        `json:"model,omitempty"`
	Autonomous bool          `json:"autonomous"`
}

// Paths in the folder.
func (f Folder) Spool() string     { return f.path("spool.jsonl") }
func (f Folder) HolderLog() string { return f.path("holder.log") }
func (f Folder) Evidence() string  { return f.path("evidence") }
func (f Folder) notices() string   { return f.path("notices.jsonl") }
func (f Folder) journal() string   { return f.path("journal.db") }
func (f Folder) lock() string      { return f.path("watch.lock") }

func (f Folder) path(name string) string { return filepath.Join(string(f), name) }

// Create makes the folder of a new worker in root. The id is given, or made of the name of the worker's directory.
func Create(root string, s Spec) (Folder, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return "", err
	}
	id := s.ID
	for n := 1; ; n++ {
		if s.ID == "" {
			id = fmt.Sprintf("%s-%d", filepath.Base(s.Dir), n)
		}
		err := os.Mkdir(filepath.Join(root, id), 0o700)
		switch {
		case errors.Is(err, fs.ErrExist) && s.ID == "":
			continue
		case errors.Is(err, fs.ErrExist):
			return "", fmt.Errorf("there is a worker %s already, in %s; name another --id, or see piwatch status", id, filepath.Join(root, id))
		case err != nil:
			return "", err
		}
		break
	}
	s.ID = id
	f := Folder(filepath.Join(root, id))
	return f, f.writeJSON("worker.json", s)
}

// ReadSpec reads what the worker was started as.
func (f Folder) ReadSpec() (Spec, error) {
	var s Spec
	found, err := f.readJSON("worker.json", &s)
	if err == nil && !found {
		err = fmt.Errorf("%w: %s has no worker.json", ErrFolder, f)
	}
	return s, err
}

// Folders lists the folders of workers in root, by name. A root that is not there has none.
func Folders(root string) ([]Folder, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []Folder
	for _, e := range entries {
		if e.IsDir() {
			all = append(all, Folder(filepath.Join(root, e.Name())))
		}
	}
	slices.Sort(all)
	return all, err
}

func (f Folder) writeJSON(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return renameio.WriteFile(f.path(name), append(text, '\n'), 0o600)
}

// readJSON reads a file of the folder; found is false if it is not there.
func (f Folder) readJSON(name string, v any) (found bool, err error) {
	text, err := os.ReadFile(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return true, fmt.Errorf("%s: %w", f.path(name), err)
	}
	return true, nil
}
