package fakepi_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/grammar"
)

// inspector takes everything that a worker writes and checks what must always hold: the lines are the dialect's, their
// order is the grammar's, times never go back, nothing comes behind the exit.
type inspector struct {
	fatal   func(string, ...any)
	codec   native.Codec
	checker *grammar.Checker
	replay  *replay
	now     time.Duration
	leafs   map[string]bool
	closed  map[string]bool // the streams that ended
	exited  bool
}

func newInspector(lang tongue, fatal func(string, ...any)) *inspector {
	return &inspector{
		fatal: fatal, codec: lang.codec, checker: lang.grammar("rpc"), leafs: map[string]bool{"": true}, closed: map[string]bool{},
		replay: newReplay(lang),
	}
}

func (i *inspector) take(outs []fakepi.Output) {
	for n := range outs {
		o := &outs[n]
		if o.At < i.now {
			i.fatal("output at %s after one at %s", o.At, i.now)
		}
		i.now = o.At
		if i.exited && o.Data != nil {
			i.fatal("output behind the exit: %s", o.Data)
		}
		if i.closed[o.Stream] && o.Data != nil {
			i.fatal("output on %s behind its end: %s", o.Stream, o.Data)
		}
		i.exited = i.exited || o.Exit != nil
		if o.Closed {
			i.closed[o.Stream] = true
		}
		i.replay.feed(i, o)
		switch o.Stream {
		case fakepi.Out:
			i.line(o)
		case fakepi.Session:
			i.entry(o)
		}
	}
}

// Fatal makes an inspector fit for replay.
func (i *inspector) Fatal(args ...any) { i.fatal("%s", fmt.Sprint(args...)) }

func (i *inspector) line(o *fakepi.Output) {
	if o.Data == nil {
		return
	}
	if _, unknown, err := i.codec.Examine(o.Data); err != nil || len(unknown) > 0 {
		i.fatal("no line of the dialect (%v, %v): %s", err, unknown, o.Data)
	}
	var s native.Skimmed
	native.Skim(o.Data, &s)
	if err := i.checker.Observe(&s); err != nil {
		i.fatal("%v: %s", err, o.Data)
	}
}

// entry checks that the session file is one chain.
func (i *inspector) entry(o *fakepi.Output) {
	r, unknown, err := i.codec.Examine(o.Data)
	if err != nil || len(unknown) > 0 {
		i.fatal("no line of a session file (%v, %v): %s", err, unknown, o.Data)
	}
	var base native.EntryBase
	switch e := r.(type) {
	case *native.SessionHeader:
		return
	case *native.ModelChange:
		base = e.EntryBase
	case *native.ThinkingLevelChange:
		base = e.EntryBase
	case *native.MessageEntry:
		base = e.EntryBase
	case *native.ContextEdit:
		base = e.EntryBase
	case *native.CompactionEntry:
		base = e.EntryBase
	case *native.SessionInfo:
		base = e.EntryBase
	default:
		i.fatal("unexpected entry: %s", o.Data)
	}
	if !i.leafs[base.ParentID] || i.leafs[base.ID] {
		i.fatal("entry breaks the chain: %s", o.Data)
	}
	delete(i.leafs, base.ParentID)
	i.leafs[base.ID] = true
}

// Whatever is sent to a worker, and whenever, its output stays legal and its truth agrees with it.
func TestAnythingCanBeSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, lang := drawScript(t), drawTongue(t)
		w := newRapidWorker(t, src, lang.dialect)
		var log []string
		i := newInspector(lang, func(format string, args ...any) {
			t.Fatalf(format+"\n%s%v", append(args, src, log)...)
		})
		var now time.Duration
		for range rapid.IntRange(0, 6).Draw(t, "sends") {
			now += rapid.SampledFrom([]time.Duration{0, ms, 900 * ms, 3 * time.Second, 2 * time.Minute}).Draw(t, "after")
			i.take(play(w, now, nil))
			what := rapid.SampledFrom([]string{"abort", "steer", "prompt", "state", "junk", "yes", "cancel", "SIGTERM", "SIGINT", "SIGKILL", "eof"}).Draw(t, "what")
			log = append(log, fmt.Sprintf("%s %s", now, what))
			i.take(poke(w, i.replay, now, what))
			i.now = now
			checkTruth(t, w, i, src, log)
		}
		for n := 0; ; n++ {
			at, ok := w.Next()
			if !ok || at > horizon {
				break
			}
			i.take(w.Step(at, nil))
			i.now = at
			checkTruth(t, w, i, src, log)
		}
		if err := i.checker.End(false); err != nil {
			t.Fatalf("%v\n%s%v", err, src, log)
		}
	})
}

// poke sends one thing; the replay learns of the answers, which no record confirms.
func poke(w *fakepi.Worker, r *replay, now time.Duration, what string) []fakepi.Output {
	switch what {
	case "abort", "steer", "prompt":
		return w.Send(now, []byte(`{"id":1,"type":"`+what+`","message":"m"}`), nil)
	case "state":
		return w.Send(now, []byte(`{"type":"get_state"}`), nil)
	case "junk":
		return w.Send(now, []byte(`not json`), nil)
	case "yes", "cancel":
		line := w.Answer("yes", what == "cancel")
		if line != nil && !r.deaf {
			r.dialog = ""
		}
		return w.Send(now, line, nil)
	case "eof":
		r.deaf = true
		if r.cumulative {
			r.leaves(now)
		}
		return w.CloseStdin(now, nil)
	case "SIGTERM":
		if r.cumulative {
			r.leaves(now)
		}
	}
	return w.Signal(now, what, nil)
}

// leaves: on its way out a worker is what it was, with the dialog that is open, whose time may pass by then.
func (r *replay) leaves(now time.Duration) {
	if r.dialogUntil > now {
		r.dialogUntil = horizon
	}
}

func checkTruth(t *rapid.T, w *fakepi.Worker, i *inspector, src string, log []string) {
	got, want := w.Truth(i.now), i.replay.phase(i.now)
	if !i.replay.agrees(got.Phase, want) {
		t.Fatalf("at %s: got phase %s, want %s\n%s%v", i.now, got.Phase, want, src, log)
	}
}
