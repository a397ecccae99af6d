package fidelity_test

import (
	"fmt"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// act adds a line to the client's half.
func (s *story) act(format string, a ...any) { s.client = append(s.client, fmt.Sprintf(format, a...)) }

func (s *story) command(format string, a ...any) { s.act("command "+format, a...) }

// prompts sends the prompt of a run. One that the script does not have gets the next reply, too.
func (s *story) prompts(text string) {
	switch {
	case !s.spared && s.chance(8):
		s.act("prompt %s", script.Quote(fmt.Sprintf("Not in the script %d.", s.number())))
	case s.chance(10):
		s.command(`{"type":"prompt","message":%s,"images":[%s]}`, jsonText(text), s.image())
	default:
		s.act("prompt %s", script.Quote(text))
	}
	s.asked = true
}

func jsonText(text string) string { return string(native.AppendValue(nil, native.String(text))) }

// image is one of a pixel, or of none.
func (s *story) image() string {
	return pick(s,
		`{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==","mimeType":"image/png"}`,
		`{"type":"image","data":"R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7","mimeType":"image/gif"}`,
		`{"type":"image","data":"aGk=","mimeType":"image/png"}`)
}

// message is a text for the queue. Most have a reply of their own in the worker's half; the others take that of a prompt.
func (s *story) message() string {
	text := fmt.Sprintf("Message %d.", s.number())
	s.astray, s.queued = true, true
	if s.chance(75) {
		s.spares, s.spared = append(s.spares, text), true
	} else {
		s.lost = true
	}
	return jsonText(text)
}

// between does some things between two runs.
func (s *story) between() {
	for range s.IntN(3) {
		pick(s, s.query, s.query, s.query, s.set, s.set, s.idle, s.waits, s.compact, s.newSession, s.fork, s.clone, s.switchBack)()
	}
}

// query asks for something.
func (s *story) query() {
	what := []string{
		"get_state", "get_messages", "get_last_assistant_text", "get_fork_messages", "get_entries", "get_tree",
		"get_available_models", "get_available_thinking_levels", "get_commands",
	}
	if s.counted {
		what = append(what, "get_session_stats", "get_session_stats")
	}
	s.command(`{"type":%q}`, pick(s, what...))
}

// set changes a setting, to what it is or to something else.
func (s *story) set() {
	s.command("%s", pick(s,
		`{"type":"set_steering_mode","mode":"all"}`, `{"type":"set_steering_mode","mode":"one-at-a-time"}`,
		`{"type":"set_follow_up_mode","mode":"all"}`, `{"type":"set_follow_up_mode","mode":"one-at-a-time"}`,
		`{"type":"set_auto_compaction","enabled":true}`, `{"type":"set_auto_compaction","enabled":false}`,
		`{"type":"set_thinking_level","level":"off"}`, `{"type":"set_thinking_level","level":"high"}`,
		`{"type":"set_thinking_level","level":"xhigh"}`, `{"type":"cycle_thinking_level"}`, `{"type":"cycle_model"}`,
		`{"type":"set_model","provider":"fake","modelId":"fake-1"}`, `{"type":"set_model","provider":"fake","modelId":"none"}`,
		`{"type":"set_auto_retry","enabled":true}`,
		`{"type":"set_session_name","name":"a"}`, `{"type":"set_session_name","name":"  größe "}`))
}

// idle does what belongs to no run.
func (s *story) idle() {
	s.command("%s", pick(s,
		`{"type":"bash","command":"echo one"}`, `{"type":"bash","command":"echo two; exit 3"}`, `{"type":"bash","command":"cat notes.md"}`,
		`{"type":"bash","command":"echo three","excludeFromContext":true}`, `{"type":"abort"}`, `{"type":"abort_retry"}`))
}

// waits lets a message wait for the next run, and queues for its turn in this one; neither where the context is narrow.
func (s *story) waits() {
	if !s.narrow {
		s.command(pick(s, `{"type":"steer","message":%s}`, `{"type":"follow_up","message":%s}`), s.message())
	}
}

func (s *story) queues() {
	switch {
	case s.narrow:
		s.query()
	case s.chance(10):
		s.command(`{"type":"steer","message":%s,"images":[%s]}`, s.message(), s.image())
	default:
		s.command(pick(s, `{"type":"steer","message":%s}`, `{"type":"follow_up","message":%s}`,
			`{"type":"prompt","message":%s,"streamingBehavior":"steer"}`, `{"type":"prompt","message":%s,"streamingBehavior":"followUp"}`), s.message())
	}
}

// compact tells how large the context was.
func (s *story) compact() {
	if s.counted {
		s.command(`{"type":"compact"}`)
		s.counted = false
	}
}

func (s *story) newSession() {
	s.command(`{"type":"new_session"}`)
	s.command(`{"type":"get_state"}`)
	s.asked, s.counted = false, false
}

// fork begins with nothing again, before the first prompt.
func (s *story) fork() {
	if s.asked {
		s.command(`{"type":"get_fork_messages"}`)
		s.command(`{"type":"fork","entryId":"$ENTRY"}`)
		s.command(`{"type":"get_state"}`)
		s.asked, s.counted = false, false
	}
}

func (s *story) clone() {
	if s.asked {
		s.command(`{"type":"clone"}`)
		s.command(`{"type":"get_state"}`)
	}
}

// switchBack turns to a new session, and back.
func (s *story) switchBack() {
	if !s.unsaved {
		s.command(`{"type":"get_state"}`)
		s.command(`{"type":"new_session"}`)
		s.command(`{"type":"switch_session","sessionPath":"$SESSION"}`)
		s.query()
	}
}

// actsInRun does one to three things in a silence of the run, which the last may end.
func (s *story) actsInRun() {
	for range 1 + s.IntN(3) {
		if s.chance(25) {
			s.stops()
			return
		}
		pick(s, s.query, s.query, s.set, s.queues, s.queues, s.interferes)()
	}
}

// interferes does what is refused, or waits, or is done at once.
func (s *story) interferes() {
	s.command("%s", pick(s, `{"type":"clear_queue"}`, `{"type":"bash","command":"echo in a run"}`,
		`{"type":"prompt","message":"Too early."}`, `{"type":"set_model","provider":"fake","modelId":"fake-1"}`))
}

// stops ends the run, or the Pi.
func (s *story) stops() {
	s.over = true
	if s.chance(30) {
		s.act("%s", pick(s, "eof", "signal SIGTERM", "signal SIGKILL"))
		s.act("exited")
		s.left = true
		return
	}
	s.lost = s.lost || s.queued // the message goes on waiting
	if s.counted && s.chance(20) {
		s.command(`{"type":"compact"}`)
		s.counted = false
	} else {
		s.command(`{"type":"abort"}`)
	}
	s.act("wait %s", pause/2)
}

// restarts starts the next Pi, behind one that was left or that leaves by the end of its stdin.
func (s *story) restarts() {
	s.line(time.Minute, "killed SIGKILL")
	s.line(time.Minute, "spawn")
	s.left, s.asked, s.counted = false, false, false
	if s.unsaved {
		s.act("start")
	} else {
		s.act("start%s", pick(s, "", " --continue", " --continue", " --continue --thinking low"))
	}
}
