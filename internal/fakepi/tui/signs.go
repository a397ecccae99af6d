package tui

import (
	"encoding/base64"
	"strings"
	"time"
	"unicode"
)

const (
	progressOn  = "\x1b]9;4;3\a"
	signPeriod  = time.Second
	statusAsks  = "\x1b]7501;?\x1b\\"
	statusOpens = "\x1b]7501;?"
	statusClear = "\x1b]7501;state=clear\x1b\\"
)

// Retitle gives the window a title.
func (u *UI) Retitle(title string) {
	u.write("\x1b]0;", strings.Map(printable, title), "\a")
}

// printable drops what would end a sequence early.
func printable(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}

// Progress gives the progress sign (OSC 9;4) for as long as it is on, where it is asked for.
func (u *UI) Progress(now time.Duration, on bool) {
	switch {
	case !u.modes.progress:
	case on:
		u.write(progressOn)
		if u.signAt == never && !u.still {
			u.signAt = now + signPeriod
		}
	default:
		u.signAt = never
		u.write(u.style.cleared)
	}
}

// Sign gives one progress sign, or ends it, whether it is asked for or not.
func (u *UI) Sign(on bool) {
	if on {
		u.write(progressOn)
	} else {
		u.write(u.style.cleared)
	}
}

// Report is what the program does, by the names of OSC 7501.
type Report struct {
	State   string // idle, working, blocked, done, error
	Kind    string // of blocked: question, permission
	Message string // its title, an error, the session's name
}

// Report tells the terminal what the program does, if it has not been told so already.
func (u *UI) Report(r Report) {
	if u.report == r {
		return
	}
	u.report = r
	u.tell()
}

// tell writes the last report where it is asked for.
func (u *UI) tell() {
	if u.style.status && u.modes.understood && u.report.State != "" {
		u.modes.told = true
		u.write(u.report.sequence())
	}
}

// maxMessage bounds the message of a report, in bytes.
const maxMessage = 2048

func (r Report) sequence() string {
	text := "\x1b]7501;state=" + r.State + ":app=pi"
	if r.Kind != "" {
		text += ":kind=" + r.Kind
	}
	if message := shorten(strings.TrimSpace(strings.Map(printable, r.Message)), maxMessage); message != "" {
		text += ":msg=" + base64.StdEncoding.EncodeToString([]byte(message))
	}
	return text + "\x1b\\"
}

// shorten cuts text to n bytes, between characters.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}
