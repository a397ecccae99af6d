package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
	"fakepi.example/scenarios"
)

// stdin is the argument that names standard input.
const stdin = "-"

// source is a file that was read.
type source struct {
	name string
	data []byte
}

func readSource(name string, in io.Reader) (source, error) {
	if name == stdin {
		data, err := io.ReadAll(in)
		return source{"stdin", data}, err
	}
	data, err := readFile(name)
	return source{name, data}, err
}

var (
	errNoFile = errors.New("a script must be a file, or a pipe that something writes to")
	errNoData = errors.New("nothing came out of this pipe; what writes to it must be there before")
)

// readFile reads a file or, to its end, a pipe, as a shell's <(...) is one. One to which nothing writes is not waited for.
// The error may be errNoFile or errNoData.
func readFile(name string) ([]byte, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // without the flag a pipe waits for a writer
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	pipe := info.Mode()&fs.ModeNamedPipe != 0
	if !pipe && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", name, errNoFile)
	}
	data, err := io.ReadAll(file)
	if err == nil && pipe && len(data) == 0 {
		err = fmt.Errorf("%s: %w", name, errNoData)
	}
	return data, err
}

// vet returns the problems of a script or scenario.
func (s source) vet() script.Errors {
	if scenarios.Is(s.data) {
		_, err := scenarios.Parse(s.name, s.data)
		return problems(err)
	}
	parsed, errs := s.script()
	if len(errs) > 0 {
		return errs
	}
	_, err := fakepi.New(fakepi.Config{Steps: parsed.For(script.DefaultActor), Files: parsed.Files, Exec: true})
	return problems(err)
}

// script parses, resolves and vets a plain script.
func (s source) script() (*script.Script, script.Errors) {
	parsed, err := script.Parse(s.name, s.data)
	if err != nil {
		return nil, problems(err)
	}
	if err := parsed.Resolve(nil); err != nil {
		return nil, problems(err)
	}
	return parsed, parsed.Vet()
}

// format returns the canonical form of a script or scenario.
func (s source) format() ([]byte, error) {
	if scenarios.Is(s.data) {
		return scenarios.Format(s.name, s.data)
	}
	return script.Format(s.name, s.data)
}

// problems takes the list out of an error of a parser or of a worker.
func problems(err error) script.Errors {
	var errs script.Errors
	var one *script.Error
	if !errors.As(err, &errs) && errors.As(err, &one) {
		errs = script.Errors{one}
	}
	return errs
}

// report prints the first problems, a line each, and how many more there are.
func report(w io.Writer, errs script.Errors) error {
	if len(errs) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(w, errs)
	return err
}

// scriptPath is the script that a process in the place of pi plays; empty: none.
func scriptPath(option string) string {
	if option != "" {
		return option
	}
	return os.Getenv("FAKEPI_SCRIPT")
}

// readScript reads the script to play; without a name the empty one.
func readScript(option string) (*script.Script, error) {
	name := scriptPath(option)
	if name == "" {
		return &script.Script{}, nil
	}
	data, err := readFile(name)
	if err != nil {
		return nil, err
	}
	if scenarios.Is(data) {
		return nil, fmt.Errorf("%s: %w", name, errScenario)
	}
	s, errs := source{name, data}.script()
	if len(errs) > 0 {
		return nil, errs[0]
	}
	return s, nil
}
