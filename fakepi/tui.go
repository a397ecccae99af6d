package fakepi

import (
	"encoding/base64"
	"path"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// tui is the terminal of an interactive worker: an honest minimum (docs/pi-formats.md, section 13), no layout. The
// spinner turns for as long as a run is open, a stall, a silent tool and a dialog included.
type tui struct {
	next  time.Duration // of the spinner
	frame int
}

// spinnerPeriod makes 12 to 13 repaints a second.
const spinnerPeriod = 80 * time.Millisecond

var spinnerFrames = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

const (
	syncOn  = "\x1b[?2026h"
	syncOff = "\x1b[?2026l"
)

// paints reports whether the spinner turns.
func (w *Worker) paints() bool { return w.tui.next > 0 && w.hears() }

func (w *Worker) paintScreen() {
	w.terminal("\x1b[?1049h\x1b[?2004h"+syncOn+"\x1b[2J\x1b[H"+syncOff+"\x1b]0;π - "+path.Base(w.cwd)+"\a", false)
	w.paintStatus("idle", "")
}

// paintSpinner repaints the status line. Under a dialog there is nothing to see and the repaint comes all the same.
func (w *Worker) paintSpinner() {
	line := ""
	if !w.dialog.open {
		line = "\x1b[26;1H\x1b[2K── " + spinnerFrames[w.tui.frame%len(spinnerFrames)] + " Working\x1b[0m"
	}
	w.tui.frame++
	if w.tui.next > 0 {
		w.tui.next = w.now + spinnerPeriod
	}
	w.terminal(syncOn+line+"\x1b[?25l"+syncOff, false)
}

// paintProgress is the terminal's progress sign.
func (w *Worker) paintProgress() {
	sign := "0"
	if w.running {
		sign = "3"
	}
	w.terminal("\x1b]9;4;"+sign+"\a", false)
}

// paintStatus tells the state by OSC 7501 where the script asks for it.
func (w *Worker) paintStatus(state, message string) {
	if !w.spawn.Status {
		return
	}
	text := "\x1b]7501;state=" + state + ":app=pi"
	if state == "blocked" {
		text += ":kind=question"
	}
	if message != "" {
		text += ":msg=" + base64.StdEncoding.EncodeToString([]byte(message))
	}
	w.terminal(text+"\x1b\\", false)
}

func (w *Worker) terminal(text string, progress bool) { w.emit(PTY, []byte(text), progress) }

// paint shows an event on the terminal.
func (w *Worker) paint(r native.Record, progress bool) {
	switch r := r.(type) {
	case *native.AgentStart:
		w.tui.next = w.now + spinnerPeriod
		w.paintStatus("working", "")
		w.paintSpinner()
	case *native.MessageUpdate:
		if r.Event.Delta.Set {
			w.paintText(r.Event.Delta.V, progress)
		}
	case *native.ToolStart:
		w.paintText("\r\n$ "+r.ToolName+"\r\n", progress)
	case *native.ToolEnd:
		w.paintContent(r.Result.Content, progress)
	case *native.UIRequest:
		w.paintRequest(r)
	case *native.AgentSettled:
		w.tui.next = 0
		w.terminal(syncOn+"\x1b[26;1H\x1b[2K"+syncOff, progress)
		w.paintStatus(w.endState(r.Aborted))
	}
}

// endState is what OSC 7501 says of a worker that has settled.
func (w *Worker) endState(aborted bool) (state, message string) {
	switch {
	case aborted:
		return "idle", ""
	case w.last != nil && w.last.ErrorMessage.Set:
		return "error", w.last.ErrorMessage.V
	}
	return "done", ""
}

func (w *Worker) paintText(text string, progress bool) {
	w.terminal(syncOn+text+"\x1b[0m"+syncOff, progress)
}

func (w *Worker) paintContent(content []native.Block, progress bool) {
	for _, b := range content {
		if t, ok := b.(*native.TextBlock); ok {
			w.paintText(t.Text, progress)
		}
	}
}

// paintRequest shows a question with its options, or what an extension says.
func (w *Worker) paintRequest(r *native.UIRequest) {
	text := r.Title.V
	for _, o := range r.Options {
		text += "\r\n  " + o
	}
	w.paintText("\r\n"+text+r.Message.V+r.StatusText.V+r.Text.V+"\r\n", false)
	if w.dialog.open && r.ID == w.dialog.id {
		w.paintStatus("blocked", r.Title.V)
	}
}

// typed is keys: they answer the open dialog, or are a prompt or steer.
func (w *Worker) typed(keys string) {
	switch {
	case w.dialog.open && keys == "\x1b":
		w.answerKeys(&native.UIResponse{Cancelled: native.Some(true)})
	case w.dialog.open:
		w.answerKeys(&native.UIResponse{Value: native.Some(keys)})
	case keys == "\x1b":
		w.abort(nil)
	case keys == "":
	case w.busy():
		w.enqueue(&w.steering, queued{text: keys, at: w.now, guest: true})
	default:
		w.startRun(queued{text: keys, at: w.now, guest: true})
	}
}

func (w *Worker) answerKeys(u *native.UIResponse) {
	r := w.dialog.react(u)
	if u.Value.V == "no" {
		r = reactionNo
	}
	w.answer(r)
}

// paintAnswered tells what a dialog that has closed leaves behind, however it closed.
func (w *Worker) paintAnswered() {
	switch {
	case w.mode != script.ModeTUI:
	case w.running:
		w.paintStatus("working", "")
	default:
		w.paintStatus("idle", "")
	}
}
