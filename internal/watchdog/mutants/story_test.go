package mutants_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fakepi.example/watchdog"
)

// maker starts a watchdog.
type maker func(watchdog.Boot) (watchdog.Watchdog, error)

// said is one thing that a watchdog said: what for comparing with others, and all of it for people.
type said struct {
	at   time.Duration
	what string // worker, and name and status of a verdict or kind of a command
	line string
}

// story is one watchdog with a clock that jumps, and whoever answers its questions.
type story struct {
	t          *testing.T
	boot       watchdog.Boot
	make       maker
	dog        watchdog.Watchdog
	now        watchdog.Instant
	n          int
	generation map[string]int
	offsets    map[string]int64 // by worker and stream
	answers    map[watchdog.What]string
	wake       time.Duration
	says       []said
	shows      map[string]bool // what is told beyond names and causes: "evidence", "next", "text"
	chunk      int             // bytes of a piece of a stream; 0 = whole records
}

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// play tells a watchdog a story and returns what it said. Lines: "TIME [w2] event", "policy NAME=VALUE",
// "answer WHAT TEXT", "show evidence|next|text", "until TIME", "suspend D", "clock D". The first worker is w1.
func play(t *testing.T, text string, start maker) []said { return playIn(t, text, start, 0) }

// playIn cuts the streams into pieces of a number of bytes.
func playIn(t *testing.T, text string, start maker, chunk int) []said {
	t.Helper()
	now := watchdog.Instant{Wall: epoch, BootID: "boot-1"}
	s := &story{
		t: t, make: start, now: now, boot: watchdog.Boot{Policy: watchdog.DefaultPolicy(), Incarnation: 1, Now: now},
		generation: map[string]int{}, offsets: map[string]int64{}, answers: map[watchdog.What]string{},
		shows: map[string]bool{}, chunk: chunk,
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if err := s.line(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return s.says
}

func (s *story) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "policy":
		name, value, _ := strings.Cut(rest, "=")
		return s.boot.Policy.Set(name, value)
	case "answer":
		what, text, _ := strings.Cut(rest, " ")
		s.answers[watchdog.What(what)] = text
		return nil
	case "show":
		s.shows[rest] = true
		return nil
	}
	d, err := time.ParseDuration(word)
	if err != nil {
		if d, err = time.ParseDuration(rest); err != nil {
			return err
		}
	}
	switch word {
	case "until":
		s.advance(d)
		return nil
	case "suspend":
		s.now.Boot, s.now.Wall = s.now.Boot+d, s.now.Wall.Add(d)
		return nil
	case "clock":
		s.now.Wall = s.now.Wall.Add(d)
		return nil
	}
	s.advance(d)
	worker := "w1"
	if strings.HasPrefix(rest, "w2 ") {
		worker, rest = "w2", rest[3:]
	}
	bodies, err := s.event(worker, rest)
	s.observe(worker, bodies)
	return err
}

// advance lets time pass, stepping the watchdog whenever it asked to be woken.
func (s *story) advance(to time.Duration) {
	for s.wake > 0 && s.wake <= to {
		if s.wake <= s.now.Mono {
			s.t.Fatalf("asked to be woken at %s, which is not after %s", s.wake, s.now.Mono)
		}
		s.move(s.wake)
		s.step(nil)
	}
	s.move(to)
}

func (s *story) move(to time.Duration) {
	by := to - s.now.Mono
	s.now.Mono, s.now.Boot, s.now.Wall = to, s.now.Boot+by, s.now.Wall.Add(by)
}

func (s *story) observe(worker string, bodies []watchdog.Body) {
	for _, b := range s.cut(bodies) {
		s.n++
		s.step([]watchdog.Observation{{N: s.n, At: s.now, Worker: worker, Generation: s.generation[worker], Body: b}})
	}
}

func (s *story) cut(bodies []watchdog.Body) []watchdog.Body {
	var out []watchdog.Body
	for _, body := range bodies {
		b, ok := body.(watchdog.Bytes)
		for ok && s.chunk > 0 && len(b.Data) > s.chunk {
			out = append(out, watchdog.Bytes{Stream: b.Stream, Offset: b.Offset, Data: b.Data[:s.chunk]})
			b.Offset, b.Data = b.Offset+int64(s.chunk), b.Data[s.chunk:]
			body = b
		}
		out = append(out, body)
	}
	return out
}

// step shows the watchdog what was seen, notes what it says, and answers its questions at once.
func (s *story) step(seen []watchdog.Observation) {
	if s.dog == nil {
		dog, err := s.make(s.boot)
		if err != nil {
			s.t.Fatal(err)
		}
		s.dog = dog
	}
	shown := fmt.Sprint(seen)
	d, err := s.dog.Step(s.now, seen)
	if fmt.Sprint(seen) != shown {
		s.t.Errorf("changed what it was shown:\n%s\nwas %s", fmt.Sprint(seen), shown)
	}
	if err != nil {
		s.note("failed", "failed: "+err.Error())
		return
	}
	s.wake = d.Wake
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		s.note(fmt.Sprintf("%s %s %s", v.Worker, v.Name, v.Status), s.spell(v))
	}
	questions := append([]watchdog.Command(nil), d.Commands...)
	for i := range questions {
		c := &questions[i]
		if c.What != "" {
			s.answer(c)
			continue
		}
		line := fmt.Sprintf("%s %s %s %s/%s", c.Worker, c.Kind, c.Cause.Name, c.Cause.Phase, c.Cause.Limit)
		if s.shows["text"] {
			line += fmt.Sprintf(" %q", c.Text)
		}
		s.note(fmt.Sprintf("%s %s %s %s", c.Worker, c.Kind, c.Cause.Name, c.Cause.Limit), line)
	}
}

func (s *story) note(what, line string) {
	s.says = append(s.says, said{s.now.Mono, what, fmt.Sprintf("%s %s", s.now.Mono, line)})
}

// spell writes a verdict with what it rests on.
func (s *story) spell(v *watchdog.Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %s/%s since=%s", v.Worker, v.Name, v.Status, v.Cause.Phase, v.Cause.Limit, v.Since)
	if s.shows["next"] {
		fmt.Fprintf(&b, " next %s", v.Next)
	}
	for _, e := range v.Evidence {
		if s.shows["evidence"] {
			fmt.Fprintf(&b, " #%d", e.N)
		}
	}
	for _, name := range [][]string{v.Detail.Calls, {v.Detail.Dialog, v.Detail.Credential, v.Detail.Reason}, v.Vetoes} {
		if text := strings.Trim(strings.Join(name, " "), " "); text != "" {
			fmt.Fprintf(&b, " %s", strings.Join(strings.Fields(text), " "))
		}
	}
	if v.Detail.DeadChain {
		b.WriteString(" dead_chain")
	}
	if !v.Detail.Until.IsZero() {
		fmt.Fprintf(&b, " until %s", v.Detail.Until.Format(time.TimeOnly))
	}
	for _, f := range v.Flags {
		fmt.Fprintf(&b, " %s", f)
	}
	return b.String()
}
