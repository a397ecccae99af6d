package mutants

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
)

// Records that move the count of silence and change nothing else: the start of a message that is nobody's, and a
// compaction entry without numbers.
const (
	idleRecord = `{"type":"message_start","message":{"role":"user","content":[],"timestamp":0}}`
	idleEntry  = `{"type":"compaction","id":"0","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z"}`
)

// restarts makes each observation that counts picks restart whatever count stands for its worker, as only progress may.
// A gap restarts the engine's counts, and a record behind it takes away the doubt that a gap leaves; the record must
// stand on a stream of whole lines.
func restarts(counts func(*watchdog.Observation) bool) lie {
	return observations(func() sight {
		out := views{stream: watchdog.StreamOut, fresh: always(verbatim), of: map[source]*view{}}
		session := views{stream: watchdog.StreamSession, fresh: always(verbatim), of: map[source]*view{}}
		workers := spawns{}
		return func(o watchdog.Observation, show func(watchdog.Observation)) {
			workers.note(&o)
			out.see(o, func(o watchdog.Observation) { session.see(o, show) })
			spawn, known := workers[sourceOf(&o)]
			if !known || !counts(&o) {
				return
			}
			v, record := &out, idleRecord
			if spawn.Mode == watchdog.ModeTUI || spawn.Mode == watchdog.ModePrint {
				v, record = &session, idleEntry
			}
			gap := o
			gap.Body = watchdog.Gap{Stream: v.stream}
			show(gap)
			v.add(o, record, show)
		}
	})
}

// anyByte counts whatever the worker writes.
func anyByte(o *watchdog.Observation) bool {
	b, ok := o.Body.(watchdog.Bytes)
	return ok && b.Stream != watchdog.StreamIn
}

// ownLooks counts what the watchdog itself asked for: answers to its probes, unread bytes that it looked for, and the
// responses that its get_state draws from the worker.
func ownLooks(o *watchdog.Observation) bool {
	switch b := o.Body.(type) {
	case watchdog.Probe:
		return b.Result == watchdog.ProbeOK
	case watchdog.Inspect:
		return true
	case watchdog.Bytes:
		var s native.Skimmed
		native.Skim(b.Data, &s)
		return b.Stream == watchdog.StreamOut && s.Kind == native.KindResponse && string(s.Command) == "get_state"
	}
	return false
}
