package fakepi

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

func (w *Worker) getState(r request) { w.respondData(r.id, r.name, w.stateData()) }

func (w *Worker) stateData() *native.StateData {
	streaming, compacting, pending := w.State(w.now)
	d := &native.StateData{
		Model: w.model, ThinkingLevel: w.level, IsStreaming: streaming, IsCompacting: compacting,
		SessionFile: w.sessionPath(), SessionID: w.session.header.ID, SessionName: w.name(),
		MessageCount: int64(len(w.transcript())), PendingMessageCount: int64(pending),
	}
	steering, plain := w.steeringMode.(native.String)
	followUp, plain2 := w.followUpMode.(native.String)
	on, plain3 := w.autoCompaction().(native.Bool)
	d.SteeringMode, d.FollowUpMode, d.AutoCompactionEnabled = string(steering), string(followUp), bool(on)
	if !plain || !plain2 || !plain3 {
		d.Odd = w.oddState(d)
	}
	return d
}

// oddState is the state of a client that has set a mode to something else than a word, which Pi takes as it comes.
func (w *Worker) oddState(d *native.StateData) *native.Odd {
	o := &native.Odd{Keys: []string{"model", "thinkingLevel", "isStreaming", "isCompacting"}}
	for _, m := range []native.Member{
		{Key: "steeringMode", Value: w.steeringMode}, {Key: "followUpMode", Value: w.followUpMode},
		{Key: "sessionFile", Value: optional(d.SessionFile)}, {Key: "sessionId", Value: native.String(d.SessionID)},
		{Key: "sessionName", Value: optional(d.SessionName)}, {Key: "autoCompactionEnabled", Value: w.autoCompaction()},
	} {
		if m.Value != nil {
			o.Keys, o.Extra = append(o.Keys, m.Key), append(o.Extra, m)
		}
	}
	o.Keys = append(o.Keys, "messageCount", "pendingMessageCount")
	return o
}

// optional is a text as a value; nil if it is not set.
func optional(s native.Opt[string]) native.Value {
	if !s.Set {
		return nil
	}
	return native.String(s.V)
}

// name is the session's, if it has one.
func (w *Worker) name() native.Opt[string] { return w.session.name() }

func (w *Worker) getMessages(r request) {
	w.respondData(r.id, r.name, &native.MessagesData{Messages: w.transcript()})
}

func (w *Worker) getStats(r request) {
	if why := w.uncountable(); why != "" {
		w.respond(r.id, r.name, why)
		return
	}
	w.respondData(r.id, r.name, w.stats())
}

func (w *Worker) getLastText(r request) { w.respondData(r.id, r.name, w.lastText()) }

// getCommands lists the commands of Pi's own extensions; a worker has no others.
func (w *Worker) getCommands(r request) {
	commands := []native.SlashCommand{}
	for _, c := range w.rules.slash {
		source := native.Object{
			{Key: "path", Value: native.String("builtin:" + c.extension)}, {Key: "source", Value: native.String("builtin")},
			{Key: "scope", Value: native.String("temporary")}, {Key: "origin", Value: native.String("top-level")},
		}
		commands = append(commands, native.SlashCommand{
			Name: c.name, Description: native.Some(c.description), Source: "extension", SourceInfo: source,
		})
	}
	w.respondData(r.id, r.name, &native.CommandsData{Commands: commands})
}

// getForkMessages lists the user messages of all branches that have a text.
func (w *Worker) getForkMessages(r request) {
	data := &native.ForkMessagesData{Messages: []native.ForkMessage{}}
	for _, e := range w.session.entries {
		if m := userOf(e); m != nil && contentText(m.Content) != "" {
			data.Messages = append(data.Messages, native.ForkMessage{EntryID: placeOf(e).ID, Text: contentText(m.Content)})
		}
	}
	w.respondData(r.id, r.name, data)
}

// userOf is the user message that an entry is, or nil.
func userOf(e native.Entry) *native.UserMessage {
	if m, ok := e.(*native.MessageEntry); ok {
		user, _ := m.Message.(*native.UserMessage)
		return user
	}
	return nil
}

// getEntries lists the entries, or those after one.
func (w *Worker) getEntries(r request) {
	entries := w.session.entries
	if since := r.body.Get("since"); since != nil {
		at := -1
		for i, e := range entries {
			if native.Value(native.String(placeOf(e).ID)) == since {
				at = i
				break
			}
		}
		if at < 0 {
			w.respond(r.id, r.name, "Entry not found: "+javascript.String(since))
			return
		}
		entries = entries[at+1:]
	}
	if entries == nil {
		entries = []native.Entry{}
	}
	w.respondData(r.id, r.name, &native.EntriesData{Entries: entries, LeafID: w.session.leaf})
}

func (w *Worker) getTree(r request) {
	w.respondData(r.id, r.name, &native.TreeData{Tree: w.session.tree(w.rules), LeafID: w.session.leaf})
}
