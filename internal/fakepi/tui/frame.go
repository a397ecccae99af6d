package tui

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// view is what the screen shows: of the scrolling one what may still change.
type view struct {
	lines  []string // none wider than the screen; never changed in place
	cursor int      // in which of them it is; -1: in none
	status int      // which of them has the spinner; -1: none
}

// draw writes a frame. Where only the spinner has turned, nothing else is looked at.
func (u *UI) draw() {
	switch {
	case u.dirty || u.ticked():
		u.dirty, u.drawnAt = false, u.now
		u.view = u.compose()
	case u.view.status >= 0:
		u.view.lines = slices.Clone(u.view.lines)
		u.view.lines[u.view.status] = u.statusLine()
	}
	if u.fullscreen && !u.menu {
		u.write(u.full.draw(u.view.lines, u.view.cursor))
		return
	}
	u.drawText()
}

// ticked reports whether a count of seconds on the screen has changed since it was drawn.
func (u *UI) ticked() bool {
	return u.work.text != "" && u.work.until > 0 && seconds(u.work.until-u.now) != seconds(u.work.until-u.drawnAt) ||
		u.dialog.open && u.dialog.Until > 0 && seconds(u.dialog.Until-u.now) != seconds(u.dialog.Until-u.drawnAt) ||
		u.transcript.ticked(u.drawnAt, u.now)
}

func (u *UI) compose() view {
	switch {
	case u.menu:
		return view{u.fit(u.dialog.lines(u.cols, u.now, u.style)), -1, -1}
	case u.fullscreen:
		return u.fill()
	}
	said := slices.Concat(u.transcript.lines[u.committed:], u.transcript.moving(u.now))
	return u.bottom().below(said)
}

// below puts lines above a view.
func (v view) below(lines []string) view {
	n := len(lines)
	v.lines = append(lines, v.lines...)
	if v.cursor >= 0 {
		v.cursor += n
	}
	if v.status >= 0 {
		v.status += n
	}
	return v
}

// fill fills the screen: what was said last above, what is being written below.
func (u *UI) fill() view {
	v := u.bottom()
	if more := len(v.lines) - u.rows; more > 0 {
		return view{v.lines[more:], v.cursor - more, v.status - more}
	}
	room := u.rows - len(v.lines)
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
	return v.below(rows)
}

// drawText writes at the end of the scrolling text. If what has changed has scrolled away, all of it is written anew.
func (u *UI) drawText() {
	frame, place, ok := u.text.draw(u.view.lines, u.view.cursor, u.rows)
	if !ok {
		u.redraw()
		u.draw()
		return
	}
	if frame != "" {
		u.write(frame)
	}
	u.write(place)
	if u.menu {
		return
	}
	n := len(u.transcript.lines) - u.committed
	u.committed += n
	u.text.forget(n)
	u.view = view{u.view.lines[n:], u.view.cursor - n, u.view.status - n}
}

// fit cuts lines to the width, in place.
func (u *UI) fit(lines []string) []string {
	for i := range lines {
		lines[i] = fit(lines[i], u.cols)
	}
	return lines
}

// bottom is what stands below the transcript.
func (u *UI) bottom() view {
	v := view{append([]string{""}, u.queue()...), -1, -1}
	if u.work.text != "" && !u.style.edge {
		v.status = len(v.lines)
		v.lines = append(v.lines, u.statusLine(), "")
	}
	if u.dialog.open {
		v.lines = append(v.lines, u.dialog.lines(u.cols, u.now, u.style)...)
	} else {
		top := u.rule()
		if u.work.text != "" && u.style.edge {
			v.status, top = len(v.lines), u.statusLine()
		}
		text, row := u.editor.lines(u.cols)
		v.cursor = len(v.lines) + 1 + row
		v.lines = append(append(append(v.lines, top), text...), u.rule())
	}
	v.lines = u.fit(append(v.lines, u.footer()...))
	return v
}

func (u *UI) rule() string { return u.style.border.of(strings.Repeat("─", u.cols)) }

// statusLine is the line with the spinner: on the full screen it is the edge of the prompt.
func (u *UI) statusLine() string {
	text := strings.Replace(u.work.text, "{}", seconds(u.work.until-u.now), 1)
	room := u.cols - utf8.RuneCountInString(text)
	if u.style.edge {
		line := "── " + spinner[u.work.frame] + " " + text + " "
		if rest := room - len("-- * "+" "); rest >= 0 {
			return u.style.border.of(line + strings.Repeat("─", rest))
		}
		return fit(u.style.border.of(line), u.cols)
	}
	line := " " + u.style.spinner.of(spinner[u.work.frame]) + " " + u.style.dim.of(text)
	if room >= len(" * ") {
		return line
	}
	return fit(line, u.cols)
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
