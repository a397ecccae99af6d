package wcp_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/watchdog"
)

var update = flag.Bool("update", false, "rewrite the transcripts of docs/wcp.md")

const page = "../../../docs/wcp.md"

// policyOf is what the page leaves out of a start.
var policyOf = regexp.MustCompile(`"policy":\{.*?\}\},"incarnation"`)

// script is a conversation that a transcript shows.
type script struct {
	t     *testing.T
	talk  *conversation
	w     watchdog.Watchdog
	lines []string
	n     int
	clock time.Duration
	wake  time.Duration
}

func newScript(t *testing.T) *script {
	s := &script{t: t}
	check := validating(t)
	s.talk = &conversation{p: piped{reference(), func(toAdapter bool, line []byte) {
		check(toAdapter, line)
		mark := "< "
		if toAdapter {
			mark = "> "
		}
		s.lines = append(s.lines, mark+policyOf.ReplaceAllString(string(line), `"policy":{...},"incarnation"`))
	}}}
	return s
}

func (s *script) now() watchdog.Instant {
	return watchdog.Instant{Mono: s.clock, Boot: s.clock, Wall: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).Add(s.clock), BootID: "boot-1"}
}

func (s *script) start(incarnation int, state watchdog.State) {
	s.t.Helper()
	policy := watchdog.DefaultPolicy()
	policy.FirstToken = 90 * time.Second
	var err error
	s.w, err = s.talk.Start(watchdog.Boot{Policy: policy, Incarnation: incarnation, Now: s.now(), State: state})
	if err != nil {
		s.t.Fatal(err)
	}
}

// tick moves the clock and shows something of w1, or nothing.
func (s *script) tick(at time.Duration, bodies ...watchdog.Body) {
	s.t.Helper()
	s.clock = at
	var seen []watchdog.Observation
	for _, b := range bodies {
		s.n++
		o := watchdog.Observation{N: s.n, At: s.now(), Body: b}
		if b.Kind() != watchdog.KindLink {
			o.Worker, o.Generation = "w1", 1
		}
		seen = append(seen, o)
	}
	d, err := s.w.Step(s.now(), seen)
	if err != nil {
		s.t.Fatal(err)
	}
	s.wake = d.Wake
}

func (s *script) stop() []string {
	if err := s.talk.Close(); err != nil {
		s.t.Error(err)
	}
	return s.lines
}

func spawned() watchdog.Body {
	return watchdog.Spawned{Mode: watchdog.ModeRPC, Source: watchdog.SourceHeld, Parent: true, Task: "t1", PID: 4200, Start: 77}
}

func prompt() watchdog.Body {
	return watchdog.Bytes{Stream: watchdog.StreamIn, Data: []byte(`{"type":"prompt","message":"tidy up"}` + "\n")}
}

// stall is a worker that accepts a prompt and never says a word.
func stall(t *testing.T) []string {
	s := newScript(t)
	s.start(1, nil)
	s.tick(0, watchdog.Link{Up: true}, spawned())
	s.tick(time.Second, prompt(), watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte(
		`{"type":"response","command":"prompt","success":true}` + "\n" + `{"type":"agent_start"}` + "\n" + `{"type":"turn_start"}` + "\n")})
	for range 3 {
		if s.wake > 0 {
			s.tick(s.wake)
		}
	}
	return s.stop()
}

// crash is a watchdog that is killed and comes back.
func crash(t *testing.T) []string {
	s := newScript(t)
	state := &memory{}
	s.start(1, state)
	s.tick(0, watchdog.Link{Up: true}, spawned(), prompt())
	s.lines = append(s.lines, "  (SIGKILL; what was not synced may be lost)")
	s.clock = 90 * time.Second
	s.start(2, state)
	s.tick(90*time.Second, watchdog.Link{Up: true})
	return s.stop()
}

// TestTranscripts: the page shows what the reference really says.
func TestTranscripts(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	for _, one := range []struct {
		name string
		play func(*testing.T) []string
	}{{"stall", stall}, {"crash", crash}} {
		said := strings.Join(one.play(t), "\n")
		place := regexp.MustCompile("(?s)(<!-- transcript: " + one.name + " -->\n```\n).*?(```\n)")
		want = place.ReplaceAllStringFunc(want, func(old string) string {
			parts := place.FindStringSubmatch(old)
			return parts[1] + said + "\n" + parts[2]
		})
	}
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Errorf("docs/wcp.md shows something else than is said; run the test with -update (-page +said):\n%s", cmp.Diff(string(text), want))
	}
}
