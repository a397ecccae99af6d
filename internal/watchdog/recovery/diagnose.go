package recovery

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"fakepi.example/watchdog"
)

// Class is what a worker is in.
type Class string

// The classes of a diagnosis.
const (
	Progressing  Class = "progressing"
	Blocked      Class = "blocked on a prompt"
	Waiting      Class = "waiting" // for its quota, a credential, a person or the end of a delay
	Hung         Class = "hung"
	DeadAtRisk   Class = "dead with work at risk"
	DeadClean    Class = "dead with nothing at risk"
	RowWrong     Class = "row wrong, worker fine"
	Undetermined Class = "undetermined"
)

// Diagnosis is a class, and what it rests on.
type Diagnosis struct {
	Class    Class    `json:"class"`
	Debris   Debris   `json:"debris"`
	Evidence []string `json:"evidence"`
	Unknown  []string `json:"unknown,omitempty"` // what could not be told, and what would tell it
}

// Diagnose names what a worker is in. It concludes only from what was seen now: a row of a tracker alone proves nothing
// (WDC-DEAD-003), and quiet inside a limit is legitimate (WDC-TOOL-001).
func Diagnose(f *Facts, l *watchdog.Limits) *Diagnosis {
	d := &diagnosing{Facts: f, limits: l, Diagnosis: &Diagnosis{Debris: Classify(f.Worktree, f.gatesDone())}}
	d.tellWorktree()
	d.tellSession()
	d.tellTask()
	d.Class = d.judge()
	return d.Diagnosis
}

// gatesDone reports whether the tracker names a gate that has passed. That the worker did not report it itself is the
// tracker's to know.
func (f *Facts) gatesDone() bool { return f.Task != nil && len(f.Task.Gates) > 0 }

type diagnosing struct {
	*Facts
	*Diagnosis
	limits *watchdog.Limits
}

func (d *diagnosing) say(format string, args ...any) {
	d.Evidence = append(d.Evidence, fmt.Sprintf(format, args...))
}

func (d *diagnosing) miss(format string, args ...any) {
	d.Unknown = append(d.Unknown, fmt.Sprintf(format, args...))
}

func (d *diagnosing) judge() Class {
	switch {
	case d.Process == nil:
		return d.judgeUnseen()
	case d.Process.Gone:
		d.say("process %d: there is none", d.Process.PID)
		return d.dead()
	case d.Process.Process.State == "Z":
		d.say("process %d has ended; its parent has not taken notice (state Z)", d.Process.PID)
		return d.dead()
	}
	p := &d.Process.Process
	d.say("process %d lives: %s, state %s, started at tick %d", p.PID, p.Name, p.State, p.Start)
	if d.Place != "" && p.Dir != "" && !within(p.Dir, d.Place) {
		d.miss("whether process %d is the worker: it works in %s, not in the worktree; its pid may be another's by now", p.PID, cut(p.Dir, 200))
		return Undetermined
	}
	if !d.Process.pi() {
		d.miss("whether process %d is the worker: neither it (%s) nor anything below it is a pi", p.PID, p.Name)
		return Undetermined
	}
	class := d.judgeAlive()
	if class == Progressing && d.Task != nil && !d.Task.Running() {
		d.say("the row says %q, and the worker works", d.Task.Status)
		return RowWrong
	}
	return class
}

// within reports whether a process works in a folder; Linux says so of one that was removed.
func within(dir, place string) bool {
	dir = strings.TrimSuffix(dir, " (deleted)")
	return dir == place || strings.HasPrefix(dir, strings.TrimSuffix(place, "/")+"/")
}

// judgeUnseen judges without a pid: a session that grows is alive; one that does not proves no death.
func (d *diagnosing) judgeUnseen() Class {
	if c, ok := d.fromRecording(); ok {
		return c
	}
	if c, ok := d.fromSession(); ok {
		return c
	}
	if d.Session != nil && d.silence() < d.limits.Attention {
		return Progressing
	}
	d.miss("whether the worker lives: name its process with --pid")
	return Undetermined
}

// dead: nobody is left who could be the worker. What is at risk is what no remote has, what no commit has, and calls of which nobody knows whether they acted.
func (d *diagnosing) dead() Class {
	if len(d.Holders) > 0 {
		d.say("%s in the same session", listed(d.Holders))
		d.miss("which process is the worker: name the one that works in the session with --pid")
		return Undetermined
	}
	if len(d.Strangers) > 0 {
		d.say("%s in a session that is not known, which may be this one: it has run since before the session was last written", listed(d.Strangers))
	}
	if len(d.Inside) > 0 {
		d.say("%s in the worktree; what it writes is still to come", listed(d.Inside))
	}
	risk := d.Debris != Empty
	if d.Session != nil {
		if n := len(d.Session.Damaged); n > 0 {
			d.say("what cannot be read of the session may have held a call that acted")
			risk = true
		}
		for _, c := range d.Session.Open {
			risk = d.tellCall(&c) || risk
		}
	}
	if risk {
		return DeadAtRisk
	}
	return DeadClean
}

// tellCall tells of a call that began and has no result, and reports whether it may have acted.
func (d *diagnosing) tellCall(c *Call) bool {
	if !c.Effects() {
		return false
	}
	what := "whether it acted is not known"
	for _, e := range d.Effects {
		switch {
		case e.Call != cut(c.ID, 60):
		case e.Happened == Unknown:
			what += ": " + e.Why
		default:
			what = "it " + string(e.Happened) + ": " + e.Why
		}
	}
	d.say("call %s (%s) began and has no result: %s", cut(c.ID, 60), cut(c.Name, 40), what)
	return true
}

func (d *diagnosing) judgeAlive() Class {
	p := &d.Process.Process
	if asks := d.Process.asks(); asks != nil {
		d.say("process %d (%s) below it waits at a terminal prompt, %s", asks.PID, asks.Name, asks.Terminal)
		return Blocked
	}
	if p.State == "T" {
		d.say("it is stopped (state T): it does nothing until it gets SIGCONT")
		return Hung
	}
	if c, ok := d.fromRecording(); ok {
		return c
	}
	if c, ok := d.fromSession(); ok {
		return c
	}
	if works := d.Process.works(); works != nil {
		d.say("process %d (%s) below it works: %.2f s of CPU and %d bytes between two looks", works.PID, works.Name, works.CPUBetween, works.IOBetween)
		return Progressing
	}
	if d.Session == nil || d.Session.Missing {
		d.miss("what it is doing: name its session with --session, or a recording of its output with --recording")
		return Undetermined
	}
	return d.judgeSilence()
}

// judgeSilence judges a live worker whose descendants do nothing by how long its session has been silent.
func (d *diagnosing) judgeSilence() Class {
	s, silent := d.Session, d.silence()
	switch {
	case len(s.Open) > 0:
		return d.judgeCall(silent)
	case s.Role == "assistant" && s.Stop != "error":
		d.say("its last message ended with %q: it waits for its next prompt", s.Stop)
		return Blocked
	case s.Entries == 0 || s.Role == "":
		d.miss("whether it was ever given work: its session has no message")
		return Undetermined
	case silent < d.limits.FirstTokenLimit():
		d.say("a reply has been due for %s, inside the limit of %s", short(silent), short(d.limits.FirstTokenLimit()))
		return Progressing
	}
	d.say("a reply has been due for %s, since %s, past the limit first_token of %s, and nothing below it works", short(silent), d.Session.Last.UTC().Format(time.RFC3339), short(d.limits.FirstTokenLimit()))
	return Hung
}

// judgeCall judges an open call. A session file does not tell a call that runs from one that waits for permission
// (WDC-OBS-008).
func (d *diagnosing) judgeCall(silent time.Duration) Class {
	c := d.Session.Open[0]
	switch {
	case silent < d.limits.Tool && len(d.Process.Descendants) > 0:
		d.say("call %s (%s) has run quietly for %s, inside the limit of %s", cut(c.ID, 60), cut(c.Name, 40), short(silent), short(d.limits.Tool))
		return Progressing
	case silent < d.limits.Settle:
		d.say("call %s (%s) began %s ago", cut(c.ID, 60), cut(c.Name, 40), short(silent))
		return Progressing
	case len(d.Process.Descendants) > 0:
		d.say("call %s (%s) has been silent for %s, since %s, past the limit tool of %s", cut(c.ID, 60), cut(c.Name, 40), short(silent), d.Session.Last.UTC().Format(time.RFC3339), short(d.limits.Tool))
		return Hung
	}
	d.say("call %s (%s) is open, and no process runs for it", cut(c.ID, 60), cut(c.Name, 40))
	d.miss("whether a dialog asks for permission or the call is dead: a session file cannot tell; name a recording with --recording")
	return Undetermined
}

// fromRecording takes the reference watchdog's word, where a recording was given.
func (d *diagnosing) fromRecording() (Class, bool) {
	v := d.Verdict
	if v == nil {
		return "", false
	}
	d.say("its recording: %s %s, for %s%s", v.Name, v.Status, v.Since, v.limit())
	if what := v.wait(); what != "" {
		d.say("it waits for %s", what)
		if watchdog.VerdictName(v.Name) == watchdog.VerdictAwaitingUser {
			return Blocked, true
		}
		return Waiting, true
	}
	switch name := watchdog.VerdictName(v.Name); {
	case v.Status == string(watchdog.StatusSuspected), name == watchdog.VerdictInconclusive:
		return "", false
	case v.Status == string(watchdog.StatusConfirmed) && name == watchdog.VerdictDead:
		return d.dead(), true
	case v.Status == string(watchdog.StatusConfirmed) && name != watchdog.VerdictSettledUnproven:
		return Hung, true
	case name == watchdog.VerdictIdle, name == watchdog.VerdictSettled, name == watchdog.VerdictSettledUnproven:
		return Blocked, true
	}
	return Progressing, true
}

// fromSession takes the reference watchdog's word over the session file for a wait. For the rest a session file is a poor
// witness, and the process says more.
func (d *diagnosing) fromSession() (Class, bool) {
	what := d.Known.wait()
	if what == "" {
		return "", false
	}
	d.say("its session: %s, for %s: it waits for %s", d.Known.Name, d.Known.Since, what)
	return Waiting, true
}

// limit names the limit that passed.
func (v *Verdict) limit() string {
	if v.Status == string(watchdog.StatusOK) || v.Limit == "" {
		return ""
	}
	return ", past the limit " + v.Limit
}

// silence is how long nothing was written to the session. A stamp from the future counts as now (WDC-CLOCK-002).
func (d *diagnosing) silence() time.Duration { return max(0, d.Now.Sub(d.Session.Last)) }

func short(t time.Duration) string { return t.Round(time.Second).String() }

func (d *diagnosing) tellWorktree() {
	w := d.Worktree
	if w.Missing {
		d.say("worktree: it is not there")
		return
	}
	var parts []string
	if g := w.Git; g == nil {
		parts = append(parts, "no git")
	} else {
		if g.Branch != "" {
			parts = append(parts, "on "+cut(strings.TrimPrefix(g.Branch, "refs/heads/"), 80))
		} else {
			parts = append(parts, "detached")
		}
		parts = append(parts, count(g.Unpushed, "commit")+" that no remote has")
		if inner := w.Ahead() - g.Unpushed; inner > 0 {
			parts = append(parts, count(inner, "more commit")+" in nested repositories")
		}
		if len(g.Stashes) > 0 {
			parts = append(parts, count(len(g.Stashes), "stash entry"))
		}
		if len(g.Progress) > 0 {
			parts = append(parts, "in the middle of a "+strings.Join(g.Progress, ", "))
		}
	}
	parts = append(parts, count(len(w.Edited), "edited file"), count(w.Untracked, "untracked file"))
	d.say("worktree: %s", strings.Join(parts, ", "))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "y"); ok {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (d *diagnosing) tellSession() {
	s := d.Session
	switch {
	case s == nil:
		return
	case s.Missing:
		d.say("session: no file; that does not mean that nothing was done (WDC-LIFE-006)")
		return
	}
	if s.Role == "" {
		d.say("session: it has no message; written %s ago", short(d.silence()))
	} else {
		d.say("session: line %d is its last message, of the %s; written %s ago", s.Line, cut(s.Role, 20), short(d.silence()))
	}
	if s.ID == "" {
		d.say("session: it has no header of a session")
	}
	if s.Error != "" {
		d.say("session: it ended with the error %q", cut(s.Error, 120))
	}
	if len(s.Damaged) > 0 {
		d.say("session: %s damaged, the first is line %d", count(len(s.Damaged), "line"), s.Damaged[0])
	}
	if len(s.Forks) > 0 {
		d.say("session: two processes have written to it: entry %s has two children", cut(s.Forks[0], 20))
	}
}

func orNobody(role string) string {
	if role == "" {
		return "nobody"
	}
	return cut(role, 20)
}

func (d *diagnosing) tellTask() {
	t := d.Task
	if t == nil {
		return
	}
	d.say("row: %s is %q", cmp.Or(cut(t.ID, 20), "the task"), cut(t.Status, 40))
	if t.Leased(d.Now) {
		d.say("row: its lease runs until %s", cut(t.LeaseUntil, 40))
	}
	for _, v := range t.Vetoes {
		d.say("row: veto: %s", cut(v, 80))
	}
	for _, a := range d.Against {
		d.say("row: not done: %s", a)
	}
}
