package tui

import (
	"slices"
	"strings"
	"time"
)

// User shows a message of the user.
func (u *UI) User(now time.Duration, text string) {
	u.transcript.close()
	u.transcript.add(block{kind: blockUser, text: []byte(clean(strings.TrimSpace(text)))})
	u.touch(now)
}

// Text shows more of a reply.
func (u *UI) Text(now time.Duration, delta string) { u.say(now, blockText, delta) }

// Thought shows more of what the model thinks.
func (u *UI) Thought(now time.Duration, delta string) { u.say(now, blockThought, delta) }

func (u *UI) say(now time.Duration, k kind, delta string) {
	u.transcript.say(k, delta)
	u.touch(now)
}

// Said ends a reply.
func (u *UI) Said(now time.Duration) {
	u.transcript.close()
	u.touch(now)
}

// Finished ends whatever is open: replies, and calls of which no end came.
func (u *UI) Finished(now time.Duration) {
	u.transcript.finish()
	u.touch(now)
}

// Fail shows an error.
func (u *UI) Fail(now time.Duration, text string) { u.once(now, blockFailure, text) }

// Note shows what stands beside the conversation.
func (u *UI) Note(now time.Duration, text string) { u.once(now, blockNote, text) }

func (u *UI) once(now time.Duration, k kind, text string) {
	u.transcript.close()
	u.transcript.add(block{kind: k, text: []byte(clean(text))})
	u.touch(now)
}

// Call shows a call of a tool, such as "$ make"; timed: and how long it takes.
func (u *UI) Call(now time.Duration, id, title string, timed bool) {
	if b := u.transcript.tool(id); b != nil {
		b.title, b.began = clean(title), now
	} else {
		u.transcript.close()
		u.transcript.add(block{kind: blockTool, open: true, id: id, title: clean(title), began: now, timed: timed})
	}
	u.touch(now)
}

// Output shows what a call has put out so far.
func (u *UI) Output(now time.Duration, id, text string) {
	if b := u.transcript.tool(id); b != nil {
		b.text = []byte(clean(text))
		u.touch(now)
	}
}

// Called ends a call.
func (u *UI) Called(now time.Duration, id string) {
	if b := u.transcript.tool(id); b != nil {
		b.open, b.took = false, now-b.began
		u.transcript.settle()
		u.touch(now)
	}
}

// Clear begins a new conversation.
func (u *UI) Clear(now time.Duration) {
	t := &u.transcript
	*t = transcript{style: t.style, width: t.width}
	u.greet()
	u.redraw()
	u.touch(now)
}

// Queue shows the messages that wait.
func (u *UI) Queue(now time.Duration, steering, followUp []string) {
	u.steering, u.followUp = slices.Clone(steering), slices.Clone(followUp)
	u.touch(now)
}

// Status shows what extensions say below everything.
func (u *UI) Status(now time.Duration, notes []string) {
	u.notes = slices.Clone(notes)
	u.touch(now)
}

// Dir shows the folder below the prompt.
func (u *UI) Dir(now time.Duration, dir string) {
	u.dir = dir
	u.touch(now)
}
