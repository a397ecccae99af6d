package fakepi

import (
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// thinkingLevels are all that there are, from the least.
var thinkingLevels = []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

// defaultLevel is the thinking level where nothing says another.
const defaultLevel = "medium"

// levelsOf lists the levels of a model, which its thinkingLevelMap can take away by null. The two highest it must name.
func (r *rules) levelsOf(m *native.Model) []string {
	if !m.Reasoning {
		return thinkingLevels[:1]
	}
	levels := []string{}
	names, _ := m.ThinkingLevelMap.(native.Object)
	for _, level := range r.allLevels() {
		name := names.Get(level)
		_, none := name.(native.Null)
		if !none && (name != nil || level != "xhigh" && level != "max") {
			levels = append(levels, level)
		}
	}
	return levels
}

// ThinkingLevels lists the thinking levels that a dialect's Pi knows, from the least; nil where there is no such dialect.
func ThinkingLevels(d native.Dialect) []string {
	rules, err := rulesOf(d)
	if err != nil {
		return nil
	}
	return slices.Clone(rules.allLevels())
}

func (r *rules) allLevels() []string {
	if r.maxLevel {
		return thinkingLevels
	}
	return thinkingLevels[:len(thinkingLevels)-1]
}

// clampLevel is the level itself, or the next higher one that a model has, or else the next lower one; of a word that is
// no level the least.
func (r *rules) clampLevel(m *native.Model, level string) string {
	levels := r.levelsOf(m)
	at := slices.Index(r.allLevels(), level)
	switch {
	case len(levels) == 0:
		return "off"
	case at < 0:
		return levels[0]
	}
	for _, higher := range r.allLevels()[at:] {
		if slices.Contains(levels, higher) {
			return higher
		}
	}
	return levels[len(levels)-1]
}

// modelLevel is the level that a setting gives a model, nil where none does.
func (w *Worker) modelLevel(m *native.Model) native.Value {
	if !w.rules.modelLevels {
		return nil
	}
	return w.settings.Get("modelThinkingLevels", m.Provider+"/"+m.ID)
}

// usualLevel is the level that a setting gives all models, or else the given one.
func (w *Worker) usualLevel(otherwise string) string {
	if level := w.settings.Get("", "defaultThinkingLevel"); !javascript.Missing(level) {
		return native.Text(level)
	}
	return otherwise
}

// firstLevel is the level that a session begins with, or goes on with where it has none.
func (w *Worker) firstLevel() string {
	if own := w.modelLevel(w.model); javascript.Truthy(own) && len(w.transcript()) == 0 {
		return native.Text(own)
	}
	return w.usualLevel(defaultLevel)
}

// levelFor is the level that a change to a model asks for.
func (w *Worker) levelFor(m *native.Model) string {
	own := w.modelLevel(m)
	switch {
	case own != nil:
		return native.Text(own)
	case !w.rules.remembers:
		return w.usualLevel(w.level)
	case w.model.Reasoning:
		return w.level
	}
	return w.usualLevel(defaultLevel)
}

// setThinkingLevel is the command set_thinking_level.
func (w *Worker) setThinkingLevel(r request) {
	w.useLevel(r.body.Text("level"))
	w.respond(r.id, r.name, "")
}

// useLevel changes the thinking level to the nearest that the model has, which is told only where it changes.
func (w *Worker) useLevel(level string) {
	level = w.rules.clampLevel(w.model, level)
	if level == w.level {
		return
	}
	w.level = level
	w.append(&native.ThinkingLevelChange{EntryBase: w.base(), ThinkingLevel: level}, false)
	if w.rules.remembers && (w.model.Reasoning || level != "off") {
		w.set("", "defaultThinkingLevel", native.String(level))
	}
	w.print(&native.ThinkingLevelChanged{Level: level}, false)
}

// recordLevel notes the thinking level where the session has another one, as behind a start that asks for it.
func (w *Worker) recordLevel() {
	recorded := settingsOf(w.session.branch()).level
	if recorded == "" || w.rules.clampLevel(w.model, recorded) == w.level {
		return
	}
	w.append(&native.ThinkingLevelChange{EntryBase: w.base(), ThinkingLevel: w.level}, false)
}

// cycleThinkingLevel is the command cycle_thinking_level, null for a model that does not think.
func (w *Worker) cycleThinkingLevel(r request) {
	next := ""
	if levels := w.rules.levelsOf(w.model); w.model.Reasoning && len(levels) > 0 {
		next = levels[(slices.Index(levels, w.level)+1)%len(levels)]
	}
	if w.model.Reasoning {
		w.useLevel(next)
	}
	if next == "" {
		w.respondData(r.id, r.name, &native.RawData{Value: native.Null{}})
		return
	}
	w.respondData(r.id, r.name, &native.LevelData{Level: next})
}

func (w *Worker) getThinkingLevels(r request) {
	w.respondData(r.id, r.name, &native.LevelsData{Levels: w.rules.levelsOf(w.model)})
}
