package fakepi_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// replay computes the phase table (docs/verdicts.md) from what a worker printed, and from that alone.
type replay struct {
	codec                   native.Codec
	cumulative              bool // the dialect of cumulative updates: nothing tells the end of the work, or that a retry follows
	running, ended, settled bool
	queued                  bool // messages wait
	replied                 bool // the run has a finished reply
	pledged                 bool
	due, token, pending     bool // pending: a toolUse message has closed and none of its calls started
	open                    map[string]bool
	deaf                    bool // stdin is closed: no answer is heard
	dialog                  string
	dialogUntil             time.Duration
	dialogCall              string
	lastCall                string
	backoff                 time.Duration
	compacting              bool
	prompted                bool
	trouble                 fakepi.Phase
	last                    *native.AssistantMessage
	exited                  *fakepi.Exit
}

func newReplay(lang tongue) *replay {
	return &replay{
		codec: lang.codec, cumulative: lang.dialect == native.Pi073, open: map[string]bool{}, dialogUntil: horizon,
	}
}

func (r *replay) feed(t interface{ Fatal(...any) }, o *fakepi.Output) {
	if o.Exit != nil {
		r.exited = o.Exit
		return
	}
	if o.Data == nil || o.Stream != fakepi.Out && o.Stream != fakepi.In {
		return
	}
	rec, err := r.codec.Decode(o.Data)
	if err != nil {
		t.Fatal(err, string(o.Data))
	}
	r.record(o.At, rec)
}

func (r *replay) record(at time.Duration, rec native.Record) {
	switch rec := rec.(type) {
	case *native.Command:
		r.prompted = r.prompted || rec.Name == native.CmdPrompt && !r.running
	case *native.Response:
		if r.starts(rec) {
			r.prompted, r.due = false, true
		}
	case *native.AgentStart:
		r.running, r.ended, r.settled, r.due, r.replied = true, false, false, true, false
	case *native.TurnStart:
		r.due, r.token, r.pending = true, false, false
	case *native.MessageUpdate:
		r.due, r.token, r.trouble = false, true, ""
	case *native.MessageEnd:
		r.messageEnd(rec.Message)
	case *native.ToolStart:
		r.open[rec.ToolCallID], r.pending, r.lastCall = true, false, rec.ToolCallID
	case *native.ToolUpdate:
		r.goesOn(rec.ToolCallID)
	case *native.ToolEnd:
		r.goesOn(rec.ToolCallID)
		delete(r.open, rec.ToolCallID)
		r.due = len(r.open) == 0
	case *native.UIRequest:
		r.request(at, rec)
	case *native.RetryStart:
		r.backoff, r.due, r.ended, r.trouble = at+time.Duration(rec.DelayMs)*time.Millisecond, true, false, ""
	case *native.RetryEnd:
		r.backoff, r.due, r.ended = 0, r.due && rec.Success, r.ended || r.cumulative && !rec.Success
	case *native.QueueUpdate:
		r.queued = len(rec.Steering)+len(rec.FollowUp) > 0
	case *native.CompactionStart:
		r.compacting = true
	case *native.CompactionEnd:
		r.compacting, r.pledged = false, rec.WillRetry
		r.due = r.cumulative && (rec.WillRetry || r.queued && rec.Reason != "manual")
	case *native.AgentEnd:
		r.running, r.ended, r.due, r.token, r.pledged = false, true, false, false, rec.WillRetry
	case *native.AgentSettled:
		r.settled, r.ended = !r.running, false
	}
}

// starts reports whether a response begins a run.
func (r *replay) starts(rec *native.Response) bool {
	if r.cumulative {
		return rec.Command.V == native.CmdPrompt && rec.Success && !r.running
	}
	d, ok := rec.Data.(*native.PromptData)
	return ok && d.Disposition == "started"
}

// agrees compares a phase with the one computed. Without a terminal event the end of a run may be that of all work,
// and a process that exits behind it has either died or just gone.
func (r *replay) agrees(got, want fakepi.Phase) bool {
	over := func(p fakepi.Phase) bool {
		return p == fakepi.Ending || p == fakepi.Settled || p == fakepi.SettledUnproven || r.exited != nil && p == fakepi.Dead
	}
	return got == want || r.cumulative && r.ended && !r.pledged && over(got) && over(want)
}

func (r *replay) messageEnd(m native.Message) {
	a, ok := m.(*native.AssistantMessage)
	if !ok {
		r.due = true
		return
	}
	r.last, r.due, r.token, r.pending, r.trouble = a, false, false, a.StopReason == "toolUse", ""
	r.replied = true
	if !a.ErrorMessage.Set {
		return
	}
	switch a.ErrorMessage.V[:3] {
	case "401":
		r.trouble = fakepi.AwaitingAuth
	case "402":
		r.trouble = fakepi.AwaitingQuota
	}
}

func (r *replay) request(at time.Duration, u *native.UIRequest) {
	if !native.ParseMethod(u.Method).Blocks() {
		return
	}
	r.dialog, r.dialogCall, r.dialogUntil = u.ID, r.lastCall, horizon
	if u.Timeout.Set {
		r.dialogUntil = at + time.Duration(u.Timeout.V)*time.Millisecond
	}
}

func (r *replay) goesOn(call string) {
	if call == r.dialogCall {
		r.dialog = ""
	}
}

func (r *replay) phase(now time.Duration) fakepi.Phase {
	if now >= r.dialogUntil {
		r.dialog = ""
	}
	met := r.alive(now)
	if r.exited == nil {
		return met
	}
	r.dialog = ""
	switch met = r.alive(now); {
	case met == fakepi.Settled || met == fakepi.SettledUnproven || met == fakepi.Idle || met == r.trouble:
		return met
	case r.exited.Code == 0:
		return fakepi.SettledUnproven
	}
	return fakepi.Dead
}

func (r *replay) alive(now time.Duration) fakepi.Phase {
	switch {
	case r.dialog != "":
		return fakepi.AwaitingUser
	case r.trouble != "":
		return r.trouble
	case r.compacting:
		return fakepi.Compacting
	case now < r.backoff:
		return fakepi.BackingOff
	case len(r.open) > 0:
		return fakepi.RunningTool
	case r.prompted:
		return fakepi.Starting
	case r.due:
		return fakepi.AwaitingFirstToken
	case r.token || r.pending:
		return fakepi.Streaming
	case r.ended && !r.pledged, r.cumulative && r.running && r.replied:
		return fakepi.Ending
	case r.settled && good(r.last):
		return fakepi.Settled
	case r.settled:
		return fakepi.SettledUnproven
	case r.running, r.ended:
		return fakepi.Working
	}
	return fakepi.Idle
}

func good(m *native.AssistantMessage) bool {
	if m == nil || m.StopReason != "stop" {
		return false
	}
	for _, b := range m.Content {
		if t, ok := b.(*native.TextBlock); ok && t.Text != "" {
			return true
		}
	}
	return false
}

// The truth is computed from the script, the replay from the bytes: they agree after every event and between events,
// and what is stuck prints no progress any more.
func TestTruthAgreesWithReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, lang := drawScript(t), drawTongue(t)
		w := newRapidWorker(t, src, lang.dialect)
		r := newReplay(lang)
		var now, stuck time.Duration
		stuck = -1
		for {
			at, ok := w.Next()
			if !ok || at > horizon {
				break
			}
			if mid := now + (at-now)/2; mid > now && mid < at {
				check(t, w, r, mid, src)
			}
			now = at
			for _, o := range w.Step(at, nil) {
				r.feed(t, &o)
				if o.Progress && stuck >= 0 {
					t.Fatalf("stuck since %s, and progress at %s: %s\n%s", stuck, at, o.Data, src)
				}
			}
			check(t, w, r, now, src)
			if stuck < 0 && w.Truth(now).Stuck {
				stuck = now
			}
		}
		if last := w.Truth(now); stuck < 0 && last.Phase == fakepi.Streaming {
			t.Fatalf("silent for ever in %s and not stuck\n%s", last.Phase, src)
		}
	})
}

func check(t *rapid.T, w *fakepi.Worker, r *replay, now time.Duration, src string) {
	got, want := w.Truth(now), r.phase(now)
	if !r.agrees(got.Phase, want) {
		t.Fatalf("at %s: got phase %s, want %s\n%s", now, got.Phase, want, src)
	}
	if len(got.Calls) != len(r.open) && !got.Exited {
		t.Fatalf("at %s: got calls %v, want %v\n%s", now, got.Calls, r.open, src)
	}
	if got.Since > now || got.LastProgress > now {
		t.Fatalf("at %s: got since %s and progress %s, both in the future\n%s", now, got.Since, got.LastProgress, src)
	}
}
