package mutants

import (
	"bytes"
	"slices"

	"fakepi.example/watchdog"
)

// spiralUnseen says nothing of a livelock that the end of a compaction showed, up to the next other verdict.
func spiralUnseen(watchdog.Boot) speech {
	unseen := map[string]bool{}
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		d.Verdicts = slices.DeleteFunc(d.Verdicts, func(v watchdog.Verdict) bool {
			livelock := v.Name == watchdog.VerdictLivelock
			unseen[v.Worker] = livelock && (unseen[v.Worker] || compacted(seen, v.Worker))
			return unseen[v.Worker]
		})
		d.Commands = slices.DeleteFunc(d.Commands, func(c watchdog.Command) bool {
			return unseen[c.Worker] && c.Cause.Name == watchdog.VerdictLivelock
		})
	}
}

// compacted reports whether a compaction of a worker ended in what was seen.
func compacted(seen []watchdog.Observation, worker string) bool {
	return slices.ContainsFunc(seen, func(o watchdog.Observation) bool {
		b, ok := o.Body.(watchdog.Bytes)
		return ok && o.Worker == worker && bytes.Contains(b.Data, []byte(`"type":"compaction_end"`))
	})
}
