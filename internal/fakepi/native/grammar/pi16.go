package grammar

import "fakepi.example/fakepi/native"

// Pi16 returns a checker of a stream of pi-1.6 in mode "json" or "rpc".
func Pi16(mode string) *Checker { return begin(&pi16, mode) }

var pi16 = order{
	answered: (*Checker).answered16,
	streams:  native.StopPending,
	rest:     []state{idle},
	rules: [stateCount][]rule{
		start: {
			{on: native.KindHeader, to: idle},
		},
		idle: {
			{on: native.KindAgentStart, check: (*Checker).prompted, do: (*Checker).beginRun, to: run},
			{on: native.KindCompactionStart, do: (*Checker).beginManual, to: compacting},
		},
		run: {
			{on: native.KindTurnStart, to: turn},
			// The spurious terminal event of two prompts at once (docs/pi-formats.md, section 4).
			{on: native.KindAgentSettled, check: (*Checker).doublePrompt, do: (*Checker).losePrompt, to: run},
		},
		turn: {
			{on: native.KindMessageStart, role: native.RoleSystem, check: (*Checker).firstRun, do: (*Checker).beginMessage, to: message},
			{on: native.KindMessageStart, role: native.RoleUser, do: (*Checker).beginMessage, to: message},
			{on: native.KindMessageStart, role: native.RoleAssistant, check: (*Checker).asked, do: (*Checker).beginMessage, to: message},
		},
		message: {
			{on: native.KindMessageUpdate, check: (*Checker).delta, to: message},
			{on: native.KindMessageEnd, check: (*Checker).sameMessage, do: (*Checker).endMessage, to: turn},
		},
		confirmed: {
			{on: native.KindRetryEnd, check: (*Checker).succeeded, do: (*Checker).endRetry, to: replied},
		},
		replied: {
			{on: native.KindToolStart, check: (*Checker).startCall, to: tools},
			{on: native.KindTurnEnd, check: (*Checker).allRan, to: turned},
		},
		tools: {
			{on: native.KindToolStart, check: (*Checker).startCall, to: tools},
			{on: native.KindToolUpdate, check: (*Checker).openCall, to: tools},
			{on: native.KindToolEnd, check: (*Checker).endCall, to: tools},
			{on: native.KindMessageStart, role: native.RoleToolResult, check: (*Checker).nextResult, do: (*Checker).beginMessage, to: message},
			{on: native.KindTurnEnd, check: (*Checker).allResults, to: turned},
		},
		turned: {
			{on: native.KindTurnStart, to: turn},
			{on: native.KindAgentEnd, do: (*Checker).endRun, to: ended},
		},
		failed: {
			{on: native.KindRetryStart, do: (*Checker).beginRetry, to: delayed},
		},
		delayed: {
			{on: native.KindEntryAppended, to: waiting},
		},
		waiting: {
			{on: native.KindAgentStart, do: (*Checker).resumeRun, to: run},
			{on: native.KindRetryEnd, check: (*Checker).gaveUp, do: (*Checker).endRetry, to: ended},
		},
		ended: {
			{on: native.KindRetryEnd, check: (*Checker).gaveUp, do: (*Checker).endRetry, to: ended},
			{on: native.KindEntryAppended, check: (*Checker).retryOver, to: overflow},
			{on: native.KindCompactionStart, check: (*Checker).automatic, do: (*Checker).beginAutomatic, to: compacting},
			{on: native.KindCompactionEnd, check: (*Checker).stillTooLarge, to: ended},
			{on: native.KindAgentStart, check: (*Checker).leftQueued, do: (*Checker).resumeRun, to: run},
			{on: native.KindAgentSettled, check: (*Checker).retryOver, do: (*Checker).settle, to: idle},
		},
		overflow: {
			{on: native.KindCompactionStart, do: (*Checker).beginAutomatic, to: compacting},
		},
		compacting: {
			{on: native.KindSummarizationRetry, to: compacting},
			{on: native.KindCompactionStart, check: (*Checker).byCommand, do: (*Checker).beginManual, to: compacting}, // two at once have one end
			{on: native.KindCompactionEnd, do: (*Checker).endCompaction, to: compacted},
		},
		compacted: {
			{on: native.KindAgentStart, do: (*Checker).resumeRun, to: run}, // queued messages
			{on: native.KindAgentSettled, do: (*Checker).settle, to: idle},
		},
		resuming: {
			{on: native.KindAgentStart, do: (*Checker).resumeRun, to: run},
		},
	},
}

// answered16 notes what a response means for later records.
func (c *Checker) answered16(s *native.Skimmed) {
	if s.Disposition == native.DispositionStarted {
		c.started++
	}
	if replacesSession(s) {
		c.ran = false
		if c.state == compacting && c.idled { // nobody is told of its end
			c.state = idle
		}
	}
}

func (c *Checker) beginRun(*native.Skimmed) {
	c.fresh, c.delivered = true, false
	c.started--
}

func (c *Checker) doublePrompt(*native.Skimmed) string {
	if c.started < 1 {
		return "agent_settled only at the end of a run"
	}
	return ""
}

func (c *Checker) losePrompt(*native.Skimmed) { c.started-- }

func (c *Checker) firstRun(*native.Skimmed) string {
	if c.ran || c.delivered {
		return "a system message only as the first one of a session"
	}
	return ""
}

func (c *Checker) retryOver(*native.Skimmed) string {
	if c.retrying && c.stop == native.StopError {
		return "auto_retry_end first"
	}
	return ""
}

// leftQueued: a reply that fails leaves what waits in a queue to a run of its own.
func (c *Checker) leftQueued(s *native.Skimmed) string {
	if c.stop != native.StopError {
		return "agent_settled before another run"
	}
	return c.retryOver(s)
}

// automatic: compaction by command waits for the end of work, and a message that was
// refused for its size is dropped first.
func (c *Checker) automatic(s *native.Skimmed) string {
	switch reason := string(s.Reason); {
	case reason == "manual":
		return "agent_settled before a compaction by command"
	case reason == "overflow" && c.stop == native.StopError:
		return "entry_appended before the compaction of an overflow"
	}
	return c.retryOver(s)
}

func (c *Checker) endRun(s *native.Skimmed) {
	c.ran = true
	if s.WillRetry {
		c.state = failed
	}
}

func (c *Checker) settle(*native.Skimmed) { c.retrying = false }

func (c *Checker) endCompaction(s *native.Skimmed) {
	switch {
	case c.idled:
		c.state = idle
	case s.WillRetry:
		c.state = resuming
	}
}
