package grammar

import "fakepi.example/fakepi/native"

// Pi073 returns a checker of a stream of pi-0.73 in mode "json" or "rpc". Nothing marks
// the end of work there, so that agent_end may be the last record or not.
func Pi073(mode string) *Checker { return begin(&pi073, mode) }

var pi073 = order{
	answered:  (*Checker).answered073,
	streams:   native.StopStop,
	rest:      []state{idle, ended, compacted},
	anonymous: true,
	silent:    true,
	rules: [stateCount][]rule{
		start: {
			{on: native.KindHeader, to: idle},
		},
		idle: {
			{on: native.KindAgentStart, check: (*Checker).prompted, do: (*Checker).beginPrompted, to: run},
			{on: native.KindCompactionStart, do: (*Checker).beginCompaction, to: compacting},
		},
		run: {
			{on: native.KindTurnStart, to: turn},
			{on: native.KindCompactionStart, check: (*Checker).byCommand, do: (*Checker).beginCompaction, to: compacting},
		},
		turn: {
			{on: native.KindMessageStart, role: native.RoleUser, do: (*Checker).beginMessage, to: message},
			{on: native.KindMessageStart, role: native.RoleAssistant, check: (*Checker).asked, do: (*Checker).beginMessage, to: message},
			{on: native.KindCompactionStart, check: (*Checker).byCommand, do: (*Checker).beginCompaction, to: compacting},
		},
		message: {
			{on: native.KindMessageUpdate, check: (*Checker).delta, to: message},
			{on: native.KindMessageEnd, check: (*Checker).sameMessage, do: (*Checker).endMessage, to: turn},
			{on: native.KindCompactionStart, check: (*Checker).byCommand, do: (*Checker).beginCompaction, to: compacting},
		},
		confirmed: {
			{on: native.KindRetryEnd, check: (*Checker).succeeded, do: (*Checker).endRetry, to: replied},
		},
		replied: {
			{on: native.KindToolStart, check: (*Checker).startCall, to: tools},
			{on: native.KindTurnEnd, check: (*Checker).allRan, to: turned},
			{on: native.KindCompactionStart, check: (*Checker).byCommand, do: (*Checker).beginCompaction, to: compacting},
		},
		tools: {
			{on: native.KindToolStart, check: (*Checker).startCall, to: tools},
			{on: native.KindToolUpdate, check: (*Checker).openCall, to: tools},
			{on: native.KindToolEnd, check: (*Checker).endCall, to: tools},
			{on: native.KindMessageStart, role: native.RoleToolResult, check: (*Checker).nextResult, do: (*Checker).beginMessage, to: message},
			{on: native.KindTurnEnd, check: (*Checker).allResults, to: turned},
			{on: native.KindCompactionStart, check: (*Checker).byCommand, do: (*Checker).beginCompaction, to: compacting},
		},
		turned: {
			{on: native.KindTurnStart, to: turn},
			{on: native.KindAgentEnd, do: (*Checker).endQuietly, to: ended},
			{on: native.KindCompactionStart, check: (*Checker).byCommand, do: (*Checker).beginCompaction, to: compacting},
		},
		failed: {
			{on: native.KindRetryStart, do: (*Checker).beginRetry, to: waiting},
			{on: native.KindRetryEnd, check: (*Checker).gaveUp, do: (*Checker).endRetry, to: idle},
		},
		waiting: {
			{on: native.KindAgentStart, do: (*Checker).resumePrompted, to: run}, // a prompt can have come
			{on: native.KindRetryEnd, check: (*Checker).gaveUp, do: (*Checker).endRetry, to: idle},
		},
		ended: {
			{on: native.KindAgentStart, check: (*Checker).prompted, do: (*Checker).beginPrompted, to: run},
			{on: native.KindRetryStart, check: (*Checker).replyFailed, do: (*Checker).beginRetry, to: waiting},
			{on: native.KindRetryEnd, check: (*Checker).gaveUp, do: (*Checker).endRetry, to: idle},
			{on: native.KindCompactionStart, do: (*Checker).beginCompaction, to: compacting},
			{on: native.KindCompactionEnd, check: (*Checker).stillTooLarge, to: idle},
		},
		compacting: {
			{on: native.KindCompactionStart, check: (*Checker).byCommand, do: (*Checker).beginSecond, to: compacting},
			{on: native.KindCompactionEnd, do: (*Checker).endCompaction073, to: compacted},
		},
		compacted: {
			{on: native.KindAgentStart, do: (*Checker).resumePrompted, to: run}, // a prompt, or queued messages
			{on: native.KindCompactionStart, do: (*Checker).beginCompaction, to: compacting},
		},
		resuming: {
			{on: native.KindAgentStart, do: (*Checker).resumePrompted, to: run},
			{on: native.KindCompactionStart, check: (*Checker).byCommand, do: (*Checker).beginCompaction, to: compacting},
		},
	},
}

// answered073 notes what a response means for later records. All that succeed look the
// same: a prompt that is answered in a run was queued, and one that replaces the session
// drops the run without a further record.
func (c *Checker) answered073(s *native.Skimmed) {
	switch open := c.state >= run && c.state <= turned; {
	case string(s.Command) == native.CmdPrompt && !open:
		c.started++
	case replacesSession(s):
		c.state, c.started, c.retrying = idle, 0, false
	}
}

// Of two prompts at once the second is lost.
func (c *Checker) beginPrompted(*native.Skimmed) { c.fresh, c.delivered, c.started = true, false, 0 }

func (c *Checker) resumePrompted(s *native.Skimmed) {
	c.resumeRun(s)
	c.started = 0
}

// byCommand: the command compact drops an open run without a further record.
func (c *Checker) byCommand(s *native.Skimmed) string {
	if string(s.Reason) != "manual" || c.mode == "json" {
		return "the end of the run before an automatic compaction"
	}
	return ""
}

func (c *Checker) beginCompaction(s *native.Skimmed) {
	c.idled, c.second = string(s.Reason) == "manual", 0
}

// beginSecond: the command compact does not look whether a compaction is under way.
func (c *Checker) beginSecond(*native.Skimmed) {
	c.idled = true
	c.second++
}

func (c *Checker) endCompaction073(s *native.Skimmed) {
	switch {
	case c.second > 0:
		c.second--
		c.state = compacting
	case s.WillRetry && !c.idled:
		c.state = resuming
	}
}

// endQuietly: whether a failed run is retried shows by what comes next, unless it failed
// for the very reason that was retried before.
func (c *Checker) endQuietly(*native.Skimmed) {
	if c.retrying && c.stop == native.StopError && c.cause == c.retry {
		c.state = failed
	}
}

func (c *Checker) replyFailed(*native.Skimmed) string {
	if c.stop != native.StopError {
		return "auto_retry_start only after a failed reply"
	}
	return ""
}
