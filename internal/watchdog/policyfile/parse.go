package policyfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"fakepi.example/watchdog"
)

// maxSize bounds a policy file: no one writes a longer one by hand.
const maxSize = 1 << 20

// Parse reads the policy in src; file names it in errors. An empty source is the default policy. Every mistake is found
// at once; each is an *Error.
func Parse(file string, src []byte) (watchdog.Policy, error) {
	r := &reader{file: file, policy: watchdog.DefaultPolicy()}
	if len(src) > maxSize {
		return watchdog.Policy{}, &Error{file, 1, 1, fmt.Sprintf("%d bytes are too long for a policy", len(src)), "keep it under 1 MiB"}
	}
	tree, err := parser.ParseBytes(src, 0)
	if err != nil {
		return watchdog.Policy{}, r.syntax(err)
	}
	for i, doc := range tree.Docs {
		switch {
		case i > 0 && doc.Body != nil:
			r.fail(doc.Body, "a second YAML document", "keep one policy a file")
		case doc.Body != nil:
			r.read(doc.Body)
		}
	}
	if len(r.errs) > 0 {
		return watchdog.Policy{}, errors.Join(r.errs...)
	}
	return r.policy, nil
}

// reader walks the tree of a file and gathers what it says and its mistakes.
type reader struct {
	file   string
	policy watchdog.Policy
	errs   []error
}

func (r *reader) fail(at ast.Node, msg, hint string) {
	pos := at.GetToken().Position
	r.errs = append(r.errs, &Error{r.file, pos.Line, pos.Column, msg, hint})
}

func (r *reader) failErr(at ast.Node, err error) {
	msg, hint := split(err)
	r.fail(at, msg, hint)
}

func (r *reader) syntax(err error) error {
	var place token.Position
	msg := err.Error()
	if e, ok := errors.AsType[yaml.Error](err); ok {
		msg = e.GetMessage()
		if tok := e.GetToken(); tok != nil && tok.Position != nil {
			place = *tok.Position
		}
	}
	hint := "see docs/policy.md for the form"
	// The parser gives a name that comes twice no error type of its own.
	if strings.Contains(msg, "already defined") {
		hint = "remove one of them"
	}
	return &Error{r.file, place.Line, place.Column, msg, hint}
}

func (r *reader) read(body ast.Node) {
	members, ok := r.members(body, "a policy")
	if !ok {
		return
	}
	overrides, limits := take(members, "overrides")
	r.limits(&r.policy.Limits, limits, nil)
	for _, m := range overrides {
		r.overrides(m.value)
	}
}

// member is one "name: value".
type member struct {
	name       string
	key, value ast.Node
}

// take parts the members of one name from the others.
func take(members []member, name string) (taken, others []member) {
	for _, m := range members {
		if m.name == name {
			taken = append(taken, m)
		} else {
			others = append(others, m)
		}
	}
	return taken, others
}

func (r *reader) members(n ast.Node, what string) ([]member, bool) {
	mapping, ok := n.(*ast.MappingNode)
	if !ok {
		r.fail(n, what+" is a list of name: value", "see docs/policy.md for the form")
		return nil, false
	}
	var members []member
	for _, v := range mapping.Values {
		key, ok := v.Key.(*ast.StringNode)
		if !ok {
			r.fail(v.Key, fmt.Sprintf("%q is no name", v.Key.String()), "write name: value")
			continue
		}
		members = append(members, member{key.Value, key, v.Value})
	}
	return members, true
}

// limits applies every limit among the members to l, a preset before what refines it, and calls done after each.
func (r *reader) limits(l *watchdog.Limits, members []member, done func(name string)) {
	presets, members := take(members, "preset")
	for _, m := range presets {
		r.set(l, m.name, m, done)
	}
	for _, m := range members {
		if m.name != "effects" {
			r.set(l, m.name, m, done)
			continue
		}
		classes, _ := r.members(m.value, "effects")
		for _, c := range classes {
			r.set(l, "effects."+c.name, c, done)
		}
	}
}

func (r *reader) set(l *watchdog.Limits, name string, m member, done func(name string)) {
	if err := checkName(name); err != nil {
		r.failErr(m.key, err)
		return
	}
	value, ok := r.scalar(m.value, m.name)
	if !ok {
		return
	}
	if err := setLimit(l, name, value); err != nil {
		r.failErr(m.value, err)
		return
	}
	if done != nil {
		done(name)
	}
}

func (r *reader) scalar(n ast.Node, name string) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	case *ast.NullNode:
		r.fail(n, name+" has no value", "write one, or remove the line to keep the default")
	default:
		r.fail(n, name+" takes one value", "write it on the same line, such as stall: 45m")
	}
	return "", false
}

func (r *reader) overrides(n ast.Node) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.fail(n, "overrides is a list", "start each override with \"- match:\"")
		return
	}
	for _, item := range list.Values {
		r.override(item)
	}
}

func (r *reader) override(n ast.Node) {
	members, ok := r.members(n, "an override")
	if !ok {
		return
	}
	before := len(r.errs)
	o := watchdog.Override{Set: map[string]string{}}
	matches, limits := take(members, "match")
	for _, m := range matches {
		r.match(&o, m.value)
	}
	var l watchdog.Limits
	r.limits(&l, limits, func(name string) {
		for _, n := range watchdog.LimitNames() {
			if n == name || name == "preset" && strings.HasPrefix(n, "effects.") {
				o.Set[n] = l.Get(n)
			}
		}
	})
	switch {
	case len(r.errs) > before:
	case o.Worker == "" && o.Model == "" && o.Tool == "":
		r.fail(n, "an override that matches nothing by name", "add match: {model: NAME}, {tool: NAME} or {worker: NAME}")
	case len(o.Set) == 0:
		r.fail(n, "an override that changes nothing", "add a limit, such as first_token: 10m")
	default:
		r.policy.Overrides = append(r.policy.Overrides, o)
	}
}

func (r *reader) match(o *watchdog.Override, n ast.Node) {
	members, _ := r.members(n, "match")
	into := map[string]*string{"worker": &o.Worker, "model": &o.Model, "tool": &o.Tool}
	for _, m := range members {
		name, ok := into[m.name]
		if !ok {
			r.fail(m.key, fmt.Sprintf("match knows no %q", m.name), "take worker, model or tool")
			continue
		}
		*name, _ = r.scalar(m.value, m.name)
	}
}
