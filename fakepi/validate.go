package fakepi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"fakepi.example/fakepi/native"
)

// invalid says what is wrong with the arguments of one of Pi's tools; empty: nothing.
func (r *rules) invalid(tool string, args native.Value) string {
	known, ok := builtin(tool)
	if !ok || !known.strict {
		return ""
	}
	o, ok := args.(native.Object)
	problems := []string{"root: must be object"} // where the other dialect has refused it before
	if ok {
		problems = r.problems(o, known.properties, "")
	}
	if len(problems) == 0 {
		return ""
	}
	var received bytes.Buffer
	_ = json.Indent(&received, native.AppendValue(nil, args), "", "  ") // it is JSON
	return fmt.Sprintf("Validation failed for tool %q:\n  - %s\n\nReceived arguments:\n%s", tool, strings.Join(problems, "\n  - "), &received)
}

// problems are those of one object, each with the path to it.
func (r *rules) problems(o native.Object, known []property, path string) []string {
	var list, missing []string
	for _, p := range known {
		v := o.Get(p.name)
		switch {
		case v == nil && p.required:
			missing = append(missing, p.name)
		case v != nil:
			list = append(list, r.mistakes(v, p, path+p.name)...)
		}
	}
	if r.namesMissing && len(missing) > 0 {
		all := path + missing[0] + ": must have required properties " + strings.Join(missing, ", ")
		return append([]string{all}, list...)
	}
	for i, name := range missing {
		missing[i] = path + name + ": missing"
	}
	return append(missing, list...)
}

// mistakes are those of a value. What can be read as the type that is wanted counts as one.
func (r *rules) mistakes(v native.Value, p property, path string) []string {
	got := native.TypeOf(v)
	switch {
	case p.kind == got:
	case p.kind == "string" && got != "array" && got != "object":
	case p.kind == "number" && (got == "null" || got == "boolean" || numeric(v)):
	case r.namesMissing:
		return []string{path + ": must be " + p.kind}
	default:
		return []string{path + ": expected " + p.kind + ", got " + got}
	}
	var list []string
	items, _ := v.(native.Array)
	for i, item := range items {
		if o, ok := item.(native.Object); ok {
			list = append(list, r.problems(o, p.items, path+"."+strconv.Itoa(i)+".")...)
		}
	}
	return list
}

func numeric(v native.Value) bool {
	s, ok := v.(native.String)
	_, err := strconv.ParseFloat(string(s), 64)
	return ok && err == nil
}
