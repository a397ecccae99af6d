package fakepi

import (
	"slices"
	"strings"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/tui"
)

// pick is an open menu of Pi itself, which no dialog of a script is.
type pick struct {
	open bool
	take func(w *Worker, choice int) // nil: there is nothing to choose
}

// openPick opens a menu in the place of the prompt.
func (w *Worker) openPick(d tui.Dialog, take func(w *Worker, choice int)) {
	w.tui.pick = pick{open: true, take: take}
	w.tui.ui.Ask(w.now, d)
}

// pickNothing opens a menu that has nothing to choose from.
func (w *Worker) pickNothing(title string) {
	w.openPick(tui.Dialog{Title: title, Search: "There is nothing to choose here."}, nil)
}

// takesPick closes the open menu by an answer, and reports whether there was one.
func (w *Worker) takesPick(a tui.Action) bool {
	p := w.tui.pick
	if !p.open || a.Kind != tui.Answer && a.Kind != tui.Cancel {
		return false
	}
	w.tui.pick = pick{}
	w.tui.ui.Unask(w.now)
	if a.Kind == tui.Answer && p.take != nil {
		p.take(w, a.Choice)
	}
	w.written(false)
	return true
}

// pickModel changes to a model that is named whole, or lets one be picked.
func (w *Worker) pickModel(named string) {
	use := func(w *Worker, m *native.Model) {
		w.setModel(request{name: native.CmdSetModel, body: native.Object{
			{Key: "provider", Value: native.String(m.Provider)}, {Key: "modelId", Value: native.String(m.ID)},
		}})
	}
	var options []string
	for i := range w.models {
		m := &w.models[i]
		if strings.EqualFold(named, m.ID) || strings.EqualFold(named, m.Provider+"/"+m.ID) {
			use(w, m)
			return
		}
		options = append(options, m.ID+" ["+m.Provider+"]")
	}
	models := w.models
	w.openPick(tui.Dialog{Title: "Select Model", Options: options, Search: "No matching models", Typed: named},
		func(w *Worker, i int) { use(w, &models[i]) })
}

// pickLevel changes the thinking level.
func (w *Worker) pickLevel(named string) {
	levels := w.rules.levelsOf(w.model)
	if slices.Contains(levels, named) {
		w.useLevel(named)
		return
	}
	w.openPick(tui.Dialog{
		Title: "Thinking Level", Options: levels, Search: "No matching levels", Typed: named, First: slices.Index(levels, w.level),
	}, func(w *Worker, i int) { w.useLevel(levels[i]) })
}

// pickMessage forks the session before a message of the user.
func (w *Worker) pickMessage() {
	var texts, ids []string
	for _, e := range w.session.entries {
		if m := userOf(e); m != nil && contentText(m.Content) != "" {
			texts, ids = append(texts, contentText(m.Content)), append(ids, placeOf(e).ID)
		}
	}
	if len(ids) == 0 {
		w.tui.ui.Note(w.now, "No messages to fork from")
		return
	}
	w.openPick(tui.Dialog{Title: "Fork from Message", Options: texts, First: len(texts) - 1}, func(w *Worker, i int) {
		w.forkSession(request{name: native.CmdFork, body: native.Object{{Key: "entryId", Value: native.String(ids[i])}}})
	})
}
