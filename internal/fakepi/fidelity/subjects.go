package fidelity

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/benbjohnson/clock"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/fidelity/realpi"
	"fakepi.example/internal/fakepi/model"
)

// Subject is what is run: the real Pi, or fakepi.
type Subject interface {
	// Command is the n-th Pi of a case, from 1, ready to be started in a place. It may wait until others have begun.
	Command(c Case, n int, at Place, args []string) (Command, error)
}

// Command is a Pi that can be started, and what its starter calls for it.
type Command struct {
	*exec.Cmd
	Begun  func() // when it has printed something, or has exited
	Exited func() // when it has exited, or could not be started
}

// Version is the real Pi that speaks a dialect.
func Version(d native.Dialect) string {
	if d == native.Pi073 {
		return realpi.V073
	}
	return realpi.V16
}

// Real is the real Pi, with a model that plays the worker's half. It is for one case.
type Real struct {
	Pi     realpi.Pi
	Gate   string        // path of the extension that asks before bash runs
	Starts chan struct{} // as in [Subjects]

	model    *model.Server // of the Pi that was started last
	log      logWriter
	requests map[int][]Record // that the model got, by Pi
}

// Requests are those that the model got while the n-th Pi ran, from 1.
func (r *Real) Requests(n int) []Record { return r.requests[n] }

func (r *Real) Command(c Case, n int, at Place, args []string) (Command, error) {
	if err := r.compile(c, n); err != nil {
		return Command{}, err
	}
	url, stop, err := serve(r.model)
	if err != nil {
		return Command{}, err
	}
	before := len(r.log.requests())
	exited := func() {
		stop()
		r.requests[n] = r.log.requests()[before:]
	}
	if err := writeConfig(c, at, url, n == 1); err != nil {
		exited()
		return Command{}, err
	}
	if c.Script.Gate {
		args = append([]string{"--extension", r.Gate}, args...)
	}
	cmd := r.Pi.Command(args...)
	cmd.Env = append(realpi.Env(at.Home), r.Pi.CompileCache())
	r.Starts <- struct{}{}
	return Command{Cmd: cmd, Begun: func() { <-r.Starts }, Exited: exited}, nil
}

// compile makes the model: one for all Pis of the case, or where two of them ask at once one for each.
func (r *Real) compile(c Case, n int) error {
	steps := c.Script.Worker.For(script.DefaultActor)
	switch {
	case c.Script.beside():
		steps = c.section(n)
	case r.model != nil:
		return nil
	}
	replies, err := model.Compile(steps, c.Script.Worker.Files)
	if err != nil {
		return err
	}
	r.model = model.NewServer(replies, clock.New(), &r.log)
	if r.requests == nil {
		r.requests = map[int][]Record{}
	}
	return nil
}

// serve serves a model at an address of its own, until stop is called.
func serve(m *model.Server) (url string, stop func(), err error) {
	l, err := model.Listen("127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = m.Serve(ctx, l) // it ends with ctx
	}()
	return "http://" + l.Addr().String(), func() { cancel(); <-served }, nil
}

// logWriter keeps the log of a model. The server writes whole lines.
type logWriter struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (w *logWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(b)
}

// requests are the bodies of the requests.
func (w *logWriter) requests() []Record {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []Record
	for line := range bytes.Lines(w.buf.Bytes()) {
		var record model.Record
		if err := json.Unmarshal(line, &record); err == nil && record.Event == "request" {
			r := NewRecord(record.Body)
			r.Kind = "request"
			out = append(out, r)
		}
	}
	return out
}

// Fake is fakepi in the place of pi.
type Fake struct {
	Program string // path of the installed fakepi
}

func (f Fake) Command(c Case, n int, at Place, args []string) (Command, error) {
	name := filepath.Join(at.Home, "script.txtar")
	if n == 1 {
		if err := writeConfig(c, at, "http://127.0.0.1:9", true); err != nil {
			return Command{}, err
		}
		source := c.Script.Source
		if c.Script.Recorded != nil { // results of tools name its folder
			source = bytes.ReplaceAll(source, []byte(recordedWork), []byte(at.Work))
		}
		if err := os.WriteFile(name, source, 0o644); err != nil {
			return Command{}, err
		}
	}
	if c.Script.AllowExec {
		args = append([]string{"--allow-exec"}, args...)
	}
	cmd := exec.Command(f.Program, args...)
	cmd.Env = append(realpi.Env(at.Home),
		"FAKEPI_SCRIPT="+name, "FAKEPI_DIALECT="+string(c.Dialect), "FAKEPI_LEDGER="+filepath.Join(at.Home, "ledger.jsonl"))
	return Command{Cmd: cmd, Begun: func() {}, Exited: func() {}}, nil
}
