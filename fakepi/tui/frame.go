package tui

import (
	"strconv"
	"strings"
	"time"
)

// draw writes a frame.
func (u *UI) draw() {
	u.dirty = false
	switch {
	case u.menu:
		u.drawText(u.fit(u.dialog.lines(u.cols, u.now, u.style)), -1)
	case u.style.fullscreen:
		u.drawFull()
	default:
		bottom, cursor := u.bottom()
		said := append(u.transcript.lines[u.committed:len(u.transcript.lines):len(u.transcript.lines)], u.transcript.moving(u.now)...)
		if cursor >= 0 {
			cursor += len(said)
		}
		u.drawText(u.fit(append(said, bottom...)), cursor)
	}
}

// drawFull fills the screen: what was said last above, what is being written below.
func (u *UI) drawFull() {
	bottom, cursor := u.bottom()
	if more := len(bottom) - u.rows; more > 0 {
		bottom, cursor = bottom[more:], cursor-more
	}
	room := u.rows - len(bottom)
	moving := u.transcript.moving(u.now)
	rows := make([]string, 0, u.rows)
	if n := room - len(moving); n > 0 {
		rows = append(rows, u.transcript.lines[max(0, len(u.transcript.lines)-n):]...)
	} else {
		moving = moving[-n:]
	}
	rows = append(rows, moving...)
	for len(rows) < room {
		rows = append(rows, "")
	}
	if cursor >= 0 {
		cursor += room
	}
	u.write(u.full.draw(u.fit(append(rows, bottom...)), cursor))
}

// drawText writes at the end of the scrolling text. If what has changed has scrolled away, all of it is written anew.
func (u *UI) drawText(lines []string, cursor int) {
	frame, place, ok := u.text.draw(lines, cursor, u.rows)
	if !ok {
		u.redraw()
		u.write("\x1b[2J\x1b[H\x1b[3J")
		u.draw()
		return
	}
	if frame != "" {
		u.write(frame)
	}
	u.write(place)
	if !u.menu {
		u.text.forget(len(u.transcript.lines) - u.committed)
		u.committed = len(u.transcript.lines)
	}
}

// fit cuts lines to the width, in place.
func (u *UI) fit(lines []string) []string {
	for i := range lines {
		lines[i] = fit(lines[i], u.cols)
	}
	return lines
}

// bottom is what stands below the transcript, and in which of its lines the cursor is; -1: in none.
func (u *UI) bottom() (lines []string, cursor int) {
	lines = append([]string{""}, u.queue()...)
	status := u.status()
	if status != "" && !u.style.fullscreen {
		lines = append(lines, " "+u.style.spinner.of(spinner[u.frame])+" "+u.style.dim.of(status), "")
	}
	rule := u.style.border.of(strings.Repeat("─", u.cols))
	if u.dialog.open {
		return append(append(lines, u.dialog.lines(u.cols, u.now, u.style)...), u.footer()...), -1
	}
	top := rule
	if status != "" && u.style.fullscreen {
		text := "── " + spinner[u.frame] + " " + status + " "
		top = u.style.border.of(pad(text, 0) + strings.Repeat("─", max(0, u.cols-len([]rune(text)))))
	}
	text, row := u.editor.lines(u.cols)
	cursor = len(lines) + 1 + row
	lines = append(append(append(lines, top), text...), rule)
	return append(lines, u.footer()...), cursor
}

// status is the text beside the spinner.
func (u *UI) status() string {
	return strings.Replace(u.working, "{}", seconds(u.until-u.now), 1)
}

// queue lists the messages that wait.
func (u *UI) queue() []string {
	var lines []string
	for _, text := range u.steering {
		lines = append(lines, u.waiting("Steering: ", text))
	}
	for _, text := range u.followUp {
		lines = append(lines, u.waiting("Follow-up: ", text))
	}
	if len(lines) > 0 {
		lines = append(lines, u.style.dim.of(" ↳ Alt+Up to edit all queued messages"), "")
	}
	return lines
}

func (u *UI) waiting(form, text string) string {
	line, _, _ := strings.Cut(clean(text), "\n")
	return u.style.dim.of(" " + form + line)
}

// footer is the lines below everything: the folder, what was used, what extensions say.
func (u *UI) footer() []string {
	lines := []string{u.style.dim.of(u.dir), u.style.dim.of(pad(u.usage, u.cols-len(u.model)) + u.model)}
	if len(u.notes) > 0 {
		lines = append(lines, u.style.dim.of(strings.Join(u.notes, " ")))
	}
	return lines
}

// Used tells what the conversation has used: tokens sent, received, and in the context of a model that has room for
// window of them.
func (u *UI) Used(sent, received, context, window int64) {
	var b strings.Builder
	if sent > 0 {
		b.WriteString("↑" + count(sent) + " ")
	}
	if received > 0 {
		b.WriteString("↓" + count(received) + " ")
	}
	b.WriteString(strconv.FormatFloat(100*float64(context)/float64(max(window, 1)), 'f', 1, 64) + "%/" + count(window) + " (auto)")
	if usage := b.String(); usage != u.usage {
		u.usage, u.dirty = usage, true
	}
}

// count is a number of tokens in short.
func count(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 10_000:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64) + "k"
	case n < 1_000_000:
		return strconv.FormatInt((n+500)/1000, 10) + "k"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + "M"
}

// touch notes that the screen shows something else than it should.
func (u *UI) touch(now time.Duration) { u.now, u.dirty = now, true }
