package fakepi

import (
	"slices"

	"fakepi.example/fakepi/native"
)

// builtinTool is a tool that Pi brings (docs/pi-formats.md, section 3.2).
type builtinTool struct {
	name       string
	strict     bool // a provider is asked to hold its arguments to their schema, and they are checked before it runs
	properties []property
}

// property is one of the arguments of a tool.
type property struct {
	name     string
	kind     string // string, number, boolean, array
	required bool
	items    []property // of an array of objects
	about    string     // what the model is told of it
}

// builtins are the tools that Pi brings, in its order. Descriptions are stand-ins for Pi's.
var builtins = []builtinTool{
	{"read", true, []property{{name: "path", kind: "string", required: true}, {name: "offset", kind: "number"}, {name: "limit", kind: "number"}}},
	{"bash", true, []property{{name: "command", kind: "string", required: true}, {name: "timeout", kind: "number"}}},
	{"edit", true, []property{{name: "path", kind: "string", required: true},
		{name: "edits", kind: "array", required: true, about: "replacements", items: []property{
			{name: "oldText", kind: "string", required: true}, {name: "newText", kind: "string", required: true},
		}}}},
	{"write", true, []property{{name: "path", kind: "string", required: true}, {name: "content", kind: "string", required: true}}},
	{"grep", false, []property{{name: "pattern", kind: "string", required: true}, {name: "path", kind: "string"}, {name: "glob", kind: "string"},
		{name: "ignoreCase", kind: "boolean"}, {name: "literal", kind: "boolean"}, {name: "context", kind: "number"}, {name: "limit", kind: "number"}}},
	{"find", false, []property{{name: "pattern", kind: "string", required: true}, {name: "path", kind: "string"}, {name: "limit", kind: "number"}}},
	{"ls", false, []property{{name: "path", kind: "string"}, {name: "limit", kind: "number"}}},
}

// defaultTools are Pi's own choice, builtinTools all that it brings.
var (
	defaultTools = []string{"read", "bash", "edit", "write"}
	builtinTools = namesOf(builtins)
)

func namesOf(tools []builtinTool) (names []string) {
	for _, t := range tools {
		names = append(names, t.name)
	}
	return names
}

// builtin is the built-in tool of a name.
func builtin(name string) (builtinTool, bool) {
	i := slices.IndexFunc(builtins, func(t builtinTool) bool { return t.name == name })
	if i < 0 {
		return builtinTool{}, false
	}
	return builtins[i], true
}

// spec is a tool as the model is told of it.
func (t builtinTool) spec() native.ToolSpec {
	s := native.ToolSpec{Name: t.name, Description: t.name, Parameters: schemaOf(t.properties)}
	if !t.strict {
		s.Odd = &native.Odd{Keys: []string{"name", "description", "parameters"}}
		return s
	}
	s.ConstrainedSampling = native.Object{
		{Key: "type", Value: native.String("json_schema")},
		{Key: "strict", Value: native.String("prefer")},
	}
	return s
}

// schemaOf is the JSON schema of an object.
func schemaOf(properties []property) native.Object {
	var required native.Array
	var members native.Object
	for _, p := range properties {
		if p.required {
			required = append(required, native.String(p.name))
		}
		members = append(members, native.Member{Key: p.name, Value: p.schema()})
	}
	o := native.Object{{Key: "type", Value: native.String("object")}}
	if len(required) > 0 {
		o = append(o, native.Member{Key: "required", Value: required})
	}
	return append(o, native.Member{Key: "properties", Value: members})
}

func (p property) schema() native.Object {
	o := native.Object{{Key: "type", Value: native.String(p.kind)}}
	if p.items != nil {
		o = append(o, native.Member{Key: "items", Value: schemaOf(p.items)})
	}
	return append(o, native.Member{Key: "description", Value: native.String(p.about)})
}
