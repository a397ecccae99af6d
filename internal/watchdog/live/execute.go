package live

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/watchdog"
)

// Notice is something that a person is told.
type Notice struct {
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
	case watchdog.CmdSnapshot:
		return w.answer(w.snapshot(ctx, c))
	case watchdog.CmdHeartbeat:
		return w.answer(outcome(c, nil))
	}
	return w.answer(watchdog.Outcome{Key: c.Key, Result: watchdog.ResultRefused, Reason: "piwatch run observes only"})
}

func outcome(c *watchdog.Command, err error) watchdog.Outcome {
	if err != nil {
		return watchdog.Outcome{Key: c.Key, Result: watchdog.ResultFailed, Reason: err.Error()}
	}
	return watchdog.Outcome{Key: c.Key, Result: watchdog.ResultDone}
}

// tell writes a notice down before it is shown: a crash between the two shows it never, which the journal knows to be
// unknown.
func (w *watch) tell(c *watchdog.Command) error {
	n := Notice{At: time.Now().UTC(), Worker: c.Worker, Kind: c.Kind, Cause: c.Cause, Text: c.Text}
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

// snapshot saves the worktree as evidence, in a folder named by the command's key.
func (w *watch) snapshot(ctx context.Context, c *watchdog.Command) watchdog.Outcome {
	out := filepath.Join(w.Folder.Evidence(), fmt.Sprintf("%s-%d", time.Now().UTC().Format("20060102T150405Z"), w.status.Told))
	ctx, cancel := context.WithTimeout(ctx, snapshotTime)
	defer cancel()
	if err := os.MkdirAll(w.Folder.Evidence(), 0o700); err != nil {
		return outcome(c, err)
	}
	record, err := evidence.Take(ctx, evidence.Options{Worktree: w.spec.Dir, Out: out, Session: w.spawned.Session, PID: alive(w.spawned.PID)})
	o := outcome(c, err)
	if err == nil {
		o.Digest = record.Digest
	}
	return o
}
