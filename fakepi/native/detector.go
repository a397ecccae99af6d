package native

// Confidence is how sure a [Detector] is.
type Confidence uint8

const (
	NoEvidence  Confidence = iota
	Likely                 // what was seen fits the dialect, and others that have no name here
	Certain                // only this dialect writes so
	Conflicting            // no single dialect writes so
)

// Detector tells the dialect from the stream itself (WDC-OBS-003; docs/pi-formats.md,
// section 14). It never guesses: without evidence the dialect stays unknown. Use one per
// process: a respawn may run another version.
type Detector struct {
	seen evidence
}

type evidence uint8

const (
	modern     evidence = 1 << iota // willRetry, delta-only update, agent_settled: from 0.75 on
	onlyModern                      // pending, system message, disposition, context_edit: from 0.87 on
	cumulative                      // cumulative update, agent_end without willRetry: up to 0.83
	named                           // compaction_*, queue_update, *_changed, bash's empty update: from 0.73 on
	ancient                         // auto_compaction_*
	settles                         // a terminal event was seen, or must come
)

// Observe takes one line that Pi wrote.
func (d *Detector) Observe(s *Skimmed) { d.seen |= evidenceOf(s) }

func evidenceOf(s *Skimmed) evidence {
	switch s.Kind {
	case KindAgentSettled:
		return modern | settles
	case KindAgentEnd:
		if s.HasWillRetry {
			return modern
		}
		return cumulative
	case KindMessageUpdate:
		if s.Cumulative {
			return cumulative
		}
		return modern | settles
	case KindMessageStart, KindMessageEnd, KindMessageEntry:
		if s.Role == RoleSystem || s.Stop == StopPending {
			return modern | onlyModern
		}
	case KindResponse:
		if s.Disposition != DispositionNone {
			return modern | onlyModern
		}
	case KindEntryAppended, KindContextEdit, KindBashUpdate:
		return modern | onlyModern
	case KindCompactionStart, KindCompactionEnd:
		if s.AutoCompaction {
			return ancient
		}
		return named
	case KindToolUpdate:
		if string(s.ToolName) == "bash" && string(s.Partial) == `{"content":[]}` {
			return named
		}
	case KindQueueUpdate, KindSessionInfoChanged, KindThinkingLevelChanged:
		return named
	}
	return 0
}

// Dialect returns the dialect so far.
func (d *Detector) Dialect() (Dialect, Confidence) {
	has := func(e evidence) bool { return d.seen&e != 0 }
	switch {
	case has(modern) && has(cumulative|ancient), has(named) && has(ancient):
		return DialectUnknown, Conflicting
	case has(onlyModern):
		return Pi16, Certain
	case has(modern):
		return Pi16, Likely
	case has(ancient):
		return Pi058, Certain
	case has(cumulative) && has(named):
		return Pi073, Certain
	case has(cumulative):
		return Pi073, Likely
	}
	return DialectUnknown, NoEvidence
}

// Settles reports whether agent_settled is to be expected at the end of work: one was
// seen, or an update came without its cumulative message.
func (d *Detector) Settles() bool { return d.seen&settles != 0 }
