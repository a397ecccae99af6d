package tui

import "time"

// OpenMenu asks before the program starts: the dialog stands in the scrolling text, and nothing else. It ends by
// [UI.CloseMenu], behind which [UI.Open] starts the program.
func (u *UI) OpenMenu(now time.Duration, d Dialog) {
	u.menu = true
	u.start(now)
	u.askColors()
	u.redraw()
	u.Ask(now, d)
}

// CloseMenu takes the menu away and gives the terminal back.
func (u *UI) CloseMenu(now time.Duration) {
	u.Unask(now)
	u.write(vertical(-u.text.row), "\r\x1b[J", showCursor, pasteOff)
	u.release()
	u.menu, u.text, u.dirty = false, scrolling{}, false
}
