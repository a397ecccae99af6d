package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"
	"unicode/utf8"

	"fakepi.example/fakepi"
	"fakepi.example/internal/fakepi/ledger"
)

// notes is what a process writes into its ledger; without one, nothing.
type notes struct {
	log     *ledger.Log
	sent    int64            // bytes of stdin that came
	written map[string]int64 // bytes, by stream
	last    fakepi.Truth
	failed  bool
}

func newNotes(log *ledger.Log) notes { return notes{log: log, written: map[string]int64{}} }

// note writes a record. That it could not is told once; the process goes on.
func (n *notes) note(e ledger.Event) {
	if n.log == nil || n.failed {
		return
	}
	if err := n.log.Append(e); err != nil {
		n.failed = true
		fmt.Fprintln(os.Stderr, err)
	}
}

func (n *notes) stdin(line []byte, open bool) {
	if n.log == nil {
		return
	}
	if !open {
		n.note(&ledger.StdinEOF{})
		return
	}
	e := &ledger.Stdin{Offset: n.sent}
	n.sent += int64(len(line))
	if line = bytes.TrimSuffix(line, []byte("\n")); utf8.Valid(line) {
		e.Line = string(line)
	} else {
		e.Bytes = line
	}
	n.note(e)
}

func (n *notes) delta(o *fakepi.Output) {
	if n.log == nil {
		return
	}
	n.note(&ledger.Delta{Stream: o.Stream, Offset: n.written[o.Stream], Length: len(o.Data), Progress: o.Progress})
	n.written[o.Stream] += int64(len(o.Data))
}

func (n *notes) session(path string, line []byte) {
	if n.log == nil {
		return
	}
	var entry struct{ Type, ID string }
	_ = json.Unmarshal(line, &entry) // a script may write what is no entry
	n.note(&ledger.SessionWrite{Path: path, Length: len(line), Type: entry.Type, ID: entry.ID})
}

// truth notes the worker's true state where it has changed.
func (n *notes) truth(w *fakepi.Worker, at time.Duration) {
	if n.log == nil {
		return
	}
	t := w.Truth(at)
	if t.Phase == n.last.Phase && t.Stuck == n.last.Stuck && t.Dialog == n.last.Dialog && slices.Equal(t.Calls, n.last.Calls) {
		return
	}
	settled := t.Phase != n.last.Phase && (t.Phase == fakepi.Settled || t.Phase == fakepi.SettledUnproven)
	n.last = t
	n.note(&ledger.Truth{
		Phase: string(t.Phase), Since: t.Since, LastProgress: t.LastProgress, At: at, Stuck: t.Stuck, Calls: t.Calls, Dialog: t.Dialog,
	})
	if settled {
		n.note(&ledger.Settled{Proven: t.Proven})
	}
}
