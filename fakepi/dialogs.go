package fakepi

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// dialog is a question to the user that holds the worker, or the call in which it stands.
type dialog struct {
	open     bool
	answered bool // and closes, with the worker
	id       string
	asks     script.Asks
	since    time.Duration
	timeout  time.Duration  // when it closes by itself; never
	call     string         // id of the call that it holds; empty: the worker
	aborts   []native.Value // ids of the aborts that wait for it
	held     []request      // other commands that do
}

// reaction is how a dialog closed.
type reaction uint8

const (
	reactionYes reaction = iota
	reactionNo           // declined, cancelled or timed out
)

// hasUI reports whether extensions can ask: not in one-shot modes (docs/pi-formats.md, section 7).
func (w *Worker) hasUI() bool { return !w.mode.OneShot() }

// asksNow lists the questions that the script asks at the instant of the step being played: of a tool, its gate.
func (w *Worker) asksNow() []script.Asks {
	var asks []script.Asks
	for _, s := range w.steps[w.next:] {
		if _, other := s.Action.(script.Tool); other || s.At > w.steps[w.next-1].At {
			break
		}
		if a, ok := s.Action.(script.Asks); ok {
			asks = append(asks, a)
		}
	}
	return asks
}

// ask opens a dialog.
func (w *Worker) ask(a script.Asks) {
	if !w.hasUI() {
		return
	}
	w.dialog = dialog{open: true, id: w.ids.request(), asks: a, since: w.now, timeout: never, call: w.lastStarted()}
	if a.Timeout.Finite() {
		w.dialog.timeout = w.now + a.Timeout.D
	}
	w.print(w.uiRequest(a), false)
}

// lastStarted is the call that was started last, if it is open.
func (w *Worker) lastStarted() string {
	var id string
	var at time.Duration = -1
	for i := range w.calls {
		if c := &w.calls[i]; c.open() && c.startAt >= at {
			id, at = c.id, c.startAt
		}
	}
	return id
}

// uiRequest is the record that opens the dialog.
func (w *Worker) uiRequest(a script.Asks) *native.UIRequest {
	r := &native.UIRequest{ID: w.dialog.id, Method: string(a.Method), Title: native.Some(a.Title)}
	switch a.Method {
	case script.AskSelect, script.AskTrust, script.AskResume:
		r.Method, r.Options = "select", a.Options
	case script.AskConfirm:
		r.Message = native.Some(w.question())
	case script.AskInput:
		r.Placeholder = native.Some(strings.Join(a.Options, ""))
	case script.AskEditor:
		r.Prefill = native.Some(w.question())
		return r // an editor has no timeout on the wire
	}
	if a.Timeout.Finite() {
		r.Timeout = native.Some(float64(a.Timeout.D.Milliseconds()))
	}
	return r
}

// question is the command that a gate asks about.
func (w *Worker) question() string {
	c := w.callByID(w.dialog.call)
	if c == nil {
		return ""
	}
	args, _ := c.args.(native.Object)
	if len(args) == 0 {
		return ""
	}
	text, _ := args[0].Value.(native.String)
	return string(text)
}

func (w *Worker) callByID(id string) *call {
	for i := range w.calls {
		if id != "" && w.calls[i].id == id {
			return &w.calls[i]
		}
	}
	return nil
}

// answer closes the dialog. No record says so; its call goes on, or is blocked if it had not begun and the user, or the
// script whatever the user says, does not let it. A signal that has waited for the dialog ends the worker.
func (w *Worker) answer(r reaction) {
	d := w.dialog
	w.dialog, w.answeredAt = dialog{}, w.now
	w.paintAnswered()
	c := w.callByID(d.call)
	if c != nil && c.begun {
		c.paused += w.now - d.since
	}
	if w.leaving() || !w.alive() {
		return
	}
	if w.postponed != nil && w.wedge == "" {
		w.leavePostponed(d)
		return
	}
	aborted := len(d.aborts)+len(d.held) > 0
	if c != nil && !c.begun && (r == reactionNo || c.run.Blocked) && (!aborted || w.rules.beginsAborted) {
		w.endCall(c, outcome{text: w.declined(c, d.asks.Method), failed: true, unrun: true})
		if !aborted {
			w.endBatch()
		}
	}
	if aborted {
		w.abort(d.aborts)
		w.handleHeld(d.held)
	}
}

// declined is why a call does not run behind its dialog.
func (w *Worker) declined(c *call, m script.Method) string {
	why := "Blocked by user"
	switch m {
	case script.AskConfirm:
		why = "Not confirmed"
	case script.AskEditor:
		why = "No text"
	}
	if c.run.Blocked {
		return cmp.Or(w.given(c), why)
	}
	return why
}

// read takes an answer from a line that may be of any shape. What a user could not have chosen or typed is no answer.
func (d *dialog) read(body native.Object) *native.UIResponse {
	u := &native.UIResponse{ID: d.id}
	value := body.Get("value")
	text, isText := value.(native.String)
	method, options := d.asks.Method, d.asks.Options
	switch {
	case javascript.Truthy(body.Get("cancelled")):
		u.Cancelled = native.Some(true)
	case method == script.AskConfirm:
		u.Confirmed = native.Some(javascript.Truthy(body.Get("confirmed")))
	case method == script.AskInput && value != nil, method == script.AskEditor && javascript.Truthy(value):
		u.Value = native.Some(javascript.String(value))
	case method != script.AskInput && method != script.AskEditor && isText && (len(options) == 0 || slices.Contains(options, string(text))):
		u.Value = native.Some(string(text))
	default:
		u.Cancelled = native.Some(true)
	}
	return u
}

// react reads a user's answer: cancelling, refusing and the last option of several decline.
func (d *dialog) react(u *native.UIResponse) reaction {
	options := d.asks.Options
	switch {
	case u.Cancelled.V, u.Confirmed.Set && !u.Confirmed.V:
		return reactionNo
	case len(options) > 1 && u.Value.V == options[len(options)-1]:
		return reactionNo
	}
	return reactionYes
}

// Answer is the line of stdin by which a user answers the open dialog; nil if none is open. Of a confirm, value is "yes"
// or "no". A TUI is answered by keys.
func (w *Worker) Answer(value string, cancel bool) []byte {
	if !w.dialog.open {
		return nil
	}
	if w.mode == script.ModeTUI {
		return []byte(w.tui.ui.Keys(value, cancel))
	}
	u := &native.UIResponse{ID: w.dialog.id}
	switch {
	case cancel:
		u.Cancelled = native.Some(true)
	case w.dialog.asks.Method == script.AskConfirm:
		u.Confirmed = native.Some(value == "yes")
	default:
		u.Value = native.Some(value)
	}
	line, err := w.rules.codec.Append(nil, u)
	if err != nil {
		return nil
	}
	return append(line, '\n')
}
