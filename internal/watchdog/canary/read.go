package canary

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"fakepi.example/internal/fakepi/native/recording"
)

// Recording is what a folder holds, as far as it can be read.
type Recording struct {
	Dir      string
	Meta     Meta
	Events   []recording.Event
	Verdicts []Judged
	Marks    []Mark
	Damage   []string // what could not be read, and was left out
}

// Read reads a recording, also one that is being written, was killed, or is damaged: what cannot be read is left out, and
// said in Damage. The error is about a folder that is none.
func Read(dir string) (*Recording, error) {
	r := &Recording{Dir: dir}
	for _, name := range []string{MetaFile, EventsFile, VerdictsFile, MarksFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%w: %s is no regular file", ErrForeign, filepath.Join(dir, name))
		}
	}
	var err error
	if r.Meta, err = ReadMeta(dir); err != nil {
		return nil, err
	}
	r.Events, err = recording.ReadFile(filepath.Join(dir, EventsFile))
	if err != nil {
		r.Damage = append(r.Damage, fmt.Sprintf("%v; what follows it is left out", err))
	}
	r.Verdicts = readLines[Judged](r, VerdictsFile)
	r.Marks = readLines[Mark](r, MarksFile)
	for i := 1; i < len(r.Events); i++ {
		if r.Events[i].At < r.Events[i-1].At {
			r.Damage = append(r.Damage, fmt.Sprintf("%s:%d: it came before the line above it; the lines are sorted by time", EventsFile, r.Events[i].N))
			break
		}
	}
	slices.SortStableFunc(r.Events, func(a, b recording.Event) int { return cmp.Compare(a.At, b.At) })
	return r, nil
}

// readLines reads a file of JSON lines. A line that cannot be read is left out, the last one without a word: it may be being
// written.
func readLines[T any](r *Recording, name string) []T {
	f, err := os.Open(filepath.Join(r.Dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		r.Damage = append(r.Damage, err.Error())
		return nil
	}
	defer func() { _ = f.Close() }() // it was read only
	var all []T
	in := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			r.Damage = append(r.Damage, fmt.Sprintf("%s:%d: %v", name, n, err))
			return all
		}
		var v T
		if err := json.Unmarshal(bytes.TrimSpace(line), &v); err != nil {
			r.Damage = append(r.Damage, fmt.Sprintf("%s:%d: %v; it is left out", name, n, err))
			continue
		}
		all = append(all, v)
	}
}

// Find lists the folders of recordings in root, the newest first.
func Find(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	type found struct {
		dir  string
		meta Meta
	}
	var all []found
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if m, err := ReadMeta(dir); err == nil {
			all = append(all, found{dir, m})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return b.meta.Epoch.Compare(a.meta.Epoch) })
	var dirs []string
	for _, f := range all {
		dirs = append(dirs, f.dir)
	}
	return dirs, nil
}
