package fakepi

import (
	"regexp"
	"slices"
	"strings"

	"fakepi.example/fakepi/native"
)

// ToolChoice is what pi's options say of the tools that a model may call. The zero value is Pi's own choice, and a script's
// other tools.
type ToolChoice struct {
	// Only is --tools: names and, in pi-1.6, patterns with * of all that there are, or +name and -name, which change Pi's own
	// choice. Nil: it was not given.
	Only      []string
	Not       []string // --exclude-tools of pi-1.6: names and patterns
	None      bool     // --no-tools
	NoBuiltin bool     // --no-builtin-tools
}

// changes reports whether Only changes Pi's choice, instead of replacing it.
func (c *ToolChoice) changes() bool { return slices.ContainsFunc(c.Only, isChange) }

func isChange(name string) bool { return strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") }

// Problem says what is wrong with Only, in the words of Pi 1.6; empty: nothing.
func (c *ToolChoice) Problem() string {
	if !c.changes() {
		return ""
	}
	for _, name := range c.Only {
		if !isChange(name) {
			return "tool names cannot be mixed with +name or -name entries"
		}
	}
	for _, name := range c.Only {
		if strings.Contains(name, "*") {
			return "+name and -name entries take exact tool names, not patterns: " + name
		}
	}
	return ""
}

// has reports whether the model may call a tool.
func (c *ToolChoice) has(name string) bool {
	switch {
	case matches(c.Not, name):
		return false
	case c.changes():
		if i := slices.IndexFunc(c.Only, func(entry string) bool { return entry[1:] == name }); i >= 0 {
			return slices.Contains(c.changed(nil), name)
		}
	case c.Only != nil:
		return matches(c.Only, name)
	}
	return !c.None && !(c.NoBuiltin && slices.Contains(builtinTools, name))
}

// listed are the built-in tools that the model is told of, in Pi's order.
func (c *ToolChoice) listed() []string {
	names := defaultTools
	if c.None || c.NoBuiltin {
		names = nil
	}
	switch {
	case c.changes():
		names = c.changed(names)
	case c.Only != nil: // those that are named, then those that a pattern names
		names = slices.Concat(c.Only, builtinTools)
	}
	var listed []string
	for _, name := range names {
		if slices.Contains(builtinTools, name) && c.has(name) && !slices.Contains(listed, name) {
			listed = append(listed, name)
		}
	}
	return listed
}

// changed adds the tools of +name to others and takes those of -name from them, in the order of Only.
func (c *ToolChoice) changed(names []string) []string {
	names = slices.Clone(names)
	for _, entry := range c.Only {
		name := entry[1:]
		at := slices.Index(names, name)
		switch {
		case entry[0] == '+' && at < 0:
			names = append(names, name)
		case entry[0] == '-' && at >= 0:
			names = slices.Delete(names, at, at+1)
		}
	}
	return names
}

// matches reports whether one of some names, in which * is any text, is the name.
func matches(names []string, name string) bool {
	return slices.ContainsFunc(names, func(pattern string) bool { return matchesPattern(pattern, name) })
}

func matchesPattern(pattern, name string) bool {
	anything := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	return regexp.MustCompile("(?s)^" + anything + "$").MatchString(name)
}

// specs are those of the tools that the model is told of.
func (c *ToolChoice) specs() []native.ToolSpec {
	var specs []native.ToolSpec
	for _, name := range c.listed() {
		tool, _ := builtin(name)
		specs = append(specs, tool.spec())
	}
	return specs
}
