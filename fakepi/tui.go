package fakepi

import (
	"cmp"
	"path"
	"slices"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/tui"
)

// Terminal is what an interactive worker runs in.
type Terminal struct {
	Cols, Rows int        // 80 by 24 unless given
	Status     tui.Status // a script's spawn line may turn it on
	Progress   bool       // the setting terminal.showTerminalProgress
	Regular    bool       // the setting tuiMode=regular: not on the alternate screen
	Speed      float64    // how many times faster than the user's the time runs; 1 unless given
	Still      bool       // no time passes: the spinner does not turn
	NoInput    bool       // nobody reads what the terminal sends
	Dir        string     // as the screen names the working directory; default: CWD
	Prompts    []string   // of the command line, given one after the other; only to a driven worker
}

// terminal is the terminal of an interactive worker (docs/pi-formats.md, section 13).
type terminal struct {
	ui       *tui.UI // nil: the mode has none
	open     bool    // the program's screen is on; before that a menu may stand
	progress bool    // the next frame shows progress
	quits    bool    // the user ends it
	prompted int     // of the command line's prompts
	status   programStatus
	pick     pick
	lost     bool              // a run is under way in a session that was left
	notes    map[string]string // of extensions, by key; never changed in place
	sent     int64             // tokens, of all replies
	received int64
}

func (w *Worker) newTerminal() terminal {
	if w.mode != script.ModeTUI {
		return terminal{}
	}
	t := w.terminal
	if w.spawn.Status {
		t.Status = tui.StatusOn
	}
	version := tui.V16
	if w.rules.dialect == native.Pi073 {
		version = tui.V073
	}
	return terminal{ui: tui.New(tui.Options{
		Version: version, Cols: t.Cols, Rows: t.Rows, Start: w.start, Status: t.Status, Progress: t.Progress,
		Regular: t.Regular, Speed: t.Speed, Still: t.Still, NoInput: t.NoInput, Model: w.model.ID,
	})}
}

func (t *terminal) clone() terminal {
	c := *t
	if t.ui != nil {
		c.ui = t.ui.Clone()
	}
	return c
}

// windowTitle names the session, where it has a name, and the folder.
func (w *Worker) windowTitle() string {
	title := "π - "
	if w.name().Set {
		title += w.name().V + " - "
	}
	return title + path.Base(w.cwd)
}

// dirLine is the folder below the prompt, and the session's name.
func (w *Worker) dirLine() string {
	line := cmp.Or(w.terminal.Dir, w.cwd)
	if w.name().Set {
		line += " • " + w.name().V
	}
	return line
}

// dueOnScreen is when the terminal does something by itself, or never. A worker that hears nothing draws nothing.
func (w *Worker) dueOnScreen() time.Duration {
	switch {
	case w.tui.ui == nil || !w.hears():
		return never
	case w.promptsNext(), w.promptsQueued():
		return w.now
	}
	if at, ok := w.tui.ui.Next(); ok {
		return at
	}
	return never
}

// playScreen does what is due in the terminal.
func (w *Worker) playScreen() {
	switch {
	case w.promptsNext():
		w.tui.prompted++
		w.submit(w.terminal.Prompts[w.tui.prompted-1])
		return
	case w.promptsQueued():
		w.promptQueued()
		return
	}
	actions := w.tui.ui.Play(w.now)
	w.written(w.tui.progress)
	w.tui.progress = false
	w.act(slices.Values(actions))
}

// promptsNext reports whether a prompt of the command line is to be given now.
func (w *Worker) promptsNext() bool {
	return w.tui.prompted < len(w.terminal.Prompts) && w.takesPrompt()
}

// takesPrompt reports whether a prompt that nobody types begins a run now.
func (w *Worker) takesPrompt() bool {
	return w.tui.open && w.driven && !w.busy() && !w.asking.active && !w.dialog.open && !w.leaving()
}

// promptsQueued reports whether what was typed in a compaction by command, which has no run behind it, is to be given now.
func (w *Worker) promptsQueued() bool {
	return len(w.steering)+len(w.followUp) > 0 && w.takesPrompt()
}

// promptQueued gives the first of what waits; the others wait in its run.
func (w *Worker) promptQueued() {
	queue := &w.steering
	if len(*queue) == 0 {
		queue = &w.followUp
	}
	m := (*queue)[0]
	*queue = slices.Clone((*queue)[1:])
	w.printQueue()
	w.flushBash()
	w.replyTo(nil, queued{text: m.text, at: w.now, fromOther: true})
}

// spinOnce repaints, and signOnce gives the progress sign, as a script's chatter.
func (w *Worker) spinOnce() {
	if w.tui.ui != nil {
		w.tui.ui.Spin(w.now)
	}
}

func (w *Worker) signOnce() {
	if w.tui.ui != nil {
		w.tui.ui.Sign(w.running)
		w.written(false)
	}
}

// written prints what the terminal is to be sent.
func (w *Worker) written(progress bool) {
	for _, s := range w.tui.ui.Written() {
		w.emit(PTY, []byte(s), progress)
	}
}

// openScreen starts the program's screen, unless a menu stands before it.
func (w *Worker) openScreen() {
	if w.menuFirst() {
		return
	}
	w.tui.open = true
	w.tui.ui.Open(w.now, w.windowTitle(), w.dirLine(), w.statusNow())
	w.showHistory()
	w.written(false)
}

// menuFirst reports whether the worker begins with the question whether to trust a folder, or which session to resume.
func (w *Worker) menuFirst() bool {
	if w.tui.open || len(w.steps) == 0 || w.next > 0 || w.steps[0].At > w.start {
		return false
	}
	asks, ok := w.steps[0].Action.(script.Asks)
	return ok && startMenu(asks.Method)
}

func startMenu(m script.Method) bool { return m == script.AskTrust || m == script.AskResume }

// Resize tells the worker the size of its terminal.
func (w *Worker) Resize(now time.Duration, cols, rows int, out []Output) []Output {
	w.enter(now, out)
	if w.tui.ui != nil && w.alive() {
		w.tui.ui.Resize(cols, rows)
	}
	return w.result()
}
