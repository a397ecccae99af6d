package script

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Cast says whose lines a source may hold.
type Cast int

const (
	// OneWorker is a plain script: lines without an actor are the worker's; the user may answer.
	OneWorker Cast = iota
	// Everyone is a scenario: every line names its actor: w1, w2 ..., world, owner, operator or user.
	Everyone
)

// Parse reads a plain script: lines for one worker and the user who answers it, then payload files in txtar form.
// An error is an Errors.
func Parse(file string, src []byte) (*Script, error) {
	archive := txtar.Parse(src)
	lines, err := Lex(file, archive.Comment)
	if err != nil {
		return nil, err
	}
	payload := NewPayload(file, archive)
	s := &Script{Files: payload.Files}
	var errs Errors
	for _, line := range lines {
		if len(line.Tokens) == 0 {
			continue
		}
		step, err := ParseStep(line.Tokens, OneWorker, payload)
		if err != nil {
			errs = append(errs, err)
		}
		s.Steps = append(s.Steps, step)
	}
	errs = append(errs, payload.Problems()...)
	if err := errs.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// ParseStep reads one step from the tokens of its line. Texts that are no quoted strings are files of payload.
func ParseStep(tokens []Token, cast Cast, payload *Payload) (Step, *Error) {
	s := Step{Pos: tokens[0].Pos, Actor: DefaultActor}
	var err *Error
	if s.Time, err = ParseTime(tokens[0]); err != nil {
		return s, err
	}
	rest := tokens[1:]
	k := ofWorker
	if len(rest) > 0 {
		if actorKind, ok := cast.actor(rest[0]); ok {
			s.Actor, k, rest = rest[0].Text, actorKind, rest[1:]
		} else if cast == Everyone {
			return s, rest[0].Refuse("is no actor", "after the time write w1, world, owner, operator or user, and then the verb")
		}
	}
	if len(rest) == 0 {
		return s, &Error{Pos: s.Pos, Msg: "the line has no verb", Hint: "known: " + strings.Join(namesOf(k), ", ")}
	}
	if _, other := Everyone.actor(rest[0]); cast == OneWorker && other {
		return s, rest[0].Refuse("is no actor here: a plain script is for one worker", "leave the worker's name out; other actors belong in a scenario")
	}
	v, err := findVerb(rest[0], k, s.Actor)
	if err != nil {
		return s, err
	}
	r := reader{payload: payload, verb: v}
	s.Action, s.Label, err = r.action(rest)
	return s, err
}

var workerName = regexp.MustCompile(`^w[1-9][0-9]*$`)

// IsWorker reports whether a scenario's actor of this name is a worker: w1, w2 ...
func IsWorker(name string) bool { return workerName.MatchString(name) }

// actor reports what kind of actor a token names, if it names one of this cast.
func (c Cast) actor(tok Token) (kind, bool) {
	switch name := tok.Text; {
	case tok.Quoted || tok.Key != "":
		return "", false
	case name == "user":
		return ofUser, true
	case c == OneWorker:
		return ofWorker, name == DefaultActor
	case IsWorker(name):
		return ofWorker, true
	default:
		k := kind(name)
		return k, k == ofWorld || k == ofOwner || k == ofOperator
	}
}

// findVerb looks a verb up for one kind of actor.
func findVerb(tok Token, k kind, actor string) (verb, *Error) {
	v, ok := verbOf(tok.Text)
	switch {
	case tok.Quoted || tok.Key != "":
		return v, tok.Refuse("is no verb", "known: "+strings.Join(namesOf(k), ", "))
	case ok && v.kind == k:
		return v, nil
	case ok:
		return v, tok.Refuse("is a verb of the "+string(v.kind)+", not of "+actor, "known here: "+strings.Join(namesOf(k), ", "))
	}
	return v, &Error{Pos: tok.Pos, Msg: fmt.Sprintf("unknown verb %q", tok.Text), Hint: Suggest(tok.Text, namesOf(k))}
}

// reader reads what follows a verb.
type reader struct {
	payload *Payload
	verb    verb
	params  []param
	given   []bool // by index of params
	next    int    // the first positional that may still come
	ahead   int    // how many words without a = follow the token that is read
}

// action reads the verb's arguments and the label; tokens begins with the verb.
func (r *reader) action(tokens []Token) (Action, string, *Error) {
	params, action := r.verb.bind(nil)
	r.params, r.given = params, make([]bool, len(params))
	label := ""
	for i := 1; i < len(tokens); {
		if tok := tokens[i]; tok.Key == "as" {
			if !isName(tok.Text) || tok.Quoted || label != "" {
				return nil, "", tok.Refuse("is no fit label", "give one name: a lower-case letter, then letters, digits and _")
			}
			label, i = tok.Text, i+1
			continue
		}
		r.ahead = 0
		for _, tok := range tokens[i+1:] {
			if tok.Key == "" {
				r.ahead++
			}
		}
		n, err := r.argument(tokens[i:])
		if err != nil {
			return nil, "", err
		}
		i += n
	}
	for i, p := range params {
		if p.required && !r.given[i] {
			return nil, "", r.fail(tokens[0], tokens[0].Text+" needs "+p.usage)
		}
	}
	a := action()
	if c, ok := a.(checker); ok {
		if msg, hint := c.check(); msg != "" {
			return nil, "", &Error{Pos: tokens[0].Pos, Msg: msg, Hint: hint}
		}
	}
	return a, label, nil
}

// argument reads the param at the head of tokens and returns how many tokens it took.
func (r *reader) argument(tokens []Token) (int, *Error) {
	tok := tokens[0]
	i := r.find(tok)
	if i < 0 {
		return 0, r.unexpected(tok)
	}
	p := r.params[i]
	if r.given[i] && !p.many {
		return 0, tok.Refuse("is given twice", "give it once")
	}
	r.given[i] = true
	n := 1
	if p.form == keyword {
		if len(tokens) < 2 || tokens[1].Key != "" {
			return 0, tok.Refuse("needs a value", "write "+p.usage)
		}
		tok, n = tokens[1], 2
	}
	return n, p.read(r, tok)
}

// find returns the param that a token begins: the positional that must come next, else the one of that name, else the
// next positional that can take it; -1 if none.
func (r *reader) find(tok Token) int {
	if tok.Key != "" {
		return r.named(tok.Key, option)
	}
	if i := r.positional(tok); i >= 0 && (r.params[i].required || tok.Quoted) {
		r.next = i + 1
		if r.params[i].many {
			r.next = i
		}
		return i
	}
	if !tok.Quoted {
		if i := r.named(tok.Text, flag, keyword); i >= 0 {
			return i
		}
	}
	i := r.positional(tok)
	if i >= 0 {
		r.next = i + 1
	}
	return i
}

func (r *reader) named(name string, forms ...form) int {
	for i, p := range r.params {
		for _, f := range forms {
			if p.form == f && p.name == name {
				return i
			}
		}
	}
	return -1
}

// positional returns the next positional that takes the token, passing over those that may be left out.
func (r *reader) positional(tok Token) int {
	for i := r.next; i < len(r.params); i++ {
		p := r.params[i]
		if p.form != positional {
			continue
		}
		if p.accepts(tok) {
			return i
		}
		if p.required {
			return -1
		}
	}
	return -1
}

// unexpected explains a token that fits nowhere.
func (r *reader) unexpected(tok Token) *Error {
	var names []string
	for _, p := range r.params {
		if p.form != positional {
			names = append(names, p.name)
		}
	}
	word := tok.Text
	if tok.Key != "" {
		word = tok.Key
	}
	if near := nearest(word, names); near != "" && !tok.Quoted {
		p := r.params[r.named(near, flag, keyword, option)]
		return r.fail(tok, fmt.Sprintf("%s does not belong here; did you mean %s?", tok, p.usage))
	}
	return r.fail(tok, fmt.Sprintf("%s does not belong here", tok))
}

func (r *reader) fail(tok Token, msg string) *Error {
	return &Error{Pos: tok.Pos, Msg: msg, Hint: "usage: " + r.verb.usage() + " [as=LABEL]"}
}

// text reads a quoted string or the name of a payload file.
func (r *reader) text(tok Token) (Text, *Error) {
	if tok.Quoted {
		return Text{Value: tok.Text}, nil
	}
	data, ok := r.payload.use(tok.Text)
	if !ok {
		return Text{}, tok.Refuse("is no payload file", fmt.Sprintf("put the text in quotes, or add the file below as -- %s --", tok.Text))
	}
	return Text{Value: string(data), File: tok.Text}, nil
}

// checker is an action whose parts must fit together.
type checker interface {
	check() (msg, hint string)
}
