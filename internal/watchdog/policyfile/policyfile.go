// Package policyfile reads a watchdog.Policy as people write it: a YAML file, and limit=value on a command line.
//
// A file starts from watchdog.DefaultPolicy and says what differs:
//
//	preset: autonomous
//	stall: 45m
//	first_token: 90s
//	effects: {task_state: never}
//	overrides:
//	  - match: {model: slow-1}
//	    first_token: 10m
//	  - match: {tool: bash}
//	    tool: 4h
//
// What an override applies to stands under match, so that the limit tool and the name of a tool keep apart.
// docs/policy.md describes each limit.
package policyfile

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"fakepi.example/watchdog"
)

// Error is a mistake in a policy file: where it is, what is wrong, and what to do. It wraps watchdog.ErrPolicy.
type Error struct {
	File string
	Line int // from 1; 0 if the place is not known
	Col  int // from 1, in characters
	Msg  string
	Hint string // may be empty
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
	if e.Line == 0 {
		text = fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

func (e *Error) Unwrap() error { return watchdog.ErrPolicy }

// Load reads a policy file. A file that cannot be read is an error of package os, a mistake in it one *Error or several,
// joined.
func Load(path string) (watchdog.Policy, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return watchdog.Policy{}, err
	}
	return Parse(path, src)
}

// Set changes one limit of a policy as "limit=value" says: "stall=45m", "effects.publish=never", "preset=autonomous".
// Its error wraps watchdog.ErrPolicy; then nothing is changed.
func Set(p *watchdog.Policy, arg string) error {
	name, value, ok := strings.Cut(arg, "=")
	if !ok {
		return fmt.Errorf("%w: %q has no value; write limit=value, such as stall=45m", watchdog.ErrPolicy, arg)
	}
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	changed := *p
	if err := setLimit(&changed.Limits, name, value); err != nil {
		return fmt.Errorf("%w: %s: %w", watchdog.ErrPolicy, arg, err)
	}
	*p = changed
	return nil
}

// setLimit is Limits.Set with presets.
func setLimit(l *watchdog.Limits, name, value string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if name == "preset" {
		return setPreset(l, value)
	}
	return l.Set(name, value)
}

// checkName refuses an unknown limit with a remedy in place of the list of all limits.
func checkName(name string) error {
	names := append(watchdog.LimitNames(), "preset")
	if slices.Contains(names, name) {
		return nil
	}
	hint := "docs/policy.md lists the limits"
	if n := nearest(name, names); n != "" {
		hint = fmt.Sprintf("did you mean %s?", n)
	}
	return &mistake{fmt.Sprintf("unknown limit %q", name), hint}
}

// mistake is an error whose remedy stands apart.
type mistake struct{ msg, hint string }

func (m *mistake) Error() string { return m.msg + "; " + m.hint }

func setPreset(l *watchdog.Limits, name string) error {
	effects, ok := watchdog.Preset(name)
	if !ok {
		return &mistake{fmt.Sprintf("unknown preset %q", name), "take attended or autonomous"}
	}
	l.Effects = effects
	return nil
}

// nearest returns the name that a mistyped one most likely means, or "": the one with which it shares the most letters
// at its two ends, if that is more than half.
func nearest(word string, names []string) string {
	best, most := "", len(word)/2
	for _, name := range names {
		if n := sharedEnds(word, name); n > most {
			best, most = name, n
		}
	}
	return best
}

func sharedEnds(a, b string) int {
	limit := min(len(a), len(b))
	head := 0
	for head < limit && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < limit-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head + tail
}

// split tells what is wrong from what to do about it, where the error keeps the two apart.
func split(err error) (msg, hint string) {
	if m, ok := errors.AsType[*mistake](err); ok {
		return m.msg, m.hint
	}
	return strings.TrimPrefix(err.Error(), watchdog.ErrPolicy.Error()+": "), "" // an Error wraps ErrPolicy anyway
}
