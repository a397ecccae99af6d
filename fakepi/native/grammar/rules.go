package grammar

import "fakepi.example/fakepi/native"

// state is what the stream is in the middle of.
type state uint8

const (
	start      state = iota // json mode, before the header
	idle                    // no run is open
	run                     // after agent_start
	turn                    // after turn_start: messages are delivered
	message                 // a message is open
	replied                 // the assistant message is complete
	confirmed               // as replied; auto_retry_end is due
	tools                   // calls are running, or their results are being told
	turned                  // after turn_end
	failed                  // after agent_end that will be retried
	delayed                 // after auto_retry_start
	waiting                 // the retry's delay is running
	ended                   // after the agent_end that is not retried
	overflow                // the refused message was dropped
	compacting              // after compaction_start
	compacted               // after compaction_end
	resuming                // the same, and a run must follow
	stateCount
)

// rule allows a kind of record in a state. check returns what is wrong, or "".
type rule struct {
	on    native.Kind
	role  native.Role
	check func(*Checker, *native.Skimmed) string
	do    func(*Checker, *native.Skimmed)
	to    state
}

func (r rule) String() string { return describe(&native.Skimmed{Kind: r.on, Role: r.role}) }

// rules is the grammar: for each state what may come, and where it leads.
var rules = [stateCount][]rule{
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
		{on: native.KindTurnEnd, check: (*Checker).noCalls, to: turned},
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
		{on: native.KindAgentSettled, check: (*Checker).retryOver, do: (*Checker).settle, to: idle},
	},
	overflow: {
		{on: native.KindCompactionStart, do: (*Checker).beginAutomatic, to: compacting},
	},
	compacting: {
		{on: native.KindSummarizationRetry, to: compacting},
		{on: native.KindCompactionEnd, do: (*Checker).endCompaction, to: compacted},
	},
	compacted: {
		{on: native.KindAgentStart, do: (*Checker).resumeRun, to: run}, // queued messages
		{on: native.KindAgentSettled, do: (*Checker).settle, to: idle},
	},
	resuming: {
		{on: native.KindAgentStart, do: (*Checker).resumeRun, to: run},
	},
}

func (c *Checker) prompted(*native.Skimmed) string {
	if c.mode == "rpc" && c.started == 0 {
		return "the response that starts the run first"
	}
	return ""
}

func (c *Checker) beginRun(*native.Skimmed) {
	c.fresh, c.delivered = true, false
	c.started--
}

func (c *Checker) resumeRun(*native.Skimmed) { c.fresh, c.delivered = false, false }

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

func (c *Checker) asked(*native.Skimmed) string {
	if c.fresh && !c.delivered {
		return "a user message before the first reply to a prompt"
	}
	return ""
}

func (c *Checker) succeeded(s *native.Skimmed) string {
	if !s.Success {
		return "auto_retry_end with success after a good message"
	}
	return ""
}

func (c *Checker) gaveUp(s *native.Skimmed) string {
	if s.Success || !c.retrying {
		return "auto_retry_end without success, of an open retry"
	}
	return ""
}

func (c *Checker) retryOver(*native.Skimmed) string {
	if c.retrying && c.stop == native.StopError {
		return "auto_retry_end first"
	}
	return ""
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

func (c *Checker) beginRetry(*native.Skimmed) { c.retrying = true }
func (c *Checker) endRetry(*native.Skimmed)   { c.retrying = false }

func (c *Checker) settle(*native.Skimmed) { c.retrying = false }

func (c *Checker) beginManual(*native.Skimmed)    { c.idled = true }
func (c *Checker) beginAutomatic(*native.Skimmed) { c.idled = false }

func (c *Checker) endCompaction(s *native.Skimmed) {
	switch {
	case c.idled:
		c.state = idle
	case s.WillRetry:
		c.state = resuming
	}
}
