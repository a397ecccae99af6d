package tui

// Version is a version of Pi whose terminal is drawn.
type Version string

// The versions.
const (
	V16  Version = "1.6.0"
	V073 Version = "0.73.1"
)

// style is everything in which the versions' terminals differ (docs/pi-formats.md, section 13).
type style struct {
	version    Version
	fullscreen bool   // on the alternate screen, in absolute positions, unless it is asked not to; else in the scrolling text
	edge       bool   // the spinner is in the edge of the prompt; otherwise in a line of its own
	colors     bool   // asks for the terminal's colors
	status     bool   // tells what it does by OSC 7501
	pushes     bool   // asks for the keyboard protocol at once; otherwise once the terminal knows it
	working    string // beside the spinner
	cleared    string // the sign that ends the progress sign
	zones      bool   // marks prompts by OSC 133
	turns      bool   // gives the progress sign anew with each turn; otherwise with each run

	border, heading, hint, chosen, spinner, dim, thought, failed, title sgr
	user                                                                sgr // a message of the user, over whole lines
}

// sgr turns a style on and off.
type sgr struct{ on, off string }

func (s sgr) of(text string) string { return s.on + text + s.off }

var bold, italic = sgr{"\x1b[1m", "\x1b[22m"}, sgr{"\x1b[3m", "\x1b[23m"}

// style16 leaves colors to the terminal.
var style16 = style{
	version: V16, fullscreen: true, edge: true, colors: true, status: true, pushes: true, turns: true, working: "Working", cleared: "\x1b]9;4;0\a",
	border: sgr{"\x1b[39m\x1b[2m", "\x1b[22;39m"}, heading: sgr{"\x1b[38;5;5m\x1b[1m", "\x1b[22m\x1b[39m"},
	hint: sgr{"\x1b[39m\x1b[2m", "\x1b[22;39m"}, chosen: sgr{"\x1b[38;5;5m", "\x1b[39m"},
	spinner: sgr{"\x1b[39m\x1b[2m", "\x1b[22;39m"}, dim: sgr{"\x1b[39m\x1b[2m", "\x1b[22;39m"},
	thought: italic, failed: sgr{"\x1b[38;5;1m", "\x1b[39m"}, title: bold,
	user: sgr{"\x1b[49m", "\x1b[49m"},
}

var style073 = style{
	version: V073, working: "Working...", cleared: "\x1b]9;4;0;\a", zones: true,
	border: sgr{"\x1b[38;2;80;80;80m", "\x1b[39m"}, heading: sgr{"\x1b[38;2;138;190;183m\x1b[1m", "\x1b[22m\x1b[39m"},
	hint: sgr{"\x1b[38;2;102;102;102m", "\x1b[39m"}, chosen: sgr{"\x1b[38;2;138;190;183m", "\x1b[39m"},
	spinner: sgr{"\x1b[38;2;138;190;183m", "\x1b[39m"}, dim: sgr{"\x1b[38;2;102;102;102m", "\x1b[39m"},
	thought: sgr{"\x1b[38;2;128;128;128m\x1b[3m", "\x1b[23m\x1b[39m"}, failed: sgr{"\x1b[38;2;204;102;102m", "\x1b[39m"}, title: bold,
	user: sgr{"\x1b[48;2;52;53;65m", "\x1b[49m"},
}

func styleOf(v Version) *style {
	if v == V073 {
		return &style073
	}
	return &style16
}
