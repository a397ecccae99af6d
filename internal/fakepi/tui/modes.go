package tui

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// modes is what the terminal has been told, and what it has answered.
type modes struct {
	noInput    bool // nobody reads what the terminal sends
	status     Status
	asked      bool // the terminal was asked whether it understands a status
	understood bool // it does, or is taken to
	told       bool // it has been told one
	progress   bool
	pushed     bool // the keyboard protocol was asked for
	enhanced   bool // and the terminal knows it
	other      bool // xterm's way to tell keys apart is on
	fallbackAt time.Duration
}

const (
	pushKeys     = "\x1b[>7u"
	popKeys      = "\x1b[<u"
	askKeys      = "\x1b[?u"
	otherOn      = "\x1b[>4;2m"
	otherOff     = "\x1b[>4;0m"
	askDevice    = "\x1b[c"
	pasteOn      = "\x1b[?2004h"
	pasteOff     = "\x1b[?2004l"
	enterScreen  = "\x1b[?1049h\x1b[?7l"
	enterMouse   = "\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1004h\x1b[?1006h"
	clearScreen  = "\x1b[2J\x1b[H" + hideCursor
	leaveMouse   = syncOn + "\x1b[?1006l\x1b[?1004l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?7h" + syncOff
	leaveScreen  = syncOn + "\x1b[?1049l" + showCursor + syncOff
	themeOn      = "\x1b[?2031h"
	themeOff     = "\x1b[?2031l"
	fallbackWait = 150 * time.Millisecond // for an answer, where the protocol is not asked for at once
)

// Open starts the program's terminal: its modes, its questions, what the program does, the title of its window, the folder
// below the prompt.
func (u *UI) Open(now time.Duration, title, dir string, r Report) {
	u.dir = dir
	u.enter()
	u.start(now)
	u.report = r
	u.tell()
	u.watchTheme()
	u.askColors()
	u.Retitle(title)
	u.now = now
	u.redraw()
}

// enter takes the whole screen, where it is the program's.
func (u *UI) enter() {
	switch {
	case u.fullscreen && u.modes.noInput:
		u.write(enterScreen, clearScreen)
	case u.fullscreen:
		u.write(enterScreen, enterMouse, clearScreen)
	}
}

// start sets the modes that both screens have, and asks what the terminal knows.
func (u *UI) start(now time.Duration) {
	m := &u.modes
	m.understood = m.status == StatusOn
	u.write(pasteOn)
	switch {
	case m.noInput:
		u.write(hideCursor)
		return
	case !u.style.pushes:
		u.write(askKeys)
		u.write(hideCursor)
		m.fallbackAt = now + fallbackWait
		return
	}
	m.pushed = true
	asks := pushKeys + askKeys
	if m.asked = u.style.status && m.status == StatusAsk; m.asked {
		asks += statusAsks
	}
	u.write(asks, askDevice)
	u.tell()
	u.write(hideCursor)
}

// watchTheme asks to be told when the terminal's colors change.
func (u *UI) watchTheme() {
	if u.style.colors && !u.modes.noInput {
		u.write(themeOn)
	}
}

// askColors asks for the terminal's colors, up to a question that every terminal answers.
func (u *UI) askColors() {
	if !u.style.colors || u.modes.noInput {
		return
	}
	var b strings.Builder
	b.WriteString("\x1b]10;?\a\x1b]11;?\a")
	for i := range 16 {
		b.WriteString("\x1b]4;" + strconv.Itoa(i) + ";?\a")
	}
	u.write(b.String(), askDevice)
}

// reply takes an answer of the terminal.
func (u *UI) reply(text string) {
	m := &u.modes
	switch {
	case strings.HasPrefix(text, statusOpens):
		if m.asked {
			m.asked, m.understood = false, true
			u.tell()
		}
	case strings.HasPrefix(text, "\x1b[?") && strings.HasSuffix(text, "u"):
		if known := text != "\x1b[?0u"; known && !m.enhanced {
			m.enhanced, m.fallbackAt = true, never
			if !u.style.pushes {
				m.pushed = true
				u.write(pushKeys)
			}
		}
	case strings.HasPrefix(text, "\x1b[?") && strings.HasSuffix(text, "c") && u.style.pushes:
		m.asked = false
		u.fallBack()
	}
}

// fallBack asks for xterm's way to tell keys apart where the terminal does not know the protocol.
func (u *UI) fallBack() {
	if m := &u.modes; !m.enhanced && !m.other {
		m.other = true
		u.write(otherOn)
	}
}

// release gives the keyboard back.
func (u *UI) release() {
	m := &u.modes
	if m.pushed {
		u.write(popKeys)
	}
	if m.other {
		u.write(otherOff)
	}
	m.pushed, m.other, m.enhanced, m.fallbackAt = false, false, false, never
}

// Leave is the first part of the end: the keyboard is given back, and what it still sends is waited for.
func (u *UI) Leave(now time.Duration) {
	if u.suspended {
		return
	}
	if u.style.colors {
		u.write(themeOff)
	}
	u.release()
	u.Rest(now)
	u.touch(now)
	u.draw()
	u.signAt, u.keysAt, u.left = never, never, true
}

// Close is the second part: every mode is as it was found, and what was said stays in the terminal.
func (u *UI) Close(now time.Duration) {
	u.now = now
	if u.suspended {
		return
	}
	if u.modes.progress {
		u.write(u.style.cleared)
	}
	u.dirty = false
	if u.fullscreen {
		u.write(leaveMouse)
		u.write(showCursor)
	} else {
		u.write(vertical(len(u.text.lines)-u.text.row), "\r\n", showCursor)
	}
	if u.modes.told {
		u.write(statusClear)
	}
	u.write(pasteOff)
	if u.fullscreen {
		u.write(leaveScreen)
		u.print()
		u.write("\r\n", showCursor)
		u.write(pasteOff)
	}
}

// print writes all that was said, and what stood below it, into the scrolling text.
func (u *UI) print() {
	frame, _, _ := (&scrolling{}).draw(u.document(), -1, u.rows)
	u.write(frame)
}

// document is all that was said, and what stands below it.
func (u *UI) document() []string {
	said := slices.Concat(u.transcript.lines, u.transcript.moving(u.now))
	return u.bottom().below(said).lines
}

// Kill is what is still written where a signal ends the program, which restores nothing but the keyboard.
func (u *UI) Kill() { u.release() }
