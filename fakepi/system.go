package fakepi

import (
	"strings"
	"sync"

	"fakepi.example/fakepi/native"
)

// instruct sends the system message before the first prompt of a session, and later what has changed of it: where a session
// goes on in another working directory.
func (w *Worker) instruct() {
	m := w.systemMessage()
	switch w.told {
	case w.cwd:
		return
	case "":
	default:
		m = &native.SystemMessage{
			Sections:  native.SystemSections{CWD: m.Sections.CWD, Odd: &native.Odd{Keys: []string{"cwd"}}},
			Timestamp: m.Timestamp,
			Odd:       &native.Odd{Keys: []string{"role", "content", "sections", "timestamp"}},
		}
	}
	w.told = w.cwd
	w.say(m)
}

// toldCWD is the working directory that the model is told of; empty if it is shown no system message.
func (w *Worker) toldCWD() string {
	told := ""
	for _, message := range w.transcript() {
		if m, ok := message.(*native.SystemMessage); ok {
			told = orElse(sectionCWD(m.Sections.CWD), orElse(told, w.cwd))
		}
	}
	return told
}

const (
	cwdBegins = "<cwd>\n"
	cwdEnds   = "\n</cwd>"
)

// sectionCWD is the directory in a section, which may be bare.
func sectionCWD(text string) string {
	return strings.TrimSuffix(strings.TrimPrefix(text, cwdBegins), cwdEnds)
}

// SystemPrompt is what pi's options say of the system prompt. The zero value leaves Pi's own.
type SystemPrompt struct {
	Own   string   // --system-prompt: in the place of Pi's; empty: Pi's
	Added []string // --append-system-prompt, each
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
// (docs/pi-formats.md, section 2).
func (w *Worker) sections() native.SystemSections {
	s := native.SystemSections{
		Preamble: orElse(w.system.Own, "You help with code."),
		Tools:    "- " + strings.Join(w.tools.told(), "\n- "),
		Rules:    "Keep answers short.",
		CWD:      cwdBegins + w.cwd + cwdEnds,
	}
	keys := []string{"preamble"}
	if len(w.system.Added) > 0 {
		s.Addendum = native.Some("<addendum>\n" + strings.Join(w.system.Added, "\n\n") + "\n</addendum>")
		keys = append(keys, "addendum")
	}
	if w.system.Own != "" {
		s.Odd = &native.Odd{Keys: append(keys, "cwd")}
	}
	return s
}

// toolSpecs are those of the built-in tools, to be read only.
var toolSpecs = sync.OnceValue(func() []native.ToolSpec {
	edits := native.Object{
		{Key: "type", Value: native.String("array")},
		{Key: "items", Value: parameters([]string{"oldText", "newText"}, field("oldText", "string"), field("newText", "string"))},
		{Key: "description", Value: native.String("replacements")},
	}
	return []native.ToolSpec{
		toolSpec("read", parameters([]string{"path"}, field("path", "string"), field("offset", "number"), field("limit", "number"))),
		toolSpec("bash", parameters([]string{"command"}, field("command", "string"), field("timeout", "number"))),
		toolSpec("edit", parameters([]string{"path", "edits"}, field("path", "string"), native.Member{Key: "edits", Value: edits})),
		toolSpec("write", parameters([]string{"path", "content"}, field("path", "string"), field("content", "string"))),
		looseSpec("grep", parameters([]string{"pattern"}, field("pattern", "string"), field("path", "string"), field("glob", "string"),
			field("ignoreCase", "boolean"), field("literal", "boolean"), field("context", "number"), field("limit", "number"))),
		looseSpec("find", parameters([]string{"pattern"}, field("pattern", "string"), field("path", "string"), field("limit", "number"))),
		looseSpec("ls", parameters(nil, field("path", "string"), field("limit", "number"))),
	}
})

func toolSpec(name string, parameters native.Object) native.ToolSpec {
	return native.ToolSpec{
		Name: name, Description: name, Parameters: parameters,
		ConstrainedSampling: native.Object{
			{Key: "type", Value: native.String("json_schema")},
			{Key: "strict", Value: native.String("prefer")},
		},
	}
}

// looseSpec is the spec of a tool whose arguments no provider is asked to hold to their schema.
func looseSpec(name string, parameters native.Object) native.ToolSpec {
	return native.ToolSpec{
		Name: name, Description: name, Parameters: parameters, Odd: &native.Odd{Keys: []string{"name", "description", "parameters"}},
	}
}

func parameters(required []string, properties ...native.Member) native.Object {
	names := native.Array{}
	for _, name := range required {
		names = append(names, native.String(name))
	}
	o := native.Object{{Key: "type", Value: native.String("object")}}
	if len(required) > 0 {
		o = append(o, native.Member{Key: "required", Value: names})
	}
	return append(o, native.Member{Key: "properties", Value: native.Object(properties)})
}

func field(name, typ string) native.Member {
	return native.Member{Key: name, Value: native.Object{
		{Key: "type", Value: native.String(typ)},
		{Key: "description", Value: native.String("")},
	}}
}
