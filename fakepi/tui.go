package fakepi

import (
	"path"
	"strings"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/fakepi/tui"
)

// Terminal is what an interactive worker runs in.
type Terminal struct {
	Cols, Rows int        // 80 by 24 unless given
	Status     tui.Status // a script's spawn line may turn it on
	Progress   bool       // the setting terminal.showTerminalProgress
	Regular    bool       // the setting tuiMode=regular: not on the alternate screen
	Still      bool       // no time passes: the spinner does not turn
	Deaf       bool       // nobody reads what the terminal sends
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
		Regular: t.Regular, Still: t.Still, Deaf: t.Deaf, Model: w.model.ID,
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
	line := orElse(w.terminal.Dir, w.cwd)
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
	case w.promptsNext():
		return w.now
	}
	if at, ok := w.tui.ui.Next(); ok {
		return at
	}
	return never
}

// playScreen does what is due in the terminal.
func (w *Worker) playScreen() {
	if w.promptsNext() {
		w.tui.prompted++
		w.submit(w.terminal.Prompts[w.tui.prompted-1])
		return
	}
	actions := w.tui.ui.Play(w.now)
	w.written(w.tui.progress)
	w.tui.progress = false
	w.act(actions)
}

// promptsNext reports whether a prompt of the command line is to be given now.
func (w *Worker) promptsNext() bool {
	return w.tui.open && w.driven && w.tui.prompted < len(w.terminal.Prompts) && !w.busy() && !w.asking.active && !w.dialog.open
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
	w.tui.ui.Open(w.now, w.windowTitle(), w.dirLine())
	w.showHistory()
	w.reportStatus()
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

// quitDelay is how long a TUI takes to go when it is asked to by keys, measured.
const quitDelay = 75 * time.Millisecond

// quit lets the user end the worker.
func (w *Worker) quit() {
	w.tui.quits = true
	w.leaveBy(Exit{}, quitDelay, true)
}

// hangUp is what SIGTERM and SIGHUP do to a TUI. The menu that it may begin with handles none. Pi 1.6 waits for an open
// dialog, however many signals come.
func (w *Worker) hangUp(signal string) {
	switch {
	case !w.tui.open:
		w.exit(Exit{Code: -1, Signal: signal})
	case w.rules.tuiByHand && w.dialog.open:
		w.signals++
	case w.rules.tuiByHand:
		w.leaveBy(Exit{}, tuiDelay, true)
	case signal == "SIGHUP":
		w.tui.open = false // nothing is restored
		w.exit(Exit{Code: 129})
		w.killTools()
	default:
		w.tui.ui.Kill()
		w.written(false)
		w.exit(Exit{Code: -1, Signal: signal})
		w.killTools()
	}
}

// loseTerminal ends a TUI whose terminal has gone.
func (w *Worker) loseTerminal() {
	w.tui.open = false // nobody is left to be written to
	w.exit(Exit{Code: 129})
	w.killTools()
}

// Restore returns the bytes that give the terminal back, for a process that ends otherwise than by the worker's exit.
func (w *Worker) Restore() []byte {
	if !w.tui.open {
		return nil
	}
	w.tui.open = false
	w.tui.ui.Leave(w.now)
	w.tui.ui.Close(w.now)
	return []byte(strings.Join(w.tui.ui.Written(), ""))
}

// showsEnd reports whether what ends because the worker goes is still shown: in a terminal, unless the user ends it.
func (w *Worker) showsEnd() bool { return w.mode == script.ModeTUI && !w.tui.quits }

// leaveScreen begins the end of the screen: what was under way is shown as it was left.
func (w *Worker) leaveScreen() {
	if !w.tui.open {
		return
	}
	if w.rules.tuiByHand && !w.tui.quits {
		w.tui.ui.Retitle(w.windowTitle())
	}
	w.tui.ui.Leave(w.now)
	w.written(false)
}

// closeScreen gives the terminal back as it was found, once, where the worker goes by itself.
func (w *Worker) closeScreen() {
	if !w.tui.open {
		return
	}
	if !w.leaving() {
		w.leaveScreen()
	}
	w.tui.open = false
	w.tui.ui.Close(w.now)
	if w.tui.quits || !w.rules.tuiByHand {
		w.tui.ui.Retitle(w.windowTitle())
	}
	w.written(false)
	if w.tui.quits && w.rules.tuiByHand && w.session.exists {
		w.emit(PTY, []byte("\x1b[2mTo resume this session:\x1b[22m\r\npi --session "+w.session.header.ID+"\r\n"), false)
	}
}
