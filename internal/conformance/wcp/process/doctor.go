package process

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/internal/conformance/wcp"
	"fakepi.example/internal/conformance/wcp/schema"
	"fakepi.example/watchdog"
)

// Check is one thing that Examine looks at.
type Check struct {
	Name    string
	Problem error  // nil: all is well
	Fix     string // of a problem: what to do
	Note    string // what was measured
}

// Examination is what is wrong with an adapter, and what it says of itself.
type Examination struct {
	Hello  wcp.HelloOK
	Checks []Check
}

// Well reports whether no check has found a problem.
func (e *Examination) Well() bool {
	return !slices.ContainsFunc(e.Checks, func(c Check) bool { return c.Problem != nil })
}

// slowTick is the mean time of a tick above which a run takes long.
const slowTick = 5 * time.Millisecond

// Examine has a few short conversations with an adapter. What it says is judged by form and honesty alone. A check that finds a
// problem ends the examination if the later ones could find nothing else.
func Examine(ctx context.Context, cfg Config) (*Examination, error) {
	v, err := schema.New()
	if err != nil {
		return nil, err
	}
	x := &examiner{}
	cfg.Tap = x.tap(v)
	s, err := New(ctx, cfg)
	x.note("handshake, and a made-up feature refused", err, "")
	if err != nil {
		return &x.Examination, nil
	}
	defer s.Close()
	x.Hello = s.Hello()
	x.examine(s)
	if err := x.misfit; err != nil {
		x.Checks = append(x.Checks, Check{Name: "schema", Problem: err, Fix: "compare the message with internal/conformance/wcp/schema/wcp-1.schema.json"})
	} else {
		x.note("schema", nil, "every line fits")
	}
	x.note("end in good order", s.Close(), "")
	return &x.Examination, nil
}

type examiner struct {
	Examination
	mu     sync.Mutex
	misfit error // the first line of the adapter that does not fit the schema
}

func (x *examiner) tap(v *schema.Validator) wcp.Tap {
	return func(toAdapter bool, line []byte) {
		if toAdapter {
			return
		}
		err := v.Check(false, line)
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.misfit == nil {
			x.misfit = err
		}
	}
}

func (x *examiner) note(name string, problem error, note string) {
	c := Check{Name: name, Problem: problem, Note: note}
	if v, ok := errors.AsType[*wcp.Violation](problem); ok {
		c.Fix = fixes[v.Rule]
	}
	if problem != nil && c.Fix == "" {
		c.Fix = "run the adapter by hand, give it the lines of docs/wcp.md, and look at its stderr"
	}
	x.Checks = append(x.Checks, c)
}

// fixes says what to do about a broken rule.
var fixes = map[string]string{
	"WCP-01": "write one JSON object a line to stdout, UTF-8, ended by \\n alone, and nothing else: diagnostics go to stderr",
	"WCP-02": "answer hello with hello_ok: protocol 1, a name, wakeups exact (or poll with poll_ms up to 60000), and storage none, directory or log",
	"WCP-03": "write the members of docs/wcp.md, no others; leave out what does not apply instead of writing null",
	"WCP-04": "answer start with ready, once the watchdog stands",
	"WCP-05": "compare the needs of start with your features, and answer unsupported with a reason where one is missing",
	"WCP-06": "end each answer to tick with exactly one quiescent, and flush stdout",
	"WCP-07": "write only in answer to a message: no timers or threads that print",
	"WCP-09": "make the state durable first, then write the first command",
	"WCP-11": "ack the number n of an observation that was shown, never less than before; wake_ms is 0 or a time on mono_ms",
	"WCP-13": "answer each message at once, and flush stdout behind each answer",
	"WCP-14": "bound what the watchdog keeps, writes and starts",
	"WCP-15": "answer stop with bye",
	"WCP-16": "end with exit code 0 when stdin is closed, and leave no process behind",
	"WCP-17": "decide by now and seen alone: no real clock, no random numbers, no order of a hash table",
	"WCP-18": "measure silence on mono_ms, budgets on boot_ms; wall is for civil times alone",
}

// shift is by how much the civil clock is off in one of the conversations.
const shift = 7 * 365 * 24 * time.Hour

func (x *examiner) examine(s *Subject) {
	first, took, err := tell(s, 0, 0)
	x.note("a conversation", err, "")
	if err != nil {
		return
	}
	var slow error
	if took > slowTick {
		slow = fmt.Errorf("a tick takes %s; a run has hundreds of thousands", took.Round(time.Microsecond))
	}
	x.Checks = append(x.Checks, Check{
		Name: "timing", Problem: slow, Note: fmt.Sprintf("%s a tick", took.Round(time.Microsecond)),
		Fix: "keep the adapter's process alive (reuse), and do no work behind a tick that has no news",
	})
	again, _, err := tell(s, 0, 0)
	x.note("the same twice", orDifferent("WCP-17", err, first, again), "")
	late, _, err := tell(s, 0, 30*time.Millisecond)
	x.note("silence, and real pauses change nothing", orDifferent("WCP-17", err, first, late), "")
	shifted, _, err := tell(s, shift, 0)
	x.note("a civil clock that is 7 years ahead changes nothing", orDifferent("WCP-18", err, first, shifted), "")
	x.note("killed, and started again", comesBack(s), "")
}

// orDifferent is an error, or the finding that two conversations went differently.
func orDifferent(rule string, err error, first, second []string) error {
	if err != nil {
		return err
	}
	for i := range max(len(first), len(second)) {
		a, b := lineAt(first, i), lineAt(second, i)
		if a != b {
			return &wcp.Violation{Rule: rule, What: fmt.Sprintf("the same case, two answers: %.300s, then %.300s", a, b)}
		}
	}
	return nil
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing"
}

// tell tells a short story, with the civil clock off by so much and a real pause before each tick. It returns what the adapter
// answered, and how long a tick took.
func tell(s *Subject, off, pause time.Duration) (said []string, took time.Duration, err error) {
	h, err := s.Open(conformance.Case{ID: "examination"})
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	w, err := h.Start(s.bootAt(1, off))
	if err != nil {
		return nil, 0, err
	}
	keys := names{}
	ticks := story(off)
	for i := range ticks {
		if pause > 0 {
			if err := h.(*history).child.harness.Quiet(pause); err != nil {
				return nil, 0, err
			}
		}
		begun := time.Now()
		d, err := w.Step(ticks[i].now, ticks[i].seen)
		took += time.Since(begun)
		if err != nil {
			return nil, 0, err
		}
		said = append(said, keys.words(&d, off)...)
	}
	return said, took / time.Duration(len(ticks)), nil
}

func (s *Subject) bootAt(incarnation int, off time.Duration) watchdog.Boot {
	b := s.boot()
	b.Incarnation = incarnation
	b.Now.Wall = b.Now.Wall.Add(off)
	return b
}

// comesBack kills the adapter in the middle and starts it again.
func comesBack(s *Subject) (err error) {
	h, err := s.Open(conformance.Case{ID: "examination"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	ticks := story(0)
	w, err := h.Start(s.bootAt(1, 0))
	if err != nil {
		return err
	}
	for _, t := range ticks[:len(ticks)/2] {
		if _, err := w.Step(t.now, t.seen); err != nil {
			return err
		}
	}
	b := s.bootAt(2, 0)
	b.Now = ticks[len(ticks)/2].now
	if w, err = h.Start(b); err != nil {
		return err
	}
	for _, t := range ticks[len(ticks)/2:] {
		if _, err := w.Step(t.now, t.seen); err != nil {
			return err
		}
	}
	return nil
}
