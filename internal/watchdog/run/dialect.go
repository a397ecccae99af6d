package run

import (
	"fakepi.example/internal/watchdog/agents"
	"fakepi.example/watchdog"
)

// dialect is what the stream has shown of who writes it (WDC-OBS-003). A known dialect may print records of unknown
// types, which are nothing to it. In a foreign one the records that it shares are understood; another may be anything,
// so that no verdict past a limit rests on a silence in which one came.
type dialect struct {
	strange bool // it writes what no known dialect does
	whole   bool // all of the stream was read since the last agent_start, or from its beginning
	turned  bool // a turn has begun in the run
	odd     Mark // the last record that was not understood

	started, results int32 // calls whose start and whose result were read since the last reply
}

// unless notes what no known dialect writes, if nothing of the stream was missed.
func (d *dialect) unless(right bool) { d.strange = d.strange || !right && d.whole }

// known reports whether the stream is of a dialect that its reader reads.
func (w *Worker) knowsDialect() bool { return !w.dialect.strange && w.reader.Traits().Known }

// misses reports whether a record came since m that may be what the count from there stands for.
func (w *Worker) misses(m Mark) bool { return w.dialect.odd.N > m.N && !w.knowsDialect() }

// dialectOf takes what one record of stdout tells of its dialect; it reports false if the record was not understood.
func (w *Worker) dialectOf(ev *agents.Event, m Mark) bool {
	d, r := &w.dialect, &w.Run
	switch ev.Kind {
	case agents.Unread:
		d.odd = m
		d.unless(!ev.Foreign && !r.called && !(r.Ended && r.terminal && !r.retrying)) // the next record is due at once there
		return false
	case agents.RunBegan:
		d.whole, d.turned = true, false
	case agents.Settled:
		d.unless(!r.Open || !d.turned)
	case agents.TurnBegan, agents.TurnEnded, agents.MessageBegan, agents.Delta, agents.MessageEnded,
		agents.CallBegan, agents.CallOutput, agents.CallEnded, agents.RunEnded:
		d.unless(r.Open)
		d.inRun(ev, r)
	}
	return true
}

// inRun takes a record that only stands in a run: no known dialect leaves out the records that lead up to it.
func (d *dialect) inRun(ev *agents.Event, r *Model) {
	switch ev.Kind {
	case agents.TurnBegan:
		d.turned = true
	case agents.CallBegan:
		d.started++
	case agents.MessageEnded:
		switch ev.Role {
		case agents.Assistant:
			d.started, d.results = 0, 0
			stop := ev.Reply.Stop
			cut := stop == agents.StopError || stop == agents.StopAborted
			d.unless(stop != agents.StopOther && (r.streaming || cut || ev.Reply.Silent))
		case agents.Result:
			d.results++
			d.unless(d.results <= d.started)
		}
	}
}

// missed notes that a piece of a stream was not read.
func (d *dialect) missed(s watchdog.Stream) {
	if s == watchdog.StreamOut {
		d.whole = false
	}
}

// Strange reports whether the worker has written what no known dialect does.
func (w *Worker) Strange() bool { return w.dialect.strange }
