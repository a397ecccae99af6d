package fakepi

import (
	"slices"
	"strings"

	"fakepi.example/fakepi/native"
)

// setSessionName is the command set_session_name.
func (w *Worker) setSessionName(r request) {
	v := r.body.Get("name")
	if failure := notString(v, "command.name", "trim"); failure != "" {
		w.respond(r.id, r.name, failure)
		return
	}
	name, _ := v.(native.String)
	if trim(string(name)) == "" {
		w.respond(r.id, r.name, "Session name cannot be empty")
		return
	}
	w.rename(trim(string(name)))
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
		return trim(joined)
	}
	return s
}

func (w *Worker) setSteeringMode(r request) {
	w.steeringMode = r.body.Get("mode")
	w.prefer(func(p *preferences) { p.steering = w.steeringMode })
	w.respond(r.id, r.name, "")
}

func (w *Worker) setFollowUpMode(r request) {
	w.followUpMode = r.body.Get("mode")
	w.prefer(func(p *preferences) { p.followUp = w.followUpMode })
	w.respond(r.id, r.name, "")
}

func (w *Worker) setAutoCompaction(r request) {
	w.prefer(func(p *preferences) { p.compaction = r.body.Get("enabled") })
	w.respond(r.id, r.name, "")
}

func (w *Worker) setAutoRetry(r request) {
	w.prefer(func(p *preferences) { p.retry = r.body.Get("enabled") })
	w.respond(r.id, r.name, "")
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
			w.useModel(m)
			w.respondData(r.id, r.name, m)
			return
		}
	}
	w.respond(r.id, r.name, "Model not found: "+jsString(provider)+"/"+jsString(id))
}

func (w *Worker) useModel(m *native.Model) {
	level := w.levelFor(m)
	w.model = m
	w.append(&native.ModelChange{EntryBase: w.base(), Provider: m.Provider, ModelID: m.ID}, false)
	if w.rules.remembers {
		w.prefer(func(p *preferences) { p.provider, p.model = m.Provider, m.ID })
	}
	w.useLevel(level)
}

// levelFor is the level that a change of the model asks for.
func (w *Worker) levelFor(m *native.Model) string {
	if w.rules.remembers && w.model.Reasoning {
		return w.level
	}
	if w.rules.remembers {
		return orElse(w.prefs.level, defaultLevel)
	}
	return orElse(w.prefs.level, w.level)
}

// cycleModel is the command cycle_model: the next of the models, null where there is no other.
func (w *Worker) cycleModel(r request) {
	at := slices.IndexFunc(w.models, func(m native.Model) bool {
		return m.ID == w.model.ID && m.Provider == w.model.Provider
	})
	if len(w.models) == 0 || len(w.models) == 1 && (at == 0 || w.rules.remembers) {
		w.respondData(r.id, r.name, &native.RawData{Value: native.Null{}})
		return
	}
	if at < 0 && w.rules.remembers {
		at = 0
	}
	w.useModel(&w.models[(at+1)%len(w.models)])
	w.respondData(r.id, r.name, &native.CycleModelData{Model: *w.model, ThinkingLevel: w.level})
}

// setThinkingLevel is the command set_thinking_level. A level that the model has not becomes the nearest that it has.
func (w *Worker) setThinkingLevel(r request) {
	level, _ := r.body.Get("level").(native.String)
	w.useLevel(string(level))
	w.respond(r.id, r.name, "")
}

// useLevel changes the thinking level, which is told only where it changes.
func (w *Worker) useLevel(level string) {
	level = w.rules.clampLevel(w.model, level)
	if level == w.level {
		return
	}
	w.level = level
	w.append(&native.ThinkingLevelChange{EntryBase: w.base(), ThinkingLevel: level}, false)
	if w.rules.remembers && (w.model.Reasoning || level != "off") {
		w.prefer(func(p *preferences) { p.level = level })
	}
	w.print(&native.ThinkingLevelChanged{Level: level}, false)
}

// cycleThinkingLevel is the command cycle_thinking_level, null for a model that does not think.
func (w *Worker) cycleThinkingLevel(r request) {
	if !w.model.Reasoning {
		w.respondData(r.id, r.name, &native.RawData{Value: native.Null{}})
		return
	}
	levels := levelsOf(w.model)
	next := levels[(slices.Index(levels, w.level)+1)%len(levels)]
	w.useLevel(next)
	w.respondData(r.id, r.name, &native.LevelData{Level: next})
}

func (w *Worker) getThinkingLevels(r request) {
	w.respondData(r.id, r.name, &native.LevelsData{Levels: levelsOf(w.model)})
}
