package fakepi

import (
	"strconv"
	"strings"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/tui"
)

// programStatus is what a TUI tells its terminal by OSC 7501 (docs/pi-formats.md, section 13): blocked while a dialog is
// open, working in a run or compaction, and then how that ended.
type programStatus struct {
	running    bool
	compacting bool
	result     tui.Report // of the run, once it settles
	resting    tui.Report // while there is none
	blocked    tui.Report // of the open dialog
}

// note takes a record into account.
func (w *Worker) note(r native.Record) {
	s := &w.tui.status
	switch r := r.(type) {
	case *native.AgentStart:
		s.running, s.result = true, tui.Report{State: "done"}
	case *native.MessageEnd:
		s.result = resultOf(r.Message)
	case *native.CompactionStart:
		s.compacting = true
	case *native.CompactionEnd:
		s.compacting = false
		s.compacted(r)
	case *native.AgentSettled:
		s.running, s.resting = false, s.result
		if r.Aborted {
			s.resting = tui.Report{State: "idle"}
		}
	}
	w.reportStatus()
}

// resultOf is what a reply makes of its run. One that was aborted is told by the end of the run.
func resultOf(m native.Message) tui.Report {
	if a, ok := m.(*native.AssistantMessage); ok && a.StopReason == "error" {
		first, _, _ := strings.Cut(a.ErrorMessage.V, "\n")
		return tui.Report{State: "error", Message: first}
	}
	return tui.Report{State: "done"}
}

// compacted takes the end of a compaction: inside a run it decides how that ends, a manual one how the worker rests.
func (s *programStatus) compacted(r *native.CompactionEnd) {
	result := tui.Report{State: "done"}
	switch {
	case r.Aborted:
		result = tui.Report{State: "idle"}
	case r.ErrorMessage.Set:
		result = tui.Report{State: "error", Message: r.ErrorMessage.V}
	case r.Reason != "manual":
		return
	}
	if s.running {
		s.result = result
	} else {
		s.resting = result
	}
}

// block tells that a dialog is open, and unblock that it has closed.
func (w *Worker) block(kind, title string) {
	w.tui.status.blocked = tui.Report{State: "blocked", Kind: kind, Message: title}
	w.reportStatus()
}

func (w *Worker) unblock() {
	w.tui.status.blocked = tui.Report{}
	w.reportStatus()
}

// reportStatus tells the terminal.
func (w *Worker) reportStatus() { w.tui.ui.Report(w.statusNow()) }

// statusNow is what the worker does. While it works and when it is done the message is the session's name.
func (w *Worker) statusNow() tui.Report {
	s := &w.tui.status
	r := s.resting
	switch {
	case s.blocked.State != "":
		r = s.blocked
	case s.compacting:
		r = tui.Report{State: "working", Message: "Compacting context"}
	case s.running:
		r = tui.Report{State: "working", Message: w.name().V}
	case r.State == "":
		r.State = "idle"
	case r.State == "done":
		r.Message = w.name().V
	}
	return r
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
