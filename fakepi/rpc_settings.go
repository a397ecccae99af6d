package fakepi

import (
	"cmp"
	"slices"
	"strings"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// setSessionName is the command set_session_name.
func (w *Worker) setSessionName(r request) {
	v := r.body.Get("name")
	if failure := javascript.NotString(v, "command.name", "trim"); failure != "" {
		w.respond(r.id, r.name, failure)
		return
	}
	name, _ := v.(native.String)
	if javascript.Trim(string(name)) == "" {
		w.respond(r.id, r.name, "Session name cannot be empty")
		return
	}
	w.rename(javascript.Trim(string(name)))
	w.respond(r.id, r.name, "")
}

// rename gives the session a name.
func (w *Worker) rename(name string) {
	if w.rules.oneLineName {
		name = oneLine(name)
	}
	w.append(&native.SessionInfo{EntryBase: w.base(), Name: name}, false)
	w.print(&native.SessionInfoChanged{Name: w.name()}, false)
}

// oneLine makes a space of each run of line breaks.
func oneLine(s string) string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '\r' || r == '\n' })
	if joined := strings.Join(parts, " "); s != "" {
		return javascript.Trim(joined)
	}
	return s
}

func (w *Worker) setSteeringMode(r request) {
	w.steeringMode = r.body.Get("mode")
	w.set("", "steeringMode", w.steeringMode)
	w.respond(r.id, r.name, "")
}

func (w *Worker) setFollowUpMode(r request) {
	w.followUpMode = r.body.Get("mode")
	w.set("", "followUpMode", w.followUpMode)
	w.respond(r.id, r.name, "")
}

func (w *Worker) setAutoCompaction(r request) {
	w.respond(r.id, r.name, w.setIn("compaction", "enabled", r.body.Get("enabled")))
}

func (w *Worker) setAutoRetry(r request) {
	w.respond(r.id, r.name, w.setIn("retry", "enabled", r.body.Get("enabled")))
}

func (w *Worker) getModels(r request) {
	w.respondData(r.id, r.name, &native.ModelsData{Models: w.models})
}

// setModel is the command set_model. The model is told by the file alone, a level that changes with it by an event too.
func (w *Worker) setModel(r request) {
	provider, id := r.body.Get("provider"), r.body.Get("modelId")
	for i := range w.models {
		m := &w.models[i]
		if provider == native.Value(native.String(m.Provider)) && id == native.Value(native.String(m.ID)) {
			w.inTurn(w.rules.turnsOf(r.name).answers, func(w *Worker) {
				w.useModel(m, w.levelFor(m))
				w.respondData(r.id, r.name, m)
			})
			return
		}
	}
	w.respond(r.id, r.name, "Model not found: "+javascript.String(provider)+"/"+javascript.String(id))
}

func (w *Worker) useModel(m *native.Model, level string) {
	w.model = m
	w.append(&native.ModelChange{EntryBase: w.base(), Provider: m.Provider, ModelID: m.ID}, false)
	if w.rules.remembers {
		w.set("", "defaultProvider", native.String(m.Provider))
		w.set("", "defaultModel", native.String(m.ID))
	}
	w.useLevel(level)
}

// cycleModel is the command cycle_model: the next of the models, or of those in the scope; null where there is no other.
func (w *Worker) cycleModel(r request) {
	models, levels := w.models, []string(nil)
	if len(w.scope) > 0 {
		models, levels = w.scopedModels()
	}
	at := slices.IndexFunc(models, func(m native.Model) bool {
		return m.ID == w.model.ID && m.Provider == w.model.Provider
	})
	if len(models) == 0 || len(models) == 1 && (at == 0 || w.rules.remembers) {
		w.respondData(r.id, r.name, &native.RawData{Value: native.Null{}})
		return
	}
	if at < 0 && w.rules.remembers {
		at = 0
	}
	next := (at + 1) % len(models)
	level := w.levelFor(&models[next])
	if levels != nil {
		level = cmp.Or(levels[next], level)
	}
	w.useModel(&models[next], level)
	w.respondData(r.id, r.name, &native.CycleModelData{Model: *w.model, ThinkingLevel: w.level, IsScoped: levels != nil})
}

// scopedModels are the models of the scope that there still are, and the level of each, empty where it has none.
func (w *Worker) scopedModels() (models []native.Model, levels []string) {
	levels = []string{}
	for _, s := range w.scope {
		if w.hasModel(s.Provider, s.ID) {
			models, levels = append(models, *w.findModel(s.Provider, s.ID)), append(levels, s.Level)
		}
	}
	return models, levels
}
