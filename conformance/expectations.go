package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fakepi.example/internal/conformance/oracle"
	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
)

// claims is a trace.Sink that judges what a scenario itself claims: its expectations, on the base history, and on every
// history of a twin that nobody is alarmed.
type claims struct {
	c        *matchCase
	base     bool
	late     time.Duration // by which a subject that polls may be later
	quiet    time.Duration // by which an end may be known later than it comes
	workers  []string
	standing map[string]spoken  // by worker
	said     []spoken           // every verdict, with the time until which it stood
	acts     []act              // of the base history
	alarms   []oracle.Violation // of a twin
	steps    []moment           // of the base history
	now      watchdog.Instant
	event    int
}

// moment is when the subject was stepped.
type moment struct {
	at    time.Duration
	event int
}

// spoken is a verdict while it stands.
type spoken struct {
	worker   string
	name     watchdog.VerdictName
	status   watchdog.Status
	cause    watchdog.Cause
	from, to time.Duration
	event    int // in which it was said
}

// act is a command.
type act struct {
	worker string
	kind   watchdog.CommandKind
	cause  watchdog.Cause
	at     time.Duration
	event  int
}

func newClaims(c *matchCase, workers []string, base bool, late, quiet time.Duration) *claims {
	return &claims{c: c, base: base, late: late, quiet: quiet, workers: workers, standing: map[string]spoken{}}
}

// Advance implements trace.Sink.
func (k *claims) Advance(watchdog.Instant) {}

// Fault implements trace.Sink.
func (k *claims) Fault(*trace.Fault) {}

// Act implements trace.Sink: what counts is what the subject ordered.
func (k *claims) Act(*trace.Act) {}

// Step implements trace.Sink.
func (k *claims) Step(s *trace.Step) {
	if k.base {
		k.steps = append(k.steps, moment{s.Now.Mono, s.Event})
	}
	if len(s.Decision.Verdicts) == 0 && len(s.Decision.Commands) == 0 {
		return
	}
	k.now, k.event = s.Now, s.Event
	for i := range s.Decision.Verdicts {
		k.verdict(&s.Decision.Verdicts[i])
	}
	for i := range s.Decision.Commands {
		k.command(&s.Decision.Commands[i])
	}
}

func (k *claims) verdict(v *watchdog.Verdict) {
	k.close(v.Worker)
	k.standing[v.Worker] = spoken{worker: v.Worker, name: v.Name, status: v.Status, cause: v.Cause, from: k.now.Mono, event: k.event}
}

// close ends the verdict that stood for a worker.
func (k *claims) close(worker string) {
	if last, ok := k.standing[worker]; ok {
		last.to = k.now.Mono
		k.said = append(k.said, last)
		delete(k.standing, worker)
	}
}

func (k *claims) command(c *watchdog.Command) {
	if k.base {
		k.acts = append(k.acts, act{c.Worker, c.Kind, c.Cause, k.now.Mono, k.event})
	}
	if k.c.twin && alarming(c) {
		k.alarm(c.Worker, "no notice but attention and reminders, and nothing destructive", fmt.Sprintf("%s because of %s", c.Kind, c.Cause.Name))
	}
}

// alarming reports whether a command must not come in a story that ends well.
func alarming(c *watchdog.Command) bool {
	if c.Kind != watchdog.CmdNotify && c.Kind != watchdog.CmdEscalate {
		return c.Kind.Destructive()
	}
	return c.Cause.Limit != watchdog.LimitAttention && c.Cause.Limit != watchdog.LimitUserWait &&
		c.Cause.Name != watchdog.VerdictAwaitingAuth
}

func (k *claims) alarm(worker, expected, actual string) {
	k.alarms = append(k.alarms, oracle.Violation{
		Requirement: k.c.scenario.Requires[0], Mistake: mistakes.TwinAlarm, At: k.now.Mono, Worker: worker, Event: k.event,
		Expected: expected, Actual: actual,
	})
}

// End implements trace.Sink.
func (k *claims) End(now watchdog.Instant) {
	k.now = now
	for _, id := range k.workers {
		if v, ok := k.standing[id]; ok && k.c.twin && v.status != watchdog.StatusOK {
			k.alarm(id, "a healthy end", fmt.Sprintf("%s %s", v.name, v.status))
		}
		k.close(id)
	}
}

// violations lists what the scenario claims and the history did not show. A faulty history is not the story that the
// twin tells: what alarms somebody there is for the invariants to judge.
func (k *claims) violations(faulty bool) []oracle.Violation {
	if len(k.c.without) > 0 {
		return nil
	}
	var found []oracle.Violation
	if !faulty {
		found = k.alarms
	}
	if !k.base {
		return found
	}
	expects := k.c.expects()
	for i := range expects {
		if k.late > 0 && expects[i].Status == watchdog.StatusSuspected && !expects[i].Never {
			continue // a suspicion may heal between two polls
		}
		if v, broken := k.check(&expects[i]); broken {
			found = append(found, v)
		}
	}
	return found
}

// check judges one expectation.
func (k *claims) check(e *scenarios.Expect) (oracle.Violation, bool) {
	met, at := k.find(e)
	if met != e.Never {
		return oracle.Violation{}, false
	}
	event := at.event
	if !met {
		event = k.lastStep(at.at)
	}
	v := oracle.Violation{
		Mistake: mistakes.Expectation, At: at.at, Worker: e.Worker, Requirement: k.requirement(e), Event: event,
		Expected: fmt.Sprintf("%s (%s)", expectation(e), e.Pos),
		Actual:   k.heard(e),
	}
	return v, true
}

// lastStep is the last step by a time: the one in which the subject could still have said what was expected until then, or have
// asked to be stepped again.
func (k *claims) lastStep(by time.Duration) int {
	i, _ := slices.BinarySearchFunc(k.steps, by, func(m moment, by time.Duration) int {
		if m.at <= by {
			return -1
		}
		return 1
	})
	if i == 0 {
		return 0
	}
	return k.steps[i-1].event
}

// find reports whether one of the alternatives came, and when; of one that did not, when its time was over.
func (k *claims) find(e *scenarios.Expect) (bool, moment) {
	from, to := e.From, e.To
	switch {
	case !e.HasWindow:
		from, to = 0, k.now.Mono
	case e.Never:
		from += k.late // what came before the window may still come
	default:
		to += k.late
		if ofEnd(e) {
			to += k.quiet
		}
	}
	for _, s := range k.said {
		if e.Worker != "" && s.worker != e.Worker || s.from > to || s.to < from || s.to == s.from && s.to != k.now.Mono {
			continue
		}
		if slices.Contains(e.Alts, string(s.name)) && (e.Status == "" || e.Status == s.status) && fits(e.Cause, s.cause) {
			return true, moment{max(s.from, from), s.event}
		}
	}
	for _, a := range k.acts {
		if e.Worker != "" && a.worker != e.Worker || a.at < from || a.at > k.until(e, &a, to) || !fits(e.Cause, a.cause) {
			continue
		}
		told := a.kind == watchdog.CmdNotify || a.kind == watchdog.CmdEscalate
		if slices.Contains(e.Alts, string(a.kind)) || told && slices.Contains(e.Alts, scenarios.Told) {
			return true, moment{a.at, a.event}
		}
	}
	return false, moment{at: to}
}

// until is when the time of a command is over that was to come by a moment. What follows from several looks, leaves and acts
// before comes whole polls later, and perhaps behind what the scenario lets happen next: of a subject that polls it is only
// expected that it comes.
func (k *claims) until(e *scenarios.Expect, a *act, to time.Duration) time.Duration {
	if k.late == 0 || e.Never || a.kind == watchdog.CmdNotify {
		return to
	}
	return k.now.Mono
}

// ofEnd reports whether what is expected rests on the end of the work.
func ofEnd(e *scenarios.Expect) bool {
	ends := []string{string(watchdog.VerdictSettled), string(watchdog.VerdictSettledUnproven)}
	return slices.Contains(ends, e.Cause) || slices.ContainsFunc(e.Alts, func(alt string) bool { return slices.Contains(ends, alt) })
}

// fits reports whether a cause names what an expectation asks for: a verdict, phase or limit.
func fits(want string, c watchdog.Cause) bool {
	return want == "" || want == string(c.Name) || want == string(c.Phase) || want == string(c.Limit)
}

// requirement is what an expectation that failed is charged to: a notice to a requirement on notices and a cause to
// one on causes, if the scenario tests such a one; else the first that it tests.
func (k *claims) requirement(e *scenarios.Expect) string {
	requires := k.c.scenario.Requires
	without := *e
	without.Cause = ""
	area := ""
	switch came, _ := k.find(&without); {
	case e.Cause != "" && !e.Never && came:
		area = "WDC-EXPL-"
	case slices.Contains(e.Alts, scenarios.Told):
		area = "WDC-ALERT-"
	}
	for _, id := range requires {
		if area != "" && strings.HasPrefix(id, area) {
			return id
		}
	}
	return requires[0]
}

func expectation(e *scenarios.Expect) string {
	words := []string{"expect"}
	if e.Never {
		words = append(words, "never")
	}
	words = append(words, strings.Join(e.Alts, "|"))
	if e.Worker != "" {
		words = append(words, e.Worker)
	}
	if e.Status != "" {
		words = append(words, "status="+string(e.Status))
	}
	if e.Cause != "" {
		words = append(words, "cause="+e.Cause)
	}
	if e.HasWindow {
		words = append(words, fmt.Sprintf("within %s..%s", e.From, e.To))
	}
	return strings.Join(words, " ")
}

// heard says what came instead.
func (k *claims) heard(e *scenarios.Expect) string {
	var words []string
	for _, s := range k.said {
		if e.Worker == "" || s.worker == e.Worker {
			words = append(words, fmt.Sprintf("%s %s at %s", s.name, s.status, s.from))
		}
	}
	const most = 6
	if len(words) > most {
		words = append([]string{"..."}, words[len(words)-most:]...)
	}
	if len(words) == 0 {
		return "no verdict"
	}
	return strings.Join(words, ", ")
}

// done lists the commands of the base history but looks and beats, without times.
func (k *claims) done() []string {
	var words []string
	for _, a := range k.acts {
		switch a.kind {
		case watchdog.CmdProbe, watchdog.CmdInspect, watchdog.CmdHeartbeat:
		default:
			words = append(words, a.worker+" "+string(a.kind))
		}
	}
	return words
}

// spoken lists the verdicts of the history, without times.
func (k *claims) spoken() []string {
	words := make([]string, len(k.said))
	for i, s := range k.said {
		words[i] = fmt.Sprintf("%s %s %s", s.worker, s.name, s.status)
	}
	return words
}
