package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"fakepi.example/internal/conformance/oracle"
	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/conformance/trace"
)

// playTwice plays a history twice: a watchdog is a function of what it observed (WDC-GATE-006).
func (r *runner) playTwice(c *matchCase, vector []int) (*history, error) {
	var first, second answers
	h, err := r.playOne(c, vector, &first)
	if err != nil {
		return nil, err
	}
	if h.unanswered {
		return h, nil
	}
	again, err := r.playOne(c, vector, &second)
	if err != nil {
		return nil, err
	}
	if h.digest != again.digest {
		renamed := !slices.Equal(first.keys, second.keys)
		v := unstable(first.list, second.list, renamed)
		if v.Event == 0 && renamed && len(first.list) == len(second.list) {
			return h, nil // the keys alone differ, and what was stored with them
		}
		h.violations = slices.Insert(h.violations, 0, v) // what else is found may be gone when it is played again
	}
	return h, nil
}

// unstable is the finding that the same history came out differently twice: at the first answer that is another one. Of subjects
// that have renamed their keys what is stored is not compared.
func unstable(first, second []answer, renamed bool) oracle.Violation {
	v := oracle.Violation{
		Requirement: "WDC-GATE-006",
		Mistake:     mistakes.Unstable,
		Expected:    "the same answer to the same observations, when the history is played again",
		Actual:      "another history, though each answer was the same",
	}
	for i := range min(len(first), len(second)) {
		if was, is := first[i].parts(&second[i], renamed); was != is {
			v.Event, v.At = first[i].event, first[i].at
			v.Actual = fmt.Sprintf("%s, then %s", was, is)
			break
		}
	}
	return v
}

// answers is a Sink that keeps what a subject answered at each step. Keys have other names there, by first use: a subject may
// invent them as it likes.
type answers struct {
	trace.Nothing
	list  []answer
	keys  []string // in the order of their first use
	names map[string]string
}

// name is the name of a key.
func (a *answers) name(key string) string {
	if key == "" {
		return ""
	}
	if a.names == nil {
		a.names = map[string]string{}
	}
	if _, known := a.names[key]; !known {
		a.keys = append(a.keys, key)
		a.names[key] = fmt.Sprintf("key %d", len(a.keys))
	}
	return a.names[key]
}

// answer is what a subject answered at one step.
type answer struct {
	event  int
	at     time.Duration // on Mono
	said   []string      // verdicts, commands and the error
	wake   time.Duration
	ack    int
	stored string
}

// Step implements trace.Sink.
func (a *answers) Step(s *trace.Step) {
	d := &s.Decision
	got := answer{event: s.Event, at: s.Now.Mono, wake: d.Wake, ack: d.Ack, stored: string(s.Stored)}
	for i := range d.Verdicts {
		got.said = append(got.said, inWords("verdict", &d.Verdicts[i]))
	}
	for i := range d.Commands {
		c := d.Commands[i]
		c.Key, c.Item = a.name(c.Key), a.name(c.Item)
		got.said = append(got.said, inWords("command", &c))
	}
	if s.Err != nil {
		got.said = append(got.said, "error "+s.Err.Error())
	}
	a.list = append(a.list, got)
}

func inWords(what string, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		text = []byte(err.Error())
	}
	return what + " " + string(text)
}

// parts returns the first parts in which two answers differ, or the same text twice.
func (a *answer) parts(b *answer, renamed bool) (was, is string) {
	for i := range max(len(a.said), len(b.said)) {
		if was, is = partAt(a.said, i), partAt(b.said, i); was != is {
			return was, is
		}
	}
	switch {
	case a.wake != b.wake:
		return "wake " + a.wake.String(), "wake " + b.wake.String()
	case a.ack != b.ack:
		return fmt.Sprintf("ack %d", a.ack), fmt.Sprintf("ack %d", b.ack)
	case a.stored != b.stored && !renamed: // else it may hold the keys
		from := 0
		for from < min(len(a.stored), len(b.stored)) && a.stored[from] == b.stored[from] {
			from++
		}
		return storedFrom(a.stored, from), storedFrom(b.stored, from)
	}
	return "", ""
}

// storedFrom tells a little of what was stored, from a byte on.
func storedFrom(stored string, from int) string {
	return fmt.Sprintf("stored %d bytes, from byte %d %.40q", len(stored), from, stored[from:])
}

func partAt(said []string, i int) string {
	if i < len(said) {
		return said[i]
	}
	return "nothing"
}
