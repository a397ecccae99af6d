package fakepi

import (
	"slices"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/provider"
)

// conversation is where Pi's agent loop stands.
type conversation struct {
	running bool // agent_start without agent_end
	ran     bool // there was an agent_start at all
	turn    bool // turn_start without turn_end
	ended   bool // the last run has ended and agent_settled has not come
	settled bool // agent_settled came, and no run since
	pledged bool // agent_end said that a retry follows

	settleEarly int  // prompts came at once: the next run begins with a terminal event for each but one (docs/pi-formats.md, section 4)
	aborting    bool // what comes is because of an abort, and no progress

	since        time.Duration // when ended or settled began
	resumeAt     time.Duration // when a run follows a compaction by itself; 0: none does
	recovered    bool          // a request too large was made again with less, and no good reply has come
	messages     []native.Message
	last         *native.AssistantMessage // the last finished reply
	lastEntry    string
	sentSections variable // what system messages have said; zero: the model had none

	owed      bool          // the model owes the first token of a reply
	owedAt    time.Duration // since when
	fromOther bool          // the message before came by Send
	requestAt time.Duration // when Pi sent the request: the reply's timestamp

	requestLevel string // of thinking, then

	steering, followUp []queued // never changed in place
	context            int64    // tokens of the conversation
	metered            bool     // the script has said what the provider counts
}

// startRun opens a run with a prompt; one without goes on after a retry or compaction.
func (w *Worker) startRun(prompts ...queued) {
	begins := len(prompts) > 0 && w.rules.system
	if begins {
		w.recordLevel()
	}
	w.openRun()
	if begins {
		w.instruct()
	}
	for _, p := range prompts {
		p.images, w.images = append(slices.Clip(p.images), w.images...), nil
		why := w.unsavable()
		w.sayUser(p)
		if why != "" {
			w.failUnsaved(why)
			return
		}
	}
	if len(w.steering) > 0 {
		w.deliver()
	}
	w.request()
	if why := w.unsendable(); why != "" {
		w.failUnsendable(why)
	}
}

// openRun prints what every run begins with.
func (w *Worker) openRun() {
	w.aborting = false
	w.running, w.ran, w.resumeAt, w.rest = true, true, 0, rest{}
	w.ended, w.settled = false, false
	w.messages = nil
	w.print(&native.AgentStart{}, true)
	for ; w.settleEarly > 0; w.settleEarly-- {
		w.print(&native.AgentSettled{}, false)
	}
	w.startTurn()
}

func (w *Worker) startTurn() {
	w.turn = true
	w.print(&native.TurnStart{}, true)
	w.request()
}

// request notes that Pi asks the model now.
func (w *Worker) request() {
	w.owed, w.owedAt, w.requestAt, w.requestLevel = true, w.now, w.now, w.level
}

// say prints a message that is not streamed, and saves it before its end is printed.
func (w *Worker) say(m native.Message) {
	w.print(&native.MessageStart{Message: m}, true)
	w.finish(m)
}

// finish saves a message and prints its end, in the dialect's order.
func (w *Worker) finish(m native.Message) {
	w.messages = append(w.messages, m)
	if w.rules.fileFirst {
		w.lastEntry = w.save(m)
	}
	w.print(&native.MessageEnd{Message: m}, true)
	if !w.rules.fileFirst {
		w.lastEntry = w.save(m)
	}
}

func (w *Worker) sayUser(p queued) {
	w.recovered = false
	m := w.userMessage(p)
	w.context += w.tokensOf(m.Content)
	w.fromOther = p.fromOther
	w.say(m)
}

func (w *Worker) userMessage(p queued) *native.UserMessage {
	text := p.text
	if len(p.notes) > 0 {
		text += "\n\n" + strings.Join(p.notes, "\n")
	}
	return &native.UserMessage{
		Content:   append([]native.Block{&native.TextBlock{Text: text}}, p.images...),
		Timestamp: w.stamp(p.at),
	}
}

// endTurn closes the turn of the last reply.
func (w *Worker) endTurn(results []native.Message) {
	w.turn = false
	w.print(&native.TurnEnd{Message: w.last, ToolResults: results}, true)
}

// endRun prints agent_end. More may follow: a retry, a compaction; agent_settled is the end.
func (w *Worker) endRun(willRetry bool) {
	w.running, w.owed = false, false
	w.ended, w.since, w.pledged = true, w.now, willRetry && w.rules.pledges
	w.print(&native.AgentEnd{Messages: w.messages, WillRetry: willRetry}, true)
}

// settle ends the work, by agent_settled where the dialect has it. The screen and the text of print mode show it anyway.
func (w *Worker) settle(aborted bool) {
	if !w.rules.countsOn {
		w.failRetry()
	}
	w.ended, w.owed = false, false
	w.settled, w.since = true, w.now
	if w.rules.terminal {
		w.flushBash()
	}
	if w.rules.terminal || !w.printsLines() {
		w.print(&native.AgentSettled{Aborted: aborted}, w.rules.terminal)
	}
	w.leaveOneShot()
}

// close finishes whatever of the run is open, as if the model had ended with this stop reason, and reports whether the run
// may end. It goes on where a message waits for which the script has no reply left: in a driven worker with the reply to
// the next prompt, in others with a short one.
func (w *Worker) close(stop string) bool {
	if !w.running {
		return true
	}
	if w.owed && w.fromOther && !w.reply.open {
		if w.driven {
			w.replyAhead()
			return false
		}
		w.chunk(blockText, provider.Unscripted)
	}
	if w.reply.open || w.owed {
		w.closeReply(w.endingOf(stop))
	}
	if w.turn {
		w.endTurn(nil)
	}
	w.calls = nil
	for w.nextTurn(true) {
		if w.driven {
			if w.fromOther {
				w.replyAhead()
			}
			return false
		}
		w.chunk(blockText, provider.Unscripted)
		w.closeReply(ending{stop: "stop"})
		w.endTurn(nil)
	}
	return true
}
