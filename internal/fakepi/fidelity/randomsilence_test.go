package fidelity_test

import "time"

// Silences in which a client acts.

// pause is how long one is.
const pause = 3 * time.Second

// awaits lets the client await the record that the run has printed last of a kind, and act behind it.
func (s *story) awaits(kind string) {
	s.act("on %s x%d", kind, s.printed[kind])
	s.act("wait %s", quiet)
	s.actsInRun()
}

// beforeReply is behind the prompt, whose request is not answered yet.
func (s *story) beforeReply() {
	s.act("on message_end(user)")
	s.act("wait %s", quiet)
	s.actsInRun()
	s.line(pause, "opens")
	s.tool()
}

// inText is in the middle of a text, which may end the message.
func (s *story) inText() {
	s.line(soon, `says "Wait for it." chunks 1`)
	s.printed["text_delta"]++
	s.awaits("text_delta")
	s.line(pause, `says " Here." chunks 1`)
	s.printed["text_delta"]++
}

func (s *story) inTextBeforeTool() {
	s.inText()
	s.tool()
}

func (s *story) inThought() {
	s.line(soon, `thinks "Let me" chunks 1`)
	s.printed["thinking_delta"]++
	s.awaits("thinking_delta")
	s.line(pause, `thinks " think." chunks 1`)
	s.printed["thinking_delta"]++
	s.tool()
}

// inTool is while a command runs, perhaps behind another call of the batch.
func (s *story) inTool() {
	t := s.call(`bash "sleep 3; echo long" runs %s gives "long\n"`, pause)
	if s.chance(30) {
		s.with(t, `tool read "notes.md" runs 10ms gives "one\ntwo\n"`)
	}
	s.awaits("tool_execution_start(bash)")
	s.answered()
}

// inDelay is before a retry, where that is long enough. A prompt, which is refused elsewhere, may begin a run there.
func (s *story) inDelay() {
	if s.delay < 2*time.Second {
		s.inTool()
		return
	}
	s.line(soon, "refused transient")
	s.retries()
	s.act("on auto_retry_start x%d", s.printed["auto_retry_start"])
	s.act("wait %s", quiet)
	pick(s, s.query, s.set, s.queues, s.stops, s.cancels)()
}

// cancels ends the delay, and the run with it.
func (s *story) cancels() {
	s.over = true
	s.command(`{"type":"abort_retry"}`)
	s.act("wait %s", pause/2)
}
