package fakepi

import (
	"strconv"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// Settings are Pi's settings as its files have them; the zero value is Pi's own. Neither object is ever changed in place.
type Settings struct {
	Global  native.Object // settings.json of the agent folder, which commands change
	Project native.Object // that of the working directory, which goes before
}

// Get is a setting as Pi sees it, nil where there is none. section is the key of the object that holds it; empty: it stands
// at the top.
func (s *Settings) Get(section, key string) native.Value {
	if section == "" {
		if v := s.Project.Get(key); v != nil {
			return v
		}
		return s.Global.Get(key)
	}
	global, _ := s.Global.Get(section).(native.Object)
	switch project := s.Project.Get(section).(type) {
	case nil:
	case native.Object:
		if v := project.Get(key); v != nil {
			return v
		}
	default:
		return nil // it stands for the whole section
	}
	return global.Get(key)
}

// text is a setting that is a text, empty where it is none.
func (s *Settings) text(section, key string) string {
	v, _ := s.Get(section, key).(native.String)
	return string(v)
}

// Setting is a change of the global settings by a command (docs/pi-formats.md, section 6).
type Setting struct {
	Section string       // the key of the object that holds it; empty: it stands at the top
	Key     string       // its own
	Value   native.Value // whatever the client sent; nil: JavaScript's undefined, with which the key goes from the file
}

// In returns settings with the change. Those given stay as they are.
func (s Setting) In(o native.Object) native.Object {
	if s.Section == "" {
		return assign(o, s.Key, s.Value)
	}
	section, ok := o.Get(s.Section).(native.Object)
	if array, _ := o.Get(s.Section).(native.Array); !ok {
		for i, element := range array { // it is saved with its indices as keys
			section = assign(section, strconv.Itoa(i), element)
		}
	}
	return assign(o, s.Section, assign(section, s.Key, s.Value))
}

// assign returns an object in which a key has a value, at the key's place or at the end.
func assign(o native.Object, key string, v native.Value) native.Object {
	out := make(native.Object, 0, len(o)+1)
	found := false
	for _, m := range o {
		if m.Key == key {
			m.Value, found = v, true
		}
		out = append(out, m)
	}
	if !found {
		out = append(out, native.Member{Key: key, Value: v})
	}
	return out
}

// set changes a global setting and has it saved.
func (w *Worker) set(section, key string, v native.Value) {
	change := Setting{Section: section, Key: key, Value: v}
	w.settings.Global = change.In(w.settings.Global)
	w.out = append(w.out, Output{At: w.now, Setting: &change})
}

// setIn changes a setting in a section; failure is JavaScript's complaint about a section that can have none.
func (w *Worker) setIn(section, key string, v native.Value) (failure string) {
	kind := ""
	old := w.settings.Global.Get(section)
	switch old.(type) {
	case native.String:
		kind = "string"
	case native.Number:
		kind = "number"
	case native.Bool:
		kind = "boolean"
	}
	if kind != "" && javascript.Truthy(old) {
		return "Cannot create property '" + key + "' on " + kind + " '" + javascript.String(old) + "'"
	}
	w.set(section, key, v)
	return ""
}

// reread takes settings, models and the system prompt as they are by now: Pi does for each session. What the call under way
// has changed counts as saved.
func (w *Worker) reread() {
	if w.read == nil {
		return
	}
	found := w.read(w.cwd)
	if w.settings, w.system, w.broken = found.Settings, found.System, found.Broken; !w.own {
		w.models = found.Models
	}
	for i := range w.out {
		if change := w.out[i].Setting; change != nil {
			w.settings.Global = change.In(w.settings.Global)
		}
	}
}

// autoCompaction and autoRetry are on unless a setting switches them off.
func (w *Worker) autoCompaction() native.Value { return orOn(w.settings.Get("compaction", "enabled")) }

func (w *Worker) autoRetry() bool { return javascript.Truthy(orOn(w.settings.Get("retry", "enabled"))) }

// maxAttempts is how often Pi tries again.
func (w *Worker) maxAttempts() int64 {
	if n, ok := w.settings.Get("retry", "maxRetries").(native.Number); ok {
		return int64(n)
	}
	return maxRetries
}

func orOn(v native.Value) native.Value {
	if javascript.Missing(v) {
		return native.Bool(true)
	}
	return v
}

// useQueueModes empties the queues as the settings say.
func (w *Worker) useQueueModes() {
	w.steeringMode = queueMode(w.settings.Get("", "steeringMode"))
	w.followUpMode = queueMode(w.settings.Get("", "followUpMode"))
}

// queueMode is how a queue is emptied.
func queueMode(v native.Value) native.Value {
	if !javascript.Truthy(v) {
		return native.String("one-at-a-time")
	}
	return v
}
