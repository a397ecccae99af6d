package fidelity_test

import (
	"fmt"
	"strings"

	"fakepi.example/fakepi/script"
)

// says adds a text, in so many chunks at most.
func (s *story) says(most int) {
	text := pick(s, "Hello there.", "I will look at it.", "Größe \U0001f600 ok.", "a\nb\n\nc", " leading and trailing ",
		"x", strings.Repeat("word ", 30), `"quoted" \ and `+"\ttab", "```go\nfunc main() {}\n```", strings.Repeat("much ", 250))
	chunks := min(1+s.IntN(most), len([]rune(text)))
	over := ""
	if chunks > 1 && s.chance(20) {
		over = fmt.Sprintf("over %dms ", 100*(1+s.IntN(5)))
	}
	s.line(soon, "says %s %schunks %d", script.Quote(text), over, chunks)
	s.printed["text_delta"] += chunks
}

func (s *story) thinks() {
	chunks := 1 + s.IntN(2)
	s.line(soon, "thinks %s chunks %d", script.Quote(pick(s, "Hm.", "Let me think about this.", "Größe?", "one\ntwo")), chunks)
	s.printed["thinking_delta"] += chunks
}

// talks adds what a message says before it ends or calls a tool.
func (s *story) talks() {
	if s.chance(25) {
		s.thinks()
	}
	s.says(3)
	if s.chance(15) {
		s.says(1)
	}
	if s.chance(25) {
		s.line(0, "reports input %d output %d%s", 100+s.IntN(900), 1+s.IntN(90), pick(s, "", " cached 64"))
	}
}

// fails adds a request that fails, before the reply or in it, and is repeated.
func (s *story) fails() {
	if s.chance(40) {
		s.says(3)
		s.line(quiet, "refused transient by=%s", pick(s, "close", "event"))
	} else {
		s.line(soon, "refused transient%s", pick(s, "", ` "Slow down" status=429 retry_after=1s`, " status=500", ` "Overloaded" status=529`))
	}
	s.retries()
}

// retries is Pi's wait behind a failure. What it drops makes the count of the context useless.
func (s *story) retries() {
	s.line(0, "retries %dms", s.delay.Milliseconds()<<s.failed)
	s.failed++
	s.printed["auto_retry_start"]++
	s.counted = false
}

// answered notes that a reply has come to its end.
func (s *story) answered() {
	s.failed = 0
	if !s.over {
		s.counted = s.sure()
	}
}

func (s *story) settles() {
	s.line(0, "settles")
	s.answered()
}

// ends ends a run.
func (s *story) ends(last bool) {
	endings := []func(){s.reply, s.reply, s.reply, s.reply, s.empty}
	if s.failed == 0 { // or one of the dialects would count on in the next run
		endings = append(endings, s.refused, s.filtered, s.givesUp)
	}
	switch {
	case !s.narrow:
		endings = append(endings, s.cutOff)
	case s.rpc() || last: // of a one-shot, not between two messages
		endings = append(endings, s.overfills, s.overfills)
	}
	pick(s, endings...)()
}

func (s *story) reply() {
	s.talks()
	s.settles()
}

func (s *story) empty() {
	s.line(soon, "opens")
	s.settles()
}

func (s *story) cutOff() {
	s.says(3)
	s.line(0, "closes length")
	s.settles()
}

func (s *story) refused() {
	s.line(soon, "refused %s", pick(s, "auth", "quota", "quota reset=2h", `auth "No" status=403`, `other "No such parameter" status=400`))
	s.line(0, "settles")
}

func (s *story) filtered() {
	s.says(3)
	s.line(soon, "refused other by=filter")
	s.line(0, "settles")
}

func (s *story) givesUp() {
	for range 3 {
		s.line(soon, "refused transient")
		s.retries()
	}
	s.line(soon, "refused transient")
	s.line(0, "settles")
}

// overfills fills the context, with enough before the reply that Pi keeps: it compacts.
func (s *story) overfills() {
	for range 2 {
		s.line(soon, "says %s chunks 1", script.Quote(strings.Repeat("much ", 250)))
		s.call(`bash "sleep 0.3; echo hi" runs 300ms gives "hi\n"`)
		s.line(soon, "says %s chunks 1", script.Quote(strings.Repeat("more ", 250)))
		s.printed["text_delta"] += 2
	}
	s.line(0, "reports input 7600 output 90")
	s.line(0, "ends")
	s.line(0, "compacts threshold runs %dms", 100*(1+s.IntN(4)))
	s.line(0, "settles")
	s.counted = false
}
