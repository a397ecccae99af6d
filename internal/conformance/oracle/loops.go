package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/internal/watchdog/debris"
	"fakepi.example/watchdog"
)

// remembered is how many finished calls are kept: the longest cycle is remembered / loop_repeats.
const remembered = 24

// required is the longest cycle that must be reported: A-A-A and A-B-A-B-A-B (WDC-LOOP-001).
const required = 2

// loops finds the calls that repeat, from the records that the subject was shown and the worktree as it is.
type loops struct {
	least int
	open  map[string]*openCall
	done  []doneCall
	last  string // of them, a person's words between or not

	unsaved []string      // ids of calls that ended, of which no message with the result came
	torn    bool          // bytes were missing in which a call may have begun or ended
	idle    int           // compactions in a row that did not shrink the context
	bare    int           // compactions in a row without a finished message or call between
	calls   bool          // a cycle of calls stands that must be reported
	shown   bool          // the subject was shown the worktree since the cycle stands
	news    bool          // a call has started, begun or ended since its processes were looked at
	chain   time.Duration // since when an open call has no process left; never if none has
	since   time.Duration // when a cycle that must be reported came to stand; never if none does
}

type openCall struct {
	key       string
	tool      string
	shell     bool // it runs as a process
	limits    watchdog.Limits
	begun     bool          // its command was started
	deadSince time.Duration // since when none of its processes is left; never while one is
}

type doneCall struct{ call, result, world string }

func newLoops(least int) loops {
	return loops{least: max(least, 2), open: map[string]*openCall{}, since: never, chain: never}
}

// limits returns the limits that hold for an open call.
func (l *loops) limits(call string) (*watchdog.Limits, bool) {
	if c, ok := l.open[call]; ok {
		return &c.limits, true
	}
	return nil, false
}

// sideEffects reports whether an open call may have had an effect.
func (l *loops) sideEffects() bool { return len(l.unknown()) > 0 }

// unknown lists the open calls that may have had an effect.
func (l *loops) unknown() []string {
	var ids []string
	for id, c := range l.open {
		if !debris.OnlyReads(c.tool) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (l *loops) worldShown() { l.shown = true }

// record takes one record. Of a call's output only the first counts: it comes as the command starts. When a person has
// spoken, what follows is another attempt.
func (l *loops) record(r *trace.Record, w *worker) {
	switch r.Kind {
	case trace.RecordPerson:
		l.done, l.since, l.calls, l.bare = l.done[:0], never, false, 0
	case trace.RecordReply:
		l.bare = 0
	case trace.RecordSaved:
		l.unsaved = slices.DeleteFunc(l.unsaved, func(id string) bool { return id == r.Call })
	case trace.RecordOutput:
		if c, ok := l.open[r.Call]; ok && !c.begun {
			c.begun, l.news = true, true
		}
	case trace.RecordCall:
		l.news = true
		limits := w.o.cfg.Policy.For(w.id, w.spawn.Model, r.Tool)
		l.open[r.Call] = &openCall{key: r.Key, tool: r.Tool, shell: r.Shell, limits: limits, deadSince: never}
	case trace.RecordCallEnd:
		l.news = true
		l.ended(r, w)
	case trace.RecordCompacted:
		l.news = true
		l.compaction(r, w.o.now.Mono)
	}
}

// ended takes the end of a call.
func (l *loops) ended(r *trace.Record, w *worker) {
	c, ok := l.open[r.Call]
	if !ok {
		return
	}
	delete(l.open, r.Call)
	l.bare = 0
	if !debris.OnlyReads(c.tool) {
		l.unsaved = append(l.unsaved, r.Call)
	}
	l.add(doneCall{c.key, r.Result, w.o.cfg.Facts.World(w.index)}, w.o.now.Mono)
}

// volatileText is what differs between two runs of one call: durations and temporary paths.
var volatileText = regexp.MustCompile(`"wall_time_seconds":[0-9.e+-]+|(/var)?/tmp/[^\s"\\:,)]+|\b[0-9.]+ ?(ns|us|ms|s|sec|secs|seconds?|m|mins?|minutes?|h|hours?)\b`)

// repeats reports whether a call is an earlier one again, with the same result.
func (c *doneCall) repeats(earlier *doneCall) bool {
	return c.call == earlier.call &&
		(c.result == earlier.result || volatileText.ReplaceAllString(c.result, "~") == volatileText.ReplaceAllString(earlier.result, "~"))
}

func (l *loops) add(c doneCall, now time.Duration) {
	if len(l.done) == remembered {
		l.done = append(l.done[:0], l.done[1:]...)
	}
	l.done, l.last = append(l.done, c), c.call
	same := l.cycle(required, func(a, b *doneCall) bool { return a.world == b.world && a.repeats(b) })
	l.calls = same
	switch {
	case !same:
		l.since, l.shown = never, false
	case l.since == never:
		l.since, l.shown = now, false
	}
}

func (l *loops) compaction(r *trace.Record, now time.Duration) {
	l.bare++
	switch {
	case r.After < 0: // nobody can tell whether it has shrunk the context
	case r.After < r.Before*9/10:
		l.idle = 0
		if !l.calls && l.bare < l.least {
			l.since = never
		}
	default:
		l.idle++
	}
	if (l.idle >= l.least || l.bare >= l.least) && l.since == never {
		l.since, l.shown = now, false
	}
}

// cycle reports whether the last calls repeat often enough with a period of at most longest.
func (l *loops) cycle(longest int, same func(a, b *doneCall) bool) bool {
	for p := 1; p <= longest && p*l.least <= len(l.done); p++ {
		tail := l.done[len(l.done)-p*l.least:]
		i := p
		for i < len(tail) && same(&tail[i], &tail[i-p]) {
			i++
		}
		if i == len(tail) {
			return true
		}
	}
	return false
}

// repeats reports whether calls and results repeat, whatever the worktree does.
func (l *loops) repeats() bool {
	return l.idle >= l.least || l.bare >= l.least ||
		l.cycle(remembered/l.least, (*doneCall).repeats)
}

// judgeLivelock judges a livelock verdict: suspected where calls and results repeat, confirmed where the worktree was
// looked at and stands still too (WDC-LOOP-001, WDC-LOOP-002).
func (w *worker) judgeLivelock(v *watchdog.Verdict) {
	l := &w.loops
	f := finding{said: v.Name, actual: spell(v)}
	switch {
	case w.situation.rule.wait:
		f.expected = fmt.Sprintf("%s: a livelock overrides no wait", w.truth.Phase)
		w.blame(mistakes.Misnamed, f)
	case !l.repeats():
		f.expected = fmt.Sprintf("%s: no call repeats %d times with the same result", w.truth.Phase, l.least)
		w.blame(mistakes.FalseLoop, f)
	case v.Status == watchdog.StatusConfirmed && l.since == never:
		f.expected = "no confirmed livelock: the worktree changes"
		w.blame(mistakes.FalseLoop, f)
	case v.Status == watchdog.StatusConfirmed && !l.shown && l.idle < l.least && l.bare < l.least:
		f.expected = "livelock suspected, until a look at the worktree"
		w.blame(mistakes.FalseLoop, f)
	}
}

// loopDue is when a livelock must at least be suspected.
func (w *worker) loopDue() time.Duration {
	if w.loops.since == never || w.verdict.Name == watchdog.VerdictLivelock || w.situation.rule.wait {
		return never
	}
	return w.pardon(w.loops.since + w.look() + w.patience())
}

func (w *worker) overdueLoop(now time.Duration) {
	if now <= w.loopDue() {
		return
	}
	w.blame(mistakes.MissedLoop, finding{
		said:     w.verdict.Name,
		expected: fmt.Sprintf("livelock: the same calls with the same results for %s", now-w.loops.since),
		actual:   spell(&w.verdict),
	})
	w.loops.since = never
}

// chainSince is since when an open call has no process left although its tool runs as one (WDC-TOOL-007); never if none
// has. What processes there are can be found out at any time, so the subject is judged on how things are.
func (w *worker) chainSince() time.Duration {
	if w.touched && !w.loops.news {
		return w.loops.chain // more output of the same calls
	}
	since := never
	w.loops.news, w.loops.chain = false, never
	tree := w.o.cfg.Facts.Processes(w.index)
	if !slices.ContainsFunc(tree, func(p watchdog.Process) bool { return p.Role == watchdog.RoleAgent }) {
		return since
	}
	for _, id := range w.truth.Calls {
		c, ok := w.loops.open[id]
		if !ok || !c.shell || !c.begun {
			continue
		}
		left := slices.ContainsFunc(tree, func(p watchdog.Process) bool { return p.ToolCall == id && p.State != "Z" })
		switch {
		case left:
			c.deadSince = never
		case c.deadSince == never:
			c.deadSince = w.o.now.Mono
			w.facts.chain = true
		}
		since = min(since, c.deadSince)
	}
	w.loops.chain = since
	return since
}
