package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/watchdog"
)

// Notice is something that a person is told.
type Notice struct {
	Key    string               `json:"key"` // of the command: one key, one notice
	At     time.Time            `json:"at"`
	Worker string               `json:"worker"`
	Kind   watchdog.CommandKind `json:"kind"` // notify, escalate or propose
	Cause  watchdog.Cause       `json:"cause"`
	Text   string               `json:"text"`
}

// snapshotTime is how long a snapshot may take: a worktree that never rests must not keep the watchdog from looking.
const snapshotTime = 10 * time.Minute

// execute carries out one command and writes down what became of it.
func (w *watch) execute(ctx context.Context, c *watchdog.Command) error {
	switch c.Kind {
	case watchdog.CmdNotify, watchdog.CmdEscalate, watchdog.CmdPropose:
		return w.answer(outcome(c, w.tell(c)))
	case watchdog.CmdProbe:
		return w.answer(w.probe(c))
	case watchdog.CmdInspect:
		return w.answer(w.inspect(ctx, c))
	case watchdog.CmdHeartbeat:
		return w.answer(outcome(c, nil))
	}
	if c.Kind == watchdog.CmdSnapshot && !w.LookOnly {
		return w.answer(w.snapshot(ctx, c))
	}
	return w.answer(watchdog.Outcome{Key: c.Key, Result: watchdog.ResultRefused, Reason: "piwatch run observes only"})
}

func outcome(c *watchdog.Command, err error) watchdog.Outcome {
	if err != nil {
		return watchdog.Outcome{Key: c.Key, Result: watchdog.ResultFailed, Reason: err.Error()}
	}
	return watchdog.Outcome{Key: c.Key, Result: watchdog.ResultDone}
}

// tell writes a notice down, and shows it. A command that comes again behind a crash has the key of the first, and what
// that said stands: nobody is told twice (WDC-ALERT-002).
func (w *watch) tell(c *watchdog.Command) error {
	told, err := w.Folder.told(c.Key)
	if told || err != nil {
		return err
	}
	n := Notice{Key: c.Key, At: time.Now().UTC(), Worker: c.Worker, Kind: c.Kind, Cause: c.Cause, Text: c.Text}
	line, err := json.Marshal(n)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(w.Folder.notices(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // what was written is in the file
	if _, err := file.Write(append(line, '\n')); err != nil {
		return err
	}
	w.status.Told++
	w.Tell(n)
	return nil
}

// probe looks at the worker. It is not asked for its state: what it answered would be in the stream of whoever uses it.
func (w *watch) probe(c *watchdog.Command) watchdog.Probe {
	p := watchdog.Probe{Key: c.Key, What: c.What, Source: "proc", Generation: w.spec.Generation}
	if c.What != watchdog.WhatProcesses {
		p.Result, p.Text = watchdog.ProbeUnknown, "the worker belongs to whoever started it, and is not asked"
		return p
	}
	tree, err := processes(w.spawned)
	if err != nil {
		p.Result, p.Text = watchdog.ProbeFailed, err.Error()
		return p
	}
	p.Result, p.Processes = watchdog.ProbeOK, tree
	return p
}

// inspect takes a fresh look at a stream or at the worktree.
func (w *watch) inspect(ctx context.Context, c *watchdog.Command) watchdog.Inspect {
	i := watchdog.Inspect{Key: c.Key, What: c.What, Stream: c.Stream, Offset: -1}
	switch c.What {
	case watchdog.WhatStream:
		i.Offset = w.sizes[c.Stream]
	case watchdog.WhatWorld:
		if state, err := evidence.Inspect(ctx, w.spec.Dir); err == nil {
			i.World = state.Digest
		} else {
			w.Failed(fmt.Errorf("look at %s: %w", w.spec.Dir, err))
		}
	}
	return i
}

// told reports whether the notice of a key is on record.
func (f Folder) told(key string) (bool, error) {
	text, err := os.ReadFile(f.notices())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for line := range bytes.Lines(text) {
		var n Notice
		if json.Unmarshal(line, &n) == nil && n.Key == key { // a torn line was never shown
			return true, nil
		}
	}
	return false, nil
}

// snapshot saves the worktree as evidence, in a folder named by the command's key.
func (w *watch) snapshot(ctx context.Context, c *watchdog.Command) watchdog.Outcome {
	out := filepath.Join(w.Folder.Evidence(), url.PathEscape(strings.ReplaceAll(c.Key, "/", "-")))
	ctx, cancel := context.WithTimeout(ctx, snapshotTime)
	defer cancel()
	if err := os.MkdirAll(w.Folder.Evidence(), 0o700); err != nil {
		return outcome(c, err)
	}
	record, err := evidence.Take(ctx, evidence.Options{Worktree: w.spec.Dir, Out: out, Session: w.spawned.Session, PID: alive(w.spawned.PID)})
	if errors.Is(err, evidence.ErrExists) { // taken before a crash, by the command with this key
		record, err = evidence.Verify(ctx, out)
	}
	o := outcome(c, err)
	if err == nil {
		o.Digest = record.Digest
	}
	return o
}
