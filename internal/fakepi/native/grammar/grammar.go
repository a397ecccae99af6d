// Package grammar checks the order of the records that Pi writes to stdout, by dialect
// (docs/pi-formats.md, section 4). Recordings and the fake worker pass the same checker.
package grammar

import (
	"fmt"
	"slices"
	"strings"

	"fakepi.example/fakepi/native"
)

// Violation is the first record that the grammar does not allow.
type Violation struct {
	Line int    // of the stream, from 1; 0 at its end
	Got  string // what came
	Want string // what could have come
}

func (v *Violation) Error() string {
	return fmt.Sprintf("line %d: got %s, want %s", v.Line, v.Got, v.Want)
}

// Checker follows one process's stdout. Make one with [Pi16] or [Pi073].
type Checker struct {
	order *order
	mode  string
	state state
	line  int
	bad   *Violation

	started   int  // prompts answered with success whose run has not begun (rpc)
	ran       bool // this session has had a run, or its system message
	fresh     bool // the run began with a prompt, not with a retry
	delivered bool // the run has had a user message
	retrying  bool // auto_retry_start without auto_retry_end
	idled     bool // the compaction began while idle, or by command
	second    int  // compactions that began while another was under way and have to end

	role   native.Role // of the open message
	stop   native.StopReason
	cause  string // error text of the last assistant message
	retry  string // error text of the announced retry
	failed bool   // the open assistant message was finished when it began
	reply
}

// begin: in mode "json" a header comes first; in "rpc" there is none, and a response comes
// before the run that it starts.
func begin(o *order, mode string) *Checker {
	c := &Checker{order: o, mode: mode}
	if mode != "json" {
		c.state = idle
	}
	return c
}

// Observe takes the next line of stdout. Once it has returned a [*Violation], it returns
// the same one for every further line.
func (c *Checker) Observe(s *native.Skimmed) error {
	c.line++
	if c.bad != nil {
		return c.bad
	}
	if anywhere(s.Kind) && c.state != start {
		if s.Kind == native.KindResponse && s.Success {
			c.order.answered(c, s)
		}
		return nil
	}
	var want []string
	for _, r := range c.order.rules[c.state] {
		if r.on != s.Kind || r.role != native.RoleNone && r.role != s.Role {
			want = append(want, r.String())
			continue
		}
		if r.check != nil {
			if problem := r.check(c, s); problem != "" {
				want = append(want, problem)
				continue
			}
		}
		c.state = r.to
		if r.do != nil {
			r.do(c, s)
		}
		return nil
	}
	c.bad = &Violation{Line: c.line, Got: describe(s), Want: strings.Join(want, ", or ")}
	return c.bad
}

// Idle reports whether no work is open.
func (c *Checker) Idle() bool { return c.bad == nil && slices.Contains(c.order.rest, c.state) }

// End tells that the stream is over. A process that ended by itself has finished its
// work; one that was killed, or whose stdin was closed, may leave anything open.
func (c *Checker) End(finished bool) error {
	if c.bad != nil {
		return c.bad
	}
	if !finished || c.Idle() || c.order.silent && c.mode == "json" && c.state == compacting {
		return nil
	}
	var want []string
	for _, r := range c.order.rules[c.state] {
		want = append(want, r.String())
	}
	c.bad = &Violation{Got: "the end of the stream", Want: strings.Join(want, ", or ")}
	return c.bad
}

// anywhere reports records that may stand between any two others.
func anywhere(k native.Kind) bool {
	switch k {
	case native.KindQueueUpdate, native.KindResponse, native.KindUIRequest, native.KindBashUpdate,
		native.KindSessionInfoChanged, native.KindThinkingLevelChanged, native.KindExtensionError:
		return true
	}
	return false
}

func describe(s *native.Skimmed) string {
	text := s.Kind.String()
	if s.Role != native.RoleNone {
		text += " of " + roleNames[s.Role]
	}
	if s.Delta != native.DeltaNone {
		text += fmt.Sprintf(" %s of block %d", s.Delta, s.ContentIndex)
	}
	if len(s.ToolCallID) > 0 {
		text += " for " + native.Unescape(s.ToolCallID)
	}
	return text
}

var roleNames = [...]string{
	native.RoleUser: "user", native.RoleAssistant: "assistant", native.RoleToolResult: "toolResult",
	native.RoleSystem: "system", native.RoleBashExecution: "bashExecution", native.RoleOther: "an unknown role",
}
