package fakepi

import (
	"cmp"
	"slices"
	"strings"

	"fakepi.example/fakepi/native"
)

// instruct sends the system message before the first prompt of a session, and later what has changed of it: where a session
// goes on in another working directory, or in one whose files say something else.
func (w *Worker) instruct() {
	now := w.variable()
	switch w.sentSections {
	case now:
		return
	case variable{}:
		w.say(w.systemMessage())
	default:
		w.say(&native.SystemMessage{
			Sections: now.since(w.sentSections, w.sections()), Timestamp: w.stamp(w.now),
			Odd: &native.Odd{Keys: []string{"role", "content", "sections", "timestamp"}},
		})
	}
	w.sentSections = now
}

// variable are the sections that can change in a session's life. Those that are empty it has not; but without a system
// prompt of the user's own it has Pi's.
type variable struct{ own, addendum, context, cwd string }

// variable are those of the session as it is now.
func (w *Worker) variable() variable {
	return variable{own: w.system.Own, addendum: w.system.addendum(), context: w.system.context(), cwd: w.cwd}
}

// since leaves of all sections what has changed: first what is new, then what is gone.
func (v variable) since(sent variable, s native.SystemSections) native.SystemSections {
	s.Odd = &native.Odd{}
	pis, other := v.own == "", (v.own == "") != (sent.own == "")
	for _, part := range []struct {
		key            string
		changed, there bool
		leave          func()
	}{
		{"preamble", v.own != sent.own, true, func() { s.Preamble = "" }},
		{"tools", other, pis, func() { s.Tools = "" }},
		{"rules", other, pis, func() { s.Rules = "" }},
		{"docs", other, pis, func() { s.Docs = "" }},
		{"addendum", v.addendum != sent.addendum, v.addendum != "", func() { s.Addendum = native.Opt[string]{} }},
		{"project_context", v.context != sent.context, v.context != "", func() { s.ProjectContext = native.Opt[string]{} }},
		{"cwd", v.cwd != sent.cwd, true, func() { s.CWD = "" }},
	} {
		switch {
		case !part.changed:
			part.leave()
		case part.there:
			s.Odd.Keys = append(s.Odd.Keys, part.key)
		default:
			s.Odd.Extra = append(s.Odd.Extra, native.Member{Key: part.key, Value: native.Null{}})
		}
	}
	for _, gone := range s.Odd.Extra {
		s.Odd.Keys = append(s.Odd.Keys, gone.Key)
	}
	return s
}

// shownSections are those that the model is shown; zero if it is shown no system message.
func (w *Worker) shownSections() (shown variable) {
	for _, message := range w.transcript() {
		if m, ok := message.(*native.SystemMessage); ok {
			s := m.Sections
			own := s.Preamble
			if s.Tools != "" { // then it is Pi's
				own = ""
			}
			shown.own = shownNow(&s, "preamble", own, shown.own)
			shown.addendum = shownNow(&s, "addendum", s.Addendum.V, shown.addendum)
			shown.context = shownNow(&s, "project_context", s.ProjectContext.V, shown.context)
			shown.cwd = cmp.Or(sectionCWD(s.CWD), shown.cwd, w.cwd)
		}
	}
	return shown
}

// shownNow is a section behind a message, of which one without oddities has all that there are.
func shownNow(s *native.SystemSections, key, said, before string) string {
	if s.Odd == nil || slices.Contains(s.Odd.Keys, key) {
		return said
	}
	return before
}

const (
	cwdBegins = "<cwd>\n"
	cwdEnds   = "\n</cwd>"
)

// sectionCWD is the directory in a section, which may be bare.
func sectionCWD(text string) string {
	return strings.TrimSuffix(strings.TrimPrefix(text, cwdBegins), cwdEnds)
}

// SystemPrompt is what options and files say of the system prompt. The zero value leaves Pi's own.
type SystemPrompt struct {
	Own     string        // in the place of Pi's; empty: Pi's
	Added   []string      // --append-system-prompt, each
	Context []ContextFile // AGENTS.md and the like, in Pi's order
}

// ContextFile is a file of instructions for a project.
type ContextFile struct{ Path, Text string }

// addendum is the section of what is added; empty: there is none.
func (p *SystemPrompt) addendum() string {
	if len(p.Added) == 0 {
		return ""
	}
	return "<addendum>\n" + strings.Join(p.Added, "\n\n") + "\n</addendum>"
}

// context is the section of the instructions for a project; empty: there is none.
func (p *SystemPrompt) context() string {
	if len(p.Context) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<project_context>\nProject-specific instructions and guidelines:\n\n")
	for i, f := range p.Context {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString("<project_instructions path=\"" + f.Path + "\">\n" + f.Text + "\n</project_instructions>")
	}
	b.WriteString("\n</project_context>")
	return b.String()
}

// systemMessage is the first message of a session's first run.
func (w *Worker) systemMessage() *native.SystemMessage {
	m := &native.SystemMessage{Sections: w.sections(), Timestamp: w.stamp(w.now), ToolsAdded: w.tools.specs()}
	if len(m.ToolsAdded) == 0 {
		m.Odd = &native.Odd{Keys: []string{"role", "content", "sections", "timestamp"}}
	}
	return m
}

// sections are the parts of the system prompt. What is Pi's own text are short stand-ins here; a real one has about 5.5 KB
// (docs/pi-formats.md, section 2). One of the user's own stands without Pi's other text.
func (w *Worker) sections() native.SystemSections {
	s := native.SystemSections{
		Preamble:       w.system.Own,
		Addendum:       ifAny(w.system.addendum()),
		ProjectContext: ifAny(w.system.context()),
		CWD:            cwdBegins + w.cwd + cwdEnds,
	}
	if w.system.Own == "" {
		s.Preamble, s.Tools, s.Rules = "You help with code.", "- "+strings.Join(w.tools.listed(), "\n- "), "Keep answers short."
		return s
	}
	s.Odd = &native.Odd{Keys: []string{"preamble"}}
	if s.Addendum.Set {
		s.Odd.Keys = append(s.Odd.Keys, "addendum")
	}
	if s.ProjectContext.Set {
		s.Odd.Keys = append(s.Odd.Keys, "project_context")
	}
	s.Odd.Keys = append(s.Odd.Keys, "cwd")
	return s
}

// ifAny is a section that is left out where it is empty.
func ifAny(text string) native.Opt[string] { return native.Opt[string]{V: text, Set: text != ""} }
