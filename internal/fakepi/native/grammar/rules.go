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

// order is the grammar of a dialect.
type order struct {
	rules     [stateCount][]rule // for each state what may come, and where it leads
	rest      []state            // those in which no work is open
	answered  func(*Checker, *native.Skimmed)
	streams   native.StopReason // of a message that has just begun
	anonymous bool              // the call's id comes with its execution, not while it streams
	silent    bool              // json mode does not tell the end of a compaction
}

// replacesSession reports whether a successful response tells of another session.
func replacesSession(s *native.Skimmed) bool {
	switch string(s.Command) {
	case native.CmdNewSession, native.CmdSwitchSession, native.CmdFork, native.CmdClone:
		return !s.Cancelled
	}
	return false
}

func (c *Checker) prompted(*native.Skimmed) string {
	if c.mode == "rpc" && c.started == 0 {
		return "the response that starts the run first"
	}
	return ""
}

func (c *Checker) resumeRun(*native.Skimmed) { c.fresh, c.delivered = false, false }

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

func (c *Checker) beginRetry(s *native.Skimmed) { c.retrying, c.retry = true, native.Unescape(s.Error) }

func (c *Checker) endRetry(*native.Skimmed) { c.retrying = false }

func (c *Checker) beginManual(*native.Skimmed) { c.idled = true }

func (c *Checker) beginAutomatic(*native.Skimmed) { c.idled = false }

// stillTooLarge: a request that overflows again after its compaction is told by an end
// without a start.
func (c *Checker) stillTooLarge(s *native.Skimmed) string {
	if string(s.Reason) != "overflow" || s.WillRetry || len(s.Error) == 0 {
		return "compaction_start first"
	}
	return ""
}
