package fidelity

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/benbjohnson/clock"

	"fakepi.example/fakepi/fidelity/realpi"
	"fakepi.example/fakepi/model"
	"fakepi.example/fakepi/native"
)

// Subject is what is run: the real Pi, or fakepi.
type Subject interface {
	// Command is the n-th Pi of a case, from 1, ready to be started in a place. release is called when it has exited.
	Command(c Case, n int, at Place, args []string) (cmd *exec.Cmd, release func(), err error)
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
	Pi   realpi.Pi
	Gate string // path of the extension that asks before bash runs

	mu       sync.Mutex
	requests [][]Record // that the model got, by Pi
}

// Requests are those that the model got from the n-th Pi, from 1.
func (r *Real) Requests(n int) []Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > len(r.requests) {
		return nil
	}
	return r.requests[n-1]
}

func (r *Real) Command(c Case, n int, at Place, args []string) (*exec.Cmd, func(), error) {
	replies, err := model.Compile(c.section(n), c.Script.Worker.Files)
	if err != nil {
		return nil, nil, err
	}
	l, err := model.Listen("127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	var log logWriter
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = model.NewServer(replies, clock.New(), &log).Serve(ctx, l) // it ends with ctx
	}()
	release := func() {
		stop()
		<-served
		r.keep(n, log.requests())
	}
	if err := writeConfig(at, "http://"+l.Addr().String(), c.Script); err != nil {
		release()
		return nil, nil, err
	}
	if c.Script.Gate {
		args = append([]string{"--extension", r.Gate}, args...)
	}
	cmd := r.Pi.Command(args...)
	cmd.Env = realpi.Env(at.Home)
	return cmd, release, nil
}

func (r *Real) keep(n int, requests []Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.requests) < n {
		r.requests = append(r.requests, nil)
	}
	r.requests[n-1] = requests
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

func (f Fake) Command(c Case, n int, at Place, args []string) (*exec.Cmd, func(), error) {
	name := filepath.Join(at.Home, "script.txtar")
	if n == 1 {
		if err := writeConfig(at, "http://127.0.0.1:9", c.Script); err != nil {
			return nil, nil, err
		}
		if err := os.WriteFile(name, c.Script.Source, 0o644); err != nil {
			return nil, nil, err
		}
	}
	cmd := exec.Command(f.Program, args...)
	cmd.Env = append(realpi.Env(at.Home),
		"FAKEPI_SCRIPT="+name, "FAKEPI_DIALECT="+string(c.Dialect), "FAKEPI_LEDGER="+filepath.Join(at.Home, "ledger.jsonl"))
	return cmd, func() {}, nil
}

// writeConfig gives a Pi its settings and its models.
func writeConfig(at Place, url string, s *Script) error {
	settings, err := settingsOf(s)
	if err != nil {
		return err
	}
	models := fmt.Sprintf(modelsJSON, url)
	dir := realpi.AgentDir(at.Home)
	if err := os.WriteFile(filepath.Join(dir, "models.json"), []byte(models), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "settings.json"), settings, 0o644)
}

const modelsJSON = `{"providers":{"fake":{"baseUrl":"%s/v1","api":"openai-completions","apiKey":"none","models":[
{"id":"fake-1","name":"fake-1","reasoning":false,"input":["text"],"cost":{"input":3,"output":15,"cacheRead":0.3,"cacheWrite":3.75},"contextWindow":128000,"maxTokens":16384}]}}}`
