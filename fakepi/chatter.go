package fakepi

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// noise is output that repeats beside the run.
type noise struct {
	action script.Action
	text   string
	next   time.Duration
	every  time.Duration
	until  time.Duration
}

// startNoise is the verbs notifies, chatter and raw: once, or every so often over a span.
func (w *Worker) startNoise(i int, every, over script.Span) {
	n := noise{action: w.steps[i].Action, text: w.texts[i], next: w.now + every.D, every: every.D, until: w.now + over.D}
	w.makeNoise(n)
	if every.D > 0 && n.next <= n.until {
		w.chatter = append(w.chatter[:len(w.chatter):len(w.chatter)], n)
	}
}

// repeatNoise makes the noise at place i again.
func (w *Worker) repeatNoise(i int) {
	n := w.chatter[i]
	w.makeNoise(n)
	rest := append([]noise(nil), w.chatter[:i]...)
	if n.next += n.every; n.next <= n.until {
		rest = append(rest, n)
	}
	w.chatter = append(rest, w.chatter[i+1:]...)
}

func (w *Worker) makeNoise(n noise) {
	switch a := n.action.(type) {
	case script.Notifies:
		w.notify(a)
	case script.Chatter:
		w.chat(a.Kind)
	case script.Raw:
		w.raw(a, n.text)
	}
}

// notify is an extension's request that waits for nothing.
func (w *Worker) notify(a script.Notifies) {
	if !w.hasUI() {
		return
	}
	r := &native.UIRequest{ID: w.ids.request()}
	switch a.Method {
	case "status":
		r.Method, r.StatusKey, r.StatusText = "setStatus", native.Some("gate"), native.Some(a.Text)
	case "widget":
		r.Method, r.WidgetKey, r.WidgetLines = "setWidget", native.Some("gate"), strings.Split(a.Text, "\n")
	case "title":
		r.Method, r.Title = "setTitle", native.Some(a.Text)
	case "editor_text":
		r.Method, r.Text = "set_editor_text", native.Some(a.Text)
	case "warning", "error":
		r.Method, r.Message, r.NotifyType = "notify", native.Some(a.Text), native.Some(a.Method)
	default:
		r.Method, r.Message, r.NotifyType = "notify", native.Some(a.Text), native.Some("info")
	}
	w.print(r, false)
}

// chat is output that moves nothing on.
func (w *Worker) chat(kind script.ChatterKind) {
	switch kind {
	case script.ChatterState:
		if w.playsClient() {
			c := &native.Command{Name: native.CmdGetState}
			w.clientSends(c)
			w.respondData(c.ID, c.Name, w.stateData())
		}
	case script.ChatterQueue:
		w.printQueue()
	case script.ChatterName:
		w.names++
		name := "session " + strconv.Itoa(w.names)
		w.append(&native.SessionInfo{EntryBase: w.base(), Name: name}, false)
		w.print(&native.SessionInfoChanged{Name: native.Some(name)}, false)
	case script.ChatterLevel:
		w.level = otherLevel(w.level)
		w.append(&native.ThinkingLevelChange{EntryBase: w.base(), ThinkingLevel: w.level}, false)
		w.print(&native.ThinkingLevelChanged{Level: w.level}, false)
	case script.ChatterStderr:
		w.emit(Err, []byte("Warning: the cache is cold.\n"), false)
	case script.ChatterSpinner:
		w.spinOnce()
	case script.ChatterOSC:
		w.signOnce()
	}
}

func otherLevel(level string) string {
	if level == "high" {
		return "medium"
	}
	return "high"
}

// raw writes the script's own bytes.
func (w *Worker) raw(a script.Raw, text string) {
	w.emit(a.Stream, bytes.Repeat([]byte(text), max(a.Times, 1)), w.moved(a.Progress))
}
