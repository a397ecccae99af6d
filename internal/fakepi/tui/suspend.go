package tui

import (
	"strings"
	"time"
)

const (
	wrapOff = "\x1b[?7l"
	wrapOn  = "\x1b[?7h"
)

// Suspend gives the terminal to whoever had it before, and leaves there what was said. Until [UI.Resume] nothing is drawn.
func (u *UI) Suspend(now time.Duration) {
	m := &u.modes
	u.now = now
	if u.style.colors {
		u.write(themeOff)
	}
	if u.fullscreen {
		u.write(leaveMouse)
	} else {
		u.write(vertical(len(u.text.lines)-u.text.row), "\r\n")
	}
	u.write(showCursor)
	if u.signAt != never {
		u.write(u.style.cleared)
	}
	if m.told {
		u.write(statusClear)
	}
	u.write(pasteOff)
	u.release()
	if u.fullscreen {
		u.leaveText()
	}
	u.suspended, u.signAt = true, never
	m.asked, m.understood, m.told = false, false, false
}

// leaveText leaves the whole screen, and writes in the scrolling text all that it could show.
func (u *UI) leaveText() {
	var b strings.Builder
	for i, line := range u.document() {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString("\r" + clearLine + line + reset)
	}
	u.write(syncOn, "\x1b[?1049l", wrapOff, b.String(), "\x1b[0m", wrapOn, "\r\n", showCursor, syncOff)
}

// Suspended reports whether the terminal is another program's.
func (u *UI) Suspended() bool { return u.suspended }

// Resume takes the terminal again, asks what it knows, and draws everything anew.
func (u *UI) Resume(now time.Duration) {
	u.now, u.suspended = now, false
	u.enter()
	u.start(now)
	u.watchTheme()
	u.redraw()
}
