package grammar

import "fakepi.example/fakepi/native"

// reply is one assistant message: its blocks as they stream, and its calls as they run.
type reply struct {
	blocks  []block
	calls   []call
	results int // told so far
	refused bool
}

type block struct {
	kind native.DeltaKind // its *_start
	open bool
}

type call struct {
	id             string
	started, ended bool
}

func (c *Checker) beginMessage(s *native.Skimmed) {
	c.role = s.Role
	switch s.Role {
	case native.RoleSystem:
		c.ran = true
	case native.RoleUser:
		c.delivered = true
	case native.RoleAssistant:
		c.failed = s.Stop != c.order.streams
		c.reply = reply{blocks: c.blocks[:0], calls: c.calls[:0]}
	}
}

// delta checks that blocks begin in order, grow while open, and end once.
func (c *Checker) delta(s *native.Skimmed) string {
	if c.role != native.RoleAssistant || c.failed {
		return "no update of a message that is complete"
	}
	i := s.ContentIndex
	first := startOf(s.Delta)
	switch {
	case s.Delta == first:
		if i != len(c.blocks) {
			return "blocks to begin in order"
		}
		c.blocks = append(c.blocks, block{kind: first, open: true})
		if first == native.DeltaToolCallStart {
			c.calls = append(c.calls, call{id: native.Unescape(s.ToolCallID)})
		}
	case i < 0 || i >= len(c.blocks) || c.blocks[i].kind != first || !c.blocks[i].open:
		return "a delta of an open block of its kind"
	case s.Delta == first+2:
		c.blocks[i].open = false
	}
	return ""
}

// startOf returns the kind that begins the block which d belongs to.
func startOf(d native.DeltaKind) native.DeltaKind {
	switch {
	case d >= native.DeltaToolCallStart && d <= native.DeltaToolCallEnd:
		return native.DeltaToolCallStart
	case d >= native.DeltaThinkingStart && d <= native.DeltaThinkingEnd:
		return native.DeltaThinkingStart
	}
	return native.DeltaTextStart
}

func (c *Checker) sameMessage(s *native.Skimmed) string {
	if s.Role != c.role {
		return "message_end of " + roleNames[c.role]
	}
	switch c.role {
	case native.RoleAssistant:
		return c.complete(s)
	case native.RoleToolResult:
		if string(native.Unescape(s.ToolCallID)) != c.calls[c.results].id {
			return "the result of " + c.calls[c.results].id
		}
	}
	return ""
}

// complete checks an assistant message at its end.
func (c *Checker) complete(s *native.Skimmed) string {
	switch s.Stop {
	case native.StopNone, native.StopPending, native.StopOther:
		return "a stop reason"
	case native.StopError, native.StopAborted:
		return ""
	}
	for _, b := range c.blocks {
		if b.open {
			return "every block to end before its message"
		}
	}
	if s.Calls != len(c.calls) {
		return "the calls that were streamed"
	}
	return ""
}

// endMessage goes on where the role of the message leads.
func (c *Checker) endMessage(s *native.Skimmed) {
	switch c.role {
	case native.RoleAssistant:
		c.stop, c.cause = s.Stop, native.Unescape(s.Error)
		c.state = replied
		if c.retrying && s.Stop != native.StopError { // an aborted one too
			c.state = confirmed
		}
	case native.RoleToolResult:
		c.results++
		c.refused = c.refused || s.IsError
		c.state = tools
	}
}

func good(s native.StopReason) bool {
	return s == native.StopStop || s == native.StopToolUse || s == native.StopLength
}

// startCall: calls are prepared one after the other, in the order of the message.
func (c *Checker) startCall(s *native.Skimmed) string {
	if c.results > 0 {
		return "no further call after the first result"
	}
	for i := range c.calls {
		if c.calls[i].started {
			continue
		}
		if !c.named(i, s) {
			return "tool_execution_start for " + c.calls[i].id
		}
		c.calls[i].started = true
		return ""
	}
	return "no call beyond those of the message"
}

// named reports whether s is about call i. The first record that tells a call's id names it.
func (c *Checker) named(i int, s *native.Skimmed) bool {
	k := &c.calls[i]
	if k.id == "" && c.order.anonymous {
		k.id = native.Unescape(s.ToolCallID)
	}
	return k.id == native.Unescape(s.ToolCallID)
}

func (c *Checker) running(s *native.Skimmed) *call {
	for i := range c.calls {
		if k := &c.calls[i]; k.started && !k.ended && k.id == native.Unescape(s.ToolCallID) {
			return k
		}
	}
	return nil
}

func (c *Checker) openCall(s *native.Skimmed) string {
	if c.running(s) == nil {
		return "an update of a running call"
	}
	return ""
}

func (c *Checker) endCall(s *native.Skimmed) string {
	k := c.running(s)
	if k == nil {
		return "the end of a running call"
	}
	k.ended = true
	return ""
}

// nextResult: results come in call order, after the last call has ended.
func (c *Checker) nextResult(s *native.Skimmed) string {
	for _, k := range c.calls {
		if k.started && !k.ended {
			return "the end of " + k.id
		}
	}
	if c.results >= len(c.calls) {
		return "no further result"
	}
	if !c.named(c.results, s) {
		return "the result of " + c.calls[c.results].id
	}
	return ""
}

// allRan: all calls of a reply that did not fail are run, also those that it broke off in.
func (c *Checker) allRan(*native.Skimmed) string {
	if good(c.stop) && len(c.calls) > 0 {
		return "the message's calls to run"
	}
	return ""
}

// allResults: a batch that was cut off tells of it by a result with an error.
func (c *Checker) allResults(*native.Skimmed) string {
	for i, k := range c.calls {
		if k.started && (!k.ended || i >= c.results) {
			return "the result of " + k.id
		}
	}
	if c.results < len(c.calls) && !c.refused {
		return "the result of " + c.calls[c.results].id
	}
	return ""
}
