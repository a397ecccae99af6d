// Package tui is the terminal of Pi, as a program and as a person see it: it reads the bytes that a terminal sends as
// keys ([Decoder]), keeps what the screen shows, and draws it in the manner of a version of Pi ([UI]): the same modes,
// questions and signs to the terminal, the same spinner, a layout that a person takes for Pi's
// (docs/pi-formats.md, section 13). It is pure: the time is an argument, and what is to be written is returned.
package tui

import (
	"slices"
	"strings"
	"time"
)

// never is later than every event.
const never = time.Duration(1<<63 - 1)

// Options say what a terminal and its program are.
type Options struct {
	Version    Version
	Cols, Rows int           // 80 by 24 unless given
	Start      time.Duration // when the program starts
	Status     Status
	Progress   bool    // the progress sign is given
	Regular    bool    // on the scrolling screen, whatever the version prefers
	Speed      float64 // how many times faster than the user's the time runs; 1 unless given
	Still      bool    // nothing turns or is repeated by itself: no time passes
	NoInput    bool    // nobody reads what the terminal sends: it is asked nothing, and no keys or mouse are set up
	Model      string  // below the prompt, at the right
}

// Status says whether the terminal is told what the program does, by OSC 7501. Versions that cannot never tell it.
type Status uint8

// The values of Status.
const (
	StatusAsk Status = iota // if the terminal answers that it understands
	StatusOn
	StatusOff
)

// UI is the terminal interface. Its methods take times that never go back; what they write is taken by [UI.Written].
type UI struct {
	style      *style
	fullscreen bool
	still      bool
	left       bool // nothing is drawn by itself any more
	suspended  bool // the terminal is another program's
	speed      float64
	cols, rows int
	modes      modes
	report     Report
	out        []string
	dirty      bool // the screen shows something else than it should
	now        time.Duration

	transcript transcript
	editor     editor
	dialog     dialog
	menu       bool // the dialog stands before the program: there is nothing else
	decoder    Decoder
	keysAt     time.Duration // when what has begun in the decoder is taken as it stands
	clearUntil time.Duration // until then ctrl+c is a second one

	escapeUntil time.Duration // and escape, in an empty prompt

	work               work
	signAt             time.Duration // of the next progress sign
	steering, followUp []string      // what waits
	dir, model, usage  string        // below the prompt
	notes              []string      // of extensions, below everything

	view      view
	drawnAt   time.Duration
	full      fullscreen
	text      scrolling
	committed int // lines of the transcript that the scrolling screen has left behind
}

// New makes an interface. Nothing is written yet; see [UI.Open] and [UI.OpenMenu].
func New(o Options) *UI {
	u := &UI{
		style: styleOf(o.Version), still: o.Still, speed: max(o.Speed, 1), now: o.Start,
		keysAt: never, signAt: never, work: work{at: never},
		model: o.Model,
		modes: modes{noInput: o.NoInput, status: o.Status, progress: o.Progress, fallbackAt: never},
	}
	u.fullscreen = u.style.fullscreen && !o.Regular
	u.transcript.style, u.editor.upward = u.style, o.Version == V16
	u.size(o.Cols, o.Rows)
	u.greet()
	return u
}

// greet is how every conversation begins.
func (u *UI) greet() {
	u.transcript.add(block{kind: blockText, text: []byte("pi v" + string(u.style.version))})
	u.transcript.add(block{kind: blockNote, text: []byte(
		"escape interrupts, ctrl+c clears, ctrl+c twice or ctrl+d exits, alt+enter queues a follow-up")})
}

// Clone returns an independent copy.
func (u *UI) Clone() *UI {
	c := *u
	c.out = slices.Clip(c.out)
	c.transcript, c.decoder = u.transcript.clone(), u.decoder.Clone()
	return &c
}

// Written returns what is to be written, each in a write of its own.
func (u *UI) Written() []string {
	out := u.out
	u.out = nil
	return out
}

func (u *UI) write(s ...string) { u.out = append(u.out, strings.Join(s, "")) }

func (u *UI) size(cols, rows int) {
	if cols <= 0 || rows <= 0 {
		cols, rows = 80, 24
	}
	u.cols, u.rows = max(cols, 4), rows
	u.transcript.resize(u.cols)
}

// Resize draws for another size.
func (u *UI) Resize(cols, rows int) {
	u.size(cols, rows)
	u.redraw()
}

// redraw draws everything anew with the next frame.
func (u *UI) redraw() {
	u.full.rows, u.committed = nil, 0
	u.text = scrolling{stale: u.text.stale || u.text.lines != nil}
	u.dirty = true
}

// Next is when something is to be played, and false if never.
func (u *UI) Next() (time.Duration, bool) {
	if u.suspended {
		return 0, false
	}
	at := min(u.keysAt, u.work.at, u.signAt, u.modes.fallbackAt)
	if u.dialog.open && u.dialog.Until > 0 {
		at = min(at, u.tick(u.dialog.Until))
	}
	if u.work.text == "" && !u.left { // otherwise the spinner's frames show it
		at = min(at, u.transcript.tick(u.now))
	}
	if u.dirty {
		at = u.now
	}
	return at, at != never
}

// tick is the next instant at which the seconds up to a time change.
func (u *UI) tick(until time.Duration) time.Duration {
	if until <= u.now {
		return never
	}
	return until - (until-u.now-1)/time.Second*time.Second
}

// Play does what is due: signs, the spinner, a frame. The actions are those of keys that were waited for.
func (u *UI) Play(now time.Duration) []Action {
	var actions []Action
	if u.suspended {
		return nil
	}
	if u.keysAt <= now {
		u.keysAt = never
		actions = slices.Collect(u.press(now, u.decoder.Flush(nil)))
	}
	if u.modes.fallbackAt <= now {
		u.modes.fallbackAt = never
		u.fallBack()
	}
	if u.signAt <= now {
		u.signAt = now + signPeriod
		u.write(progressOn)
	}
	draw := u.dirty
	if u.work.at <= now {
		u.turn(now)
		draw = true
	}
	u.now = now
	if draw || u.ticked() {
		u.draw()
	}
	return actions
}
