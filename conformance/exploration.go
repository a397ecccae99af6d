package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"

	"fakepi.example/internal/conformance/explore"
)

// exploration is a case whose histories are being played, in waves: those of a wave side by side, in whatever order they
// end, and what follows from them when all are played. How many a wave has depends on nothing but the histories before it,
// and they are merged in its order, so that the result is the same however many are played at once.
type exploration struct {
	c      *matchCase
	result CaseResult // of the histories that are merged
	base   *history
	todo   *explore.Explorer
	wave   []wish
	begun  int // of the wave: how many are or were played
	played int // of these: how many were
	merged int // of these: how many are in the result
	sum    hash.Hash
	over   bool // there is nothing more to be played
}

// wish is a history to be played, and what came of it.
type wish struct {
	vector []int
	h      *history
	err    error
}

// maxWave is how many histories of a case are played at most before what follows from them.
const maxWave = 32

func (r *runner) begin(c *matchCase) *exploration {
	e := &exploration{c: c, sum: sha256.New(), todo: explore.New(r.allows(c)), result: CaseResult{
		ID: c.id, Title: c.scenario.Title, Family: c.scenario.Family, Requires: c.scenario.Requires,
	}}
	if why := c.excused(r.features, r.opts.Dialect); why != "" {
		e.result.Status, e.result.Reason, e.over = NotApplicable, why, true
	}
	return e
}

// next returns a history to be played now, if there is one and it is not one too many.
func (r *runner) next(e *exploration, most int) *wish {
	if !e.over && e.merged == len(e.wave) {
		e.wave, e.begun, e.played, e.merged = r.waveOf(e), 0, 0, 0
		e.over = len(e.wave) == 0
	}
	if e.over || e.begun == len(e.wave) || e.result.Histories+e.begun-e.merged >= most {
		return nil
	}
	e.begun++
	return &e.wave[e.begun-1]
}

// waveOf returns the histories of the next wave. The first is of the base history alone; one of a bounded exploration has no
// more than may be played before it has cost enough.
func (r *runner) waveOf(e *exploration) []wish {
	n := maxWave
	switch {
	case e.base == nil:
		n = 1
	case r.opts.Explore == ExploreBounded:
		n = max(1, min(n, (maxEvents-e.result.Events)/max(1, e.base.summary.Events)))
	}
	var wave []wish
	for range n {
		vector, more := e.todo.Next()
		if !more {
			break
		}
		wave = append(wave, wish{vector: vector})
	}
	return wave
}

// play plays a history of a case: the base history, and in an audit all of them, twice.
func (r *runner) play(e *exploration, w *wish) {
	if w.vector == nil {
		if w.err = r.prepare(e.c); w.err != nil {
			return
		}
	}
	if !r.terse && (w.vector == nil || r.opts.Audit) {
		w.h, w.err = r.playTwice(e.c, w.vector)
	} else {
		w.h, w.err = r.playOne(e.c, w.vector)
	}
}

// merge adds what was played to the result.
func (r *runner) merge(e *exploration) {
	for ; e.merged < e.played && !e.over; e.merged++ {
		w := &e.wave[e.merged]
		if w.err != nil {
			e.result.Status, e.result.Reason, e.over = HarnessError, w.err.Error(), true
			if errors.Is(w.err, ErrUnsupported) {
				e.result.Status = Untestable
			}
			return
		}
		if e.base == nil {
			e.base = w.h
		}
		result := &e.result
		result.Histories++
		result.Events += w.h.summary.Events
		result.Span += w.h.summary.Span
		e.sum.Write(w.h.digest[:])
		r.report(e.c, w.vector, w.h, result)
		e.todo.Played(w.vector, w.h.summary.Choices)
		e.over = w.h.unanswered || r.opts.Explore == ExploreBounded && result.Events > maxEvents
		if w.vector != nil {
			w.h = nil
		}
	}
}

// explore plays histories of a case, one after the other, until so many are played or there is no other.
func (r *runner) explore(e *exploration, most int) {
	for w := r.next(e, most); w != nil; w = r.next(e, most) {
		r.play(e, w)
		e.played++
		r.merge(e)
	}
	e.finish(r.opts.Explore)
}

// finish notes what the histories played so far came to.
func (e *exploration) finish(how Exploration) {
	c := &e.result
	if c.Status == HarnessError || c.Status == NotApplicable || c.Status == Untestable {
		return
	}
	c.Verdicts, c.Acts = e.base.claims.spoken(), e.base.claims.done()
	if c.Reach = e.todo.Reach(); how == ExploreNone {
		c.Reach = explore.Reach{}
	}
	c.Capped = how != ExploreNone && !c.Reach.Complete
	c.Digest = hex.EncodeToString(e.sum.Sum(nil))
	c.rate()
}
