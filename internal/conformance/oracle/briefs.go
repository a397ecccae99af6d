package oracle

import (
	"fmt"
	"strings"

	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/watchdog/debris"
)

// This file judges what a successor is told.

// briefed: the successor is told of the snapshot and the session (WDC-EVID-006).
func (a *acting) briefed(o *order) {
	w := a.w
	a.advised(o)
	a.warned(o)
	if a.holds(o.Snapshot) && o.Text != "" && (w.spawn.Session == "" || o.Session == w.spawn.Session) {
		return
	}
	w.blame(mistakes.BriefIncomplete, finding{
		said:     o.Cause.Name,
		expected: fmt.Sprintf("a brief with the digest of a snapshot and the session %s", quote(w.spawn.Session)),
		actual:   fmt.Sprintf("snapshot %s, session %s, %d bytes of brief", quote(o.Snapshot), quote(o.Session), len(o.Text)),
	})
}

// advice is what a brief speaks of, in whatever words: the memory that git is, the care before a step is done again, the
// commits that the next one will find.
var advice = []string{"log", "status", "verify", "commit"}

// advised: the successor is told to read git's log and status, to verify before it repeats, and to commit at milestones
// (WDC-WORK-003).
func (a *acting) advised(o *order) {
	text := strings.ToLower(o.Text)
	for _, word := range advice {
		if !strings.Contains(text, word) {
			a.w.blame(mistakes.BriefWithoutAdvice, finding{
				said:     o.Cause.Name,
				expected: fmt.Sprintf("a brief that speaks of %s", strings.Join(advice, ", ")), actual: "nothing of " + word,
			})
			return
		}
	}
}

// warned: the successor is told of each call whose effect nobody knows (WDC-SIDE-001), and of each that has happened
// although no result of it was saved (WDC-SIDE-005).
func (a *acting) warned(o *order) {
	w := a.w
	if w.dim() || w.lost() || w.loops.torn {
		return
	}
	f := finding{said: o.Cause.Name, expected: "a brief that names the call, whose effect is not known: "}
	for _, id := range w.loops.unknown() {
		if !strings.Contains(o.Text, debris.ID(id)) {
			f.expected, f.actual = f.expected+id, "it is not mentioned"
			w.blame(mistakes.CallUnmentioned, f)
			break
		}
	}
	f = finding{said: o.Cause.Name, expected: "a brief that names the call, which has happened and has no result in the session: "}
	for _, id := range w.loops.unsaved {
		if !strings.Contains(o.Text, debris.ID(id)) {
			f.expected, f.actual = f.expected+id, "it is not mentioned"
			w.blame(mistakes.ResultUnmentioned, f)
			break
		}
	}
}
