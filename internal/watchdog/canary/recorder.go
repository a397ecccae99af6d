// Package canary records an attended run of a worker: what its streams carried and when, what the watchdog made of it, and
// what the person who sat beside it thought.
//
// A recording is a folder. Each file is written line by line as things happen, so that a recorder that is killed leaves all
// that it was shown:
//
//	events.rec.jsonl   the lines of stdout, stdin and stderr, as package recording reads them
//	session.jsonl      the entries of the session file, of a worker whose session is all that it shows
//	terminal.cast      what a terminal worker drew, as asciicast v2
//	verdicts.jsonl     each changed verdict, and each command that was not carried out (Judged)
//	marks.jsonl        the person's marks (Mark)
//	meta.json          how it was started and how it ended (Meta)
//
// Contents are redacted (package redact) unless somebody asks for them.
package canary

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/watchdog/canary/redact"
	"fakepi.example/watchdog"
)

// The files of a recording.
const (
	EventsFile   = "events.rec.jsonl"
	SessionFile  = "session.jsonl"
	CastFile     = "terminal.cast"
	VerdictsFile = "verdicts.jsonl"
	MarksFile    = "marks.jsonl"
	MetaFile     = "meta.json"
)

// ErrExists is wrapped by the error about a folder that holds something already.
var ErrExists = errors.New("the folder is not empty")

// maxLine bounds a line that has no end yet. A longer one is recorded in pieces, each marked as torn.
const maxLine = 64 << 20

// Options say what is recorded.
type Options struct {
	Contents bool // keep texts, paths and names as they are
	Names    bool // keep the names of models, providers and tools
}

// Recorder writes one recording.
type Recorder struct {
	mu       sync.Mutex
	dir      string
	options  Options
	redactor redact.Redactor
	meta     Meta
	start    watchdog.Instant // of the worker; zero until it is known
	files    map[string]*os.File
	lines    map[watchdog.Stream]*bytes.Buffer // the beginnings of lines
	terminal *redact.Terminal
	torn     []byte // of a terminal: the beginning of a sign
}

// Create makes the folder of a recording, for its owner only. One that is there must be empty.
func Create(dir string, m Meta, o Options) (*Recorder, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = os.MkdirAll(dir, 0o700)
	case err == nil && len(entries) > 0:
		err = fmt.Errorf("%w: %s; name another with --out", ErrExists, dir)
	}
	if err != nil {
		return nil, err
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails; nobody keeps the key
	m.Format, m.Redacted, m.Names = Format, !o.Contents, o.Names || o.Contents
	if m.Redacted {
		m.Worker = "worker" // an id is made of the name of a folder
	}
	if !m.Names {
		m.Model = ""
	}
	r := &Recorder{
		dir: dir, options: o, meta: m, redactor: redact.Redactor{Key: key, Names: o.Names}, files: map[string]*os.File{},
		lines: map[watchdog.Stream]*bytes.Buffer{}, terminal: &redact.Terminal{},
	}
	for _, name := range []string{EventsFile, VerdictsFile, MarksFile} {
		if _, err := r.file(name); err != nil {
			return nil, errors.Join(err, r.close())
		}
	}
	return r, r.writeMeta()
}

// Dir is the folder.
func (r *Recorder) Dir() string { return r.dir }

// file opens a file of the recording for appending.
func (r *Recorder) file(name string) (*os.File, error) {
	if f := r.files[name]; f != nil {
		return f, nil
	}
	f, err := os.OpenFile(filepath.Join(r.dir, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		r.files[name] = f
	}
	return f, err
}

// append writes one line to a file: a write of its own, so that a recorder that is killed leaves whole lines.
func (r *Recorder) append(name string, v any) error {
	f, err := r.file(name)
	if err != nil {
		return err
	}
	line, err := encode(v)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return err
}

func encode(v any) ([]byte, error) {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return line.Bytes(), err
}

// Sync makes what was written survive the end of the host. A caller does so about once a second.
func (r *Recorder) Sync() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var failed error
	for _, f := range r.files {
		failed = errors.Join(failed, f.Sync())
	}
	return failed
}

// at is the time of an instant in the recording, in milliseconds.
func (r *Recorder) at(i watchdog.Instant) float64 {
	return float64((i.Mono - r.start.Mono).Microseconds()) / 1000
}

// Observed records what was observed of the worker.
func (r *Recorder) Observed(o watchdog.Observation) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.start.BootID == "" {
		r.start = o.At
		r.meta.Epoch, r.meta.Mono, r.meta.BootID = o.At.Wall, o.At.Mono, o.At.BootID
		r.meta.EpochMS = float64(o.At.Wall.UnixMicro()) / 1000
		if err := r.writeMeta(); err != nil {
			return err
		}
	}
	switch b := o.Body.(type) {
	case watchdog.Spawned:
		r.meta.Agent, r.meta.Version, r.meta.Source = b.Agent, b.Version, b.Source
		r.meta.SpawnedAt = r.at(o.At)
		return r.writeMeta()
	case watchdog.Bytes:
		return r.bytes(o.At, b)
	case watchdog.Closed:
		return errors.Join(r.rest(o.At, b.Stream), r.closed(o.At, b.Stream))
	case watchdog.Gap:
		r.meta.LeftOut = append(r.meta.LeftOut, fmt.Sprintf("%s: %d bytes at %.0f ms were lost", b.Stream, b.Missing, r.at(o.At)))
		r.lines[b.Stream] = nil
		return r.writeMeta()
	case watchdog.File:
		r.lines[b.Stream] = nil
		return nil
	case watchdog.Exited:
		for _, s := range []watchdog.Stream{watchdog.StreamOut, watchdog.StreamErr, watchdog.StreamIn, watchdog.StreamSession} {
			if err := r.rest(o.At, s); err != nil {
				return err
			}
		}
		r.meta.exited(b, r.at(o.At))
		return r.writeMeta()
	}
	return nil
}

// bytes records a piece of a stream: the lines that it completes.
func (r *Recorder) bytes(at watchdog.Instant, b watchdog.Bytes) error {
	if b.Stream == watchdog.StreamPTY {
		return r.draw(at, b.Data)
	}
	pending := r.lines[b.Stream]
	if pending == nil {
		pending = &bytes.Buffer{}
		r.lines[b.Stream] = pending
	}
	for data := b.Data; len(data) > 0; {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		pending.Write(line)
		data = rest
		if !whole && pending.Len() < maxLine {
			return nil
		}
		if err := r.line(at, b.Stream, pending.Bytes(), !whole); err != nil {
			return err
		}
		pending.Reset()
	}
	return nil
}

// rest records a last line that has no end.
func (r *Recorder) rest(at watchdog.Instant, s watchdog.Stream) error {
	pending := r.lines[s]
	if pending == nil || pending.Len() == 0 {
		return nil
	}
	defer pending.Reset()
	return r.line(at, s, pending.Bytes(), true)
}

func (r *Recorder) line(at watchdog.Instant, s watchdog.Stream, line []byte, torn bool) error {
	if !r.options.Contents {
		line = r.redactor.Line(line)
	}
	if s == watchdog.StreamSession {
		f, err := r.file(SessionFile)
		if err == nil && !torn {
			_, err = f.Write(append(bytes.Clone(line), '\n'))
		}
		return err
	}
	return r.event(at, s, line, torn)
}

// event writes a line of events.rec.jsonl. A byte that is no UTF-8 stands as the lone surrogate that package recording reads
// back.
func (r *Recorder) event(at watchdog.Instant, s watchdog.Stream, line []byte, torn bool) error {
	event := native.Object{
		{Key: "t_ms", Value: native.Number(r.at(at))}, {Key: "dir", Value: native.String(s)},
		{Key: "line", Value: native.String(surrogates(line))},
	}
	if torn { // it has no line feed
		event = append(event, native.Member{Key: "torn", Value: native.Bool(true)})
	}
	f, err := r.file(EventsFile)
	if err == nil {
		_, err = f.Write(append(native.AppendValue(nil, event), '\n'))
	}
	return err
}

func (r *Recorder) closed(at watchdog.Instant, s watchdog.Stream) error {
	if s == watchdog.StreamSession || s == watchdog.StreamPTY {
		return nil
	}
	return r.event(at, "eof", []byte(s), false)
}

// Close ends the recording: its files are complete and synced.
func (r *Recorder) Close() error {
	r.meta.Complete = true
	return errors.Join(r.Sync(), r.writeMeta(), r.close())
}

func (r *Recorder) close() error {
	var failed error
	for _, f := range r.files {
		failed = errors.Join(failed, f.Close())
	}
	return failed
}

func (r *Recorder) writeMeta() error {
	text, err := json.MarshalIndent(r.meta, "", "  ")
	if err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(r.dir, MetaFile), append(text, '\n'), 0o600)
}

// milliseconds are how times stand in a recording.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
