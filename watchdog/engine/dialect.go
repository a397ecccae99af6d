package engine

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
)

// dialect is what the stream has shown of who writes it (WDC-OBS-003). A known dialect may print records of unknown
// types, which are nothing to it. In a foreign one the records that it shares are understood; another may be anything,
// so that no verdict past a limit rests on a silence in which one came.
type dialect struct {
	detector native.Detector
	strange  bool // it writes what no known dialect does
	whole    bool // all of the stream was read since the last agent_start, or from its beginning
	turned   bool // a turn has begun in the run
	odd      mark // the last record that was not understood

	started, results int32 // calls whose start and whose result were read since the last reply
}

// known reports whether the stream is of a dialect that this engine reads.
func (d *dialect) known() bool {
	_, sure := d.detector.Dialect()
	return !d.strange && (sure == native.Likely || sure == native.Certain)
}

// misses reports whether a record came since m that may be what the count from there stands for.
func (d *dialect) misses(m mark) bool { return d.odd.n > m.n && !d.known() }

// unless notes what no known dialect writes, if nothing of the stream was missed.
func (d *dialect) unless(right bool) { d.strange = d.strange || !right && d.whole }

// dialectOf takes what one record of stdout tells of its dialect; it reports false if the record is not understood.
func (w *worker) dialectOf(s *native.Skimmed, m mark) bool {
	d, r := &w.dialect, &w.run
	d.detector.Observe(s)
	switch k := s.Kind; {
	case k == native.KindUnknown, k.IsEntry(), k.IsCommand(), k == native.KindUIResponse:
		d.odd = m
		d.unless(!r.called && !(r.ended && r.terminal && !r.retrying)) // Pi's next record is due at once there
		return false
	case k == native.KindMessageUpdate && (s.Delta == native.DeltaOther || s.Delta == native.DeltaNone),
		s.Method == native.MethodOther:
		d.odd = m
		d.unless(false)
		return false
	case k == native.KindAgentStart:
		d.whole, d.turned = true, false
	case k == native.KindAgentSettled:
		d.unless(!r.open || !d.turned)
	case onlyInRun(k):
		d.unless(r.open)
		d.inRun(s, r)
	}
	return true
}

// inRun takes a record that only stands in a run: no known dialect leaves out the records that lead up to it.
func (d *dialect) inRun(s *native.Skimmed, r *run) {
	switch s.Kind {
	case native.KindTurnStart:
		d.turned = true
	case native.KindToolStart:
		d.started++
	case native.KindMessageEnd:
		switch s.Role {
		case native.RoleAssistant:
			d.started, d.results = 0, 0
			cut := s.Stop == native.StopError || s.Stop == native.StopAborted
			d.unless(s.Stop != native.StopOther && (r.streaming || cut || max(s.TextLen, s.ThinkingLen, s.Calls) == 0))
		case native.RoleToolResult:
			d.results++
			d.unless(d.results <= d.started)
		}
	}
}

// onlyInRun reports whether a record stands in a run and nowhere else.
func onlyInRun(k native.Kind) bool {
	switch k {
	case native.KindTurnStart, native.KindTurnEnd, native.KindMessageStart, native.KindMessageUpdate,
		native.KindMessageEnd, native.KindToolStart, native.KindToolUpdate, native.KindToolEnd, native.KindAgentEnd:
		return true
	}
	return false
}

// missed notes that a piece of a stream was not read.
func (d *dialect) missed(s watchdog.Stream) {
	if s == watchdog.StreamOut {
		d.whole = false
	}
}
