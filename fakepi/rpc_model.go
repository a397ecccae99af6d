package fakepi

import (
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/provider"
	"fakepi.example/fakepi/script"
)

// Settings is what of Pi's settings.json shows in what it says. The zero value is Pi's own.
type Settings struct {
	Provider, Model string // of a new session; default: the first of the models
	Thinking        string // its thinking level; default medium, where the model thinks
	SteeringMode    string // one-at-a-time, or all
	FollowUpMode    string
	NoCompaction    bool  // no compaction by itself
	NoRetry         bool  // no retry
	KeepRecent      int64 // tokens that a compaction keeps; default 20000
}

// preferences are the settings as commands have changed them. A value may be anything that a client sends; nil is
// undefined.
type preferences struct {
	provider, model, level string // of a new session
	steering, followUp     native.Value
	compaction, retry      native.Value
}

func (s Settings) preferences() *preferences {
	p := &preferences{provider: s.Provider, model: s.Model, level: s.Thinking}
	if s.SteeringMode != "" {
		p.steering = native.String(s.SteeringMode)
	}
	if s.FollowUpMode != "" {
		p.followUp = native.String(s.FollowUpMode)
	}
	if s.NoCompaction {
		p.compaction = native.Bool(false)
	}
	if s.NoRetry {
		p.retry = native.Bool(false)
	}
	return p
}

// prefer changes a preference.
func (w *Worker) prefer(change func(*preferences)) {
	p := *w.prefs
	change(&p)
	w.prefs = &p
}

// autoCompaction and autoRetry are on unless a client has switched them off.
func (w *Worker) autoCompaction() native.Value { return orOn(w.prefs.compaction) }

func (w *Worker) autoRetry() bool { return truthy(orOn(w.prefs.retry)) }

func orOn(v native.Value) native.Value {
	if missing(v) {
		return native.Bool(true)
	}
	return v
}

// mode is how a queue is emptied.
func mode(v native.Value) native.Value {
	if !truthy(v) {
		return native.String("one-at-a-time")
	}
	return v
}

// defaultLevel is the thinking level of a model that thinks.
const defaultLevel = "medium"

// asked is what the command line asks for: every session begins with it.
type asked struct{ provider, model, level string }

// newModel is a model of the worker's own making.
func (p *plan) newModel(providerName, id string) *native.Model {
	return &native.Model{
		ID: id, Name: id, API: "openai-completions", Provider: providerName, BaseURL: "http://127.0.0.1:8080/v1",
		Reasoning: p.thinks, Input: []string{"text"}, Cost: price, ContextWindow: provider.ContextWindow, MaxTokens: provider.MaxTokens,
	}
}

// thinksAloud reports whether a worker of a script does.
func thinksAloud(steps []script.Step) bool {
	return slices.ContainsFunc(steps, func(s script.Step) bool {
		t, ok := s.Action.(script.Thinks)
		return ok && t.Text != (script.Text{})
	})
}

// choose takes the model and the level that a session begins or goes on with: what was asked for, what the session had,
// or the default.
func (w *Worker) choose() {
	had := settings{}
	if len(w.transcript()) > 0 {
		had = settingsOf(w.session.branch())
	}
	switch {
	case w.asked.model != "":
		w.model = w.findModel(w.asked.provider, w.asked.model)
	case had.model != "" && (w.own || w.hasModel(had.provider, had.model)):
		w.model = w.findModel(had.provider, had.model)
	case w.hasModel(w.prefs.provider, w.prefs.model):
		w.model = w.findModel(w.prefs.provider, w.prefs.model)
	default:
		w.model = &w.models[0]
	}
	if w.own && had.level != "" && had.level != "off" {
		m := *w.model
		m.Reasoning = true
		w.model = &m
	}
	level := orElse(w.asked.level, had.level)
	w.level = w.rules.clampLevel(w.model, orElse(level, orElse(w.prefs.level, defaultLevel)))
}

func (w *Worker) hasModel(providerName, id string) bool {
	return slices.ContainsFunc(w.models, func(m native.Model) bool { return m.ID == id && m.Provider == providerName })
}

// findModel finds a model, of any provider if none is given; Pi takes one that it does not know for one of its provider's.
func (w *Worker) findModel(providerName, id string) *native.Model {
	for i := range w.models {
		m := &w.models[i]
		if m.ID == id && (m.Provider == providerName || providerName == "") {
			return m
		}
	}
	return w.newModel(orElse(providerName, w.models[0].Provider), id)
}

// thinkingLevels are all that there are, from the least.
var thinkingLevels = []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

// levelsOf lists those of a model that thinks, or does not. The two highest are of models of another make.
func levelsOf(m *native.Model) []string {
	if !m.Reasoning {
		return thinkingLevels[:1]
	}
	return thinkingLevels[:5]
}

// clampLevel is the level itself, or the nearest that a model has; of a word that is no level the least.
func (r *rules) clampLevel(m *native.Model, level string) string {
	levels := levelsOf(m)
	at := slices.Index(thinkingLevels, level)
	if level == "max" && !r.maxLevel {
		at = -1
	}
	return levels[max(0, min(at, len(levels)-1))]
}

// findModels takes the models that there are, or makes one.
func (p *plan) findModels(c Config) {
	p.asked = asked{provider: c.Provider, model: orElse(c.Model, p.spawn.Model), level: c.Thinking}
	p.thinks = thinksAloud(p.steps) || c.Thinking != "" && c.Thinking != "off"
	if p.own = len(c.Models) == 0; p.own {
		p.models = []native.Model{*p.newModel(orElse(c.Provider, "fake"), orElse(p.asked.model, "fake-1"))}
	}
}
