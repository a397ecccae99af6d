package fakepi

import (
	"cmp"
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

// asked is what the command line asks for: every session begins with it.
type asked struct{ provider, model, level string }

// ScopedModel is a model that the user has chosen to change to, perhaps with a thinking level of its own.
type ScopedModel struct{ Provider, ID, Level string }

// firstScoped is the model of the scope that a new session begins with: the default, if that is one of them, or else the
// first.
func (w *Worker) firstScoped() ScopedModel {
	for _, s := range w.scope {
		if s.Provider == w.settings.text("", "defaultProvider") && s.ID == w.settings.text("", "defaultModel") {
			return s
		}
	}
	return w.scope[0]
}

// newModel is a model of the worker's own making.
func (p *plan) newModel(providerName, id string) *native.Model {
	return &native.Model{
		ID: id, Name: id, API: "openai-completions", Provider: providerName, BaseURL: "http://127.0.0.1:8080/v1",
		Reasoning: p.thinks, Input: []string{"text"}, Cost: provider.Price(), ContextWindow: provider.ContextWindow, MaxTokens: provider.MaxTokens,
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
	had, scoped := settings{}, ScopedModel{}
	if len(w.transcript()) > 0 {
		had = settingsOf(w.session.shown())
	}
	switch {
	case w.modelless():
		w.model, w.level = unknownModel(), "off"
		return
	case w.asked.model != "":
		w.model = w.findModel(w.asked.provider, w.asked.model)
	case had.model != "" && (w.own || w.hasModel(had.provider, had.model)):
		w.model = w.findModel(had.provider, had.model)
	case len(w.scope) > 0 && len(w.transcript()) == 0:
		scoped = w.firstScoped()
		w.model = w.findModel(scoped.Provider, scoped.ID)
	case w.hasModel(w.settings.text("", "defaultProvider"), w.settings.text("", "defaultModel")):
		w.model = w.findModel(w.settings.text("", "defaultProvider"), w.settings.text("", "defaultModel"))
	default:
		w.model = &w.models[0]
	}
	if w.own && had.level != "" && had.level != "off" {
		m := *w.model
		m.Reasoning = true
		w.model = &m
	}
	level := cmp.Or(w.asked.level, had.level, scoped.Level)
	if level == "" {
		level = w.firstLevel()
	}
	w.level = w.rules.clampLevel(w.model, level)
}

func (w *Worker) hasModel(providerName, id string) bool {
	return slices.ContainsFunc(w.models, func(m native.Model) bool { return m.ID == id && m.Provider == providerName })
}

// findModel finds a model, of any provider if none is given. Pi takes one that it does not know for one of its provider's,
// like the first of those.
func (w *Worker) findModel(providerName, id string) *native.Model {
	for i := range w.models {
		m := &w.models[i]
		if m.ID == id && (m.Provider == providerName || providerName == "") {
			return m
		}
	}
	providerName = cmp.Or(providerName, w.models[0].Provider)
	first := slices.IndexFunc(w.models, func(m native.Model) bool { return m.Provider == providerName })
	if w.own || first < 0 {
		return w.newModel(providerName, id)
	}
	m := w.models[first]
	m.ID, m.Name = id, id
	m.Reasoning = m.Reasoning || w.rules.modelLevels && w.asked.level != "" && w.asked.level != "off"
	return &m
}

// ask takes what the command line asks for.
func (p *plan) ask(c Config) {
	p.asked = asked{provider: c.Provider, model: cmp.Or(c.Model, p.spawn.Model), level: c.Thinking}
	p.thinks = thinksAloud(p.steps) || c.Thinking != "" && c.Thinking != "off"
	p.own = c.Models == nil
}

// firstModels are the models that there are; of none one of the worker's own.
func (p *plan) firstModels(c Config) []native.Model {
	if p.own {
		return []native.Model{*p.newModel(cmp.Or(c.Provider, "fake"), cmp.Or(p.asked.model, "fake-1"))}
	}
	return c.Models
}
