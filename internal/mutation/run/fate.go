package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"fakepi.example/conformance"
)

// proof is what killed a mutant.
type proof string

// The proofs, in the order in which they are tried.
const (
	byJudge     proof = "an assertion of the judge"
	byCrash     proof = "a crash in a scenario"
	byTests     proof = "the engine's tests"
	byHistories proof = "recorded histories"
	byEnd       proof = "it did not answer"
)

// proofs lists them.
func proofs() []proof { return []proof{byJudge, byCrash, byTests, byHistories, byEnd} }

// fate is what became of a mutant.
type fate struct {
	ID          string `json:"id,omitempty"`
	By          proof  `json:"by,omitempty"`   // empty: it lives
	Case        string `json:"case,omitempty"` // in which it showed
	Requirement string `json:"requirement,omitempty"`
}

// kill notes what a scenario found.
func (f *fate) kill(k conformance.Kill) *fate {
	f.By, f.Case, f.Requirement = byJudge, k.Case, k.Requirement
	if k.Requirement == "" {
		f.By = byCrash
	}
	return f
}

// fates are those of mutants, by their ids. They may be kept in a file, a line each, from which an interrupted run goes on.
type fates struct {
	by   map[string]fate
	file *os.File
}

// openFates reads the fates in a file, which is made if there is none; an empty name keeps none. What lived in an earlier
// run is not known: it is played again.
func openFates(name string) (*fates, error) {
	f := &fates{by: map[string]fate{}}
	if name == "" {
		return f, nil
	}
	if err := f.read(name); err != nil {
		return nil, err
	}
	var err error
	f.file, err = os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return f, err
}

func (f *fates) read(name string) error {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		var old fate
		if err := json.Unmarshal(lines.Bytes(), &old); err != nil {
			return fmt.Errorf("%s:%d: %w; begin anew without the file", name, n, err)
		}
		if old.By != "" {
			f.by[old.ID] = old
		}
	}
	return lines.Err()
}

// add takes what became of one more mutant.
func (f *fates) add(found fate) error {
	f.by[found.ID] = found
	if f.file == nil {
		return nil
	}
	line, err := json.Marshal(found)
	if err == nil {
		_, err = f.file.Write(append(line, '\n'))
	}
	return err
}

func (f *fates) close() {
	if f.file != nil {
		f.file.Close()
	}
}
