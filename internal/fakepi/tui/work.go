package tui

import "time"

// work is the spinner and what stands beside it.
type work struct {
	text  string        // empty: it rests
	until time.Duration // to which the text counts down; 0: it does not
	frame int
	at    time.Duration // when it turns; never
}

// spinPeriod makes 12 to 13 frames a second.
const spinPeriod = 80 * time.Millisecond

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// Work starts the spinner beside a text, or the text that Pi has for work. Where until is given, "{}" in the text stands
// for the seconds that are left.
func (u *UI) Work(now time.Duration, text string, until time.Duration) {
	u.touch(now)
	w := &u.work
	if w.text == "" {
		w.frame = 0
	}
	if w.text, w.until = text, until; text == "" {
		w.text = u.style.working
	}
	if w.at == never && !u.still {
		w.at = now + spinPeriod
	}
}

// Rest ends the spinner.
func (u *UI) Rest(now time.Duration) {
	u.now, u.dirty = now, u.dirty || u.work.text != ""
	u.work.text, u.work.at = "", never
}

// Spin turns the spinner on, and draws in any case.
func (u *UI) Spin(now time.Duration) {
	u.touch(now)
	u.turn(now)
}

func (u *UI) turn(now time.Duration) {
	u.work.frame = (u.work.frame + 1) % len(spinner)
	if u.work.text != "" && !u.still {
		u.work.at = now + spinPeriod
	}
}

// Run begins a run, and Turn a turn of it: from then on it works.
func (u *UI) Run(now time.Duration) {
	if !u.style.turns {
		u.begin(now)
	}
}

// Turn begins a turn.
func (u *UI) Turn(now time.Duration) {
	if u.style.turns {
		u.begin(now)
	}
}

func (u *UI) begin(now time.Duration) {
	u.Progress(now, true)
	u.Work(now, "", 0)
}
