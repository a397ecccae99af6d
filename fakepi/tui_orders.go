package fakepi

import (
	"cmp"
	"strings"

	"fakepi.example/fakepi/native"
)

// order carries out a text that is for Pi itself, and reports whether it is one; others are prompts. Only some words take a
// text behind them.
func (w *Worker) order(text string) bool {
	word, rest, more := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case strings.HasPrefix(text, "!"):
		return w.orderCommand(text)
	case word == "/name":
		w.orderName(rest)
	case word == "/compact":
		w.compactNow(request{name: native.CmdCompact})
	case word == "/export":
		w.orderExport(rest)
	case word == "/model":
		w.pickModel(rest)
	case word == "/thinking" && w.rules.later:
		w.pickLevel(rest)
	case more:
		return w.orderNothing(word, rest)
	default:
		return w.orderWord(word)
	}
	return true
}

// orderWord carries out a word that stands alone.
func (w *Worker) orderWord(word string) bool {
	switch word {
	case "/quit":
		w.quit()
	case "/new":
		w.beginSession(request{name: native.CmdNewSession})
	case "/clone":
		w.cloneSession(request{name: native.CmdClone})
	case "/fork":
		w.pickMessage()
	case "/session":
		w.tui.ui.Note(w.now, "Session Info\n\nFile: "+cmp.Or(w.sessionPath().V, "In-memory")+"\nID: "+w.session.header.ID)
	case "/copy", "/changelog", "/hotkeys", "/reload", "/share", "/debug", "/arminsayshi", "/dementedelves":
		w.tui.ui.Note(w.now, word+" does nothing here")
	default:
		return w.orderNothing(word, "")
	}
	return true
}

// orderNothing opens the menu of a word whose menu changes nothing here.
func (w *Worker) orderNothing(word, rest string) bool {
	title, takes := "", false
	switch word {
	case "/settings":
		title = "Settings"
	case "/scoped-models":
		title = "Model Configuration"
	case "/tree":
		title = "Session Tree"
	case "/resume":
		title = "Resume Session"
	case "/import":
		title, takes = "Import session", true
	case "/login":
		title, takes = "Select authentication method:", w.rules.later
	case "/logout":
		title = "Select provider to logout:"
	}
	if w.rules.later {
		switch word {
		case "/trust":
			title = "Project trust"
		case "/bug":
			title, takes = "Report a bug", true
		}
	}
	if title == "" || rest != "" && !takes {
		return false
	}
	w.pickNothing(title)
	return true
}

// orderName names the session, or tells its name.
func (w *Worker) orderName(name string) {
	switch {
	case name != "":
		w.rename(name)
	case w.name().Set:
		w.tui.ui.Note(w.now, "Session name: "+w.name().V)
	default:
		w.tui.ui.Note(w.now, "Warning: Usage: /name <name>")
	}
}

// orderExport writes the session as a page.
func (w *Worker) orderExport(file string) {
	r := request{name: native.CmdExportHTML}
	switch {
	case strings.HasSuffix(file, ".jsonl"):
		w.exportLines(file)
		return
	case file != "":
		r.body = native.Object{{Key: "outputPath", Value: native.String(file)}}
	}
	w.exportHTML(r)
}

// orderCommand runs a command, one at a time. One behind two marks is kept from the model.
func (w *Worker) orderCommand(text string) bool {
	command, hidden := strings.CutPrefix(text[1:], "!")
	command = strings.TrimSpace(command)
	switch {
	case command == "":
		return false
	case len(w.bashes) > 0:
		w.tui.ui.Note(w.now, "Warning: A bash command is already running. Press Esc to cancel it first.")
		w.tui.ui.Edit(w.now, text)
		return true
	}
	w.tui.ui.Remember(text)
	w.tui.ui.Call(w.now, bashBlock, "$ "+command, true)
	w.runBash(request{name: native.CmdBash, body: native.Object{
		{Key: "command", Value: native.String(command)}, {Key: "excludeFromContext", Value: native.Bool(hidden)},
	}})
	return true
}

// bashBlock is the block of a command that the user runs.
const bashBlock = "!"

// showResponse shows what has become of a word or a key.
func (w *Worker) showResponse(r *native.Response) {
	ui := w.tui.ui
	switch d := r.Data.(type) {
	case *native.BashData:
		ui.Output(w.now, bashBlock, commandText(d))
		ui.Called(w.now, bashBlock)
	case *native.CancelledData:
		w.showOther(r.Command.V, d)
	case *native.CycleModelData:
		ui.Note(w.now, "Switched to "+d.Model.ID)
	case *native.Model:
		ui.Note(w.now, "Model: "+d.ID)
	case *native.RawData:
		w.showRaw(r.Command.V, d.Value)
	case nil:
		if !r.Success && r.Command.V != native.CmdCompact { // its end is shown
			ui.Fail(w.now, "Error: "+r.Error.V)
		}
	}
}

// showRaw shows an answer whose form the codec does not know.
func (w *Worker) showRaw(command string, v native.Value) {
	o, _ := v.(native.Object)
	switch command {
	case native.CmdExportHTML:
		file, _ := o.Get("path").(native.String)
		w.tui.ui.Note(w.now, "Session exported to: "+string(file))
	case native.CmdCycleModel:
		w.tui.ui.Note(w.now, "Only one model available")
	case native.CmdCycleThinkingLevel:
		w.tui.ui.Note(w.now, "Current model does not support thinking")
	}
}

// showOther shows another session, to which a command has gone.
func (w *Worker) showOther(command string, d *native.CancelledData) {
	ui := w.tui.ui
	w.tui.sent, w.tui.received = 0, 0
	ui.Clear(w.now)
	w.showHistory()
	switch command {
	case native.CmdNewSession:
		ui.Note(w.now, "✓ New session started")
	case native.CmdFork:
		ui.Note(w.now, "Forked to new session")
		ui.Edit(w.now, d.Text.V)
	case native.CmdClone:
		ui.Note(w.now, "Cloned to new session")
	}
	ui.Dir(w.now, w.dirLine())
	ui.Retitle(w.windowTitle())
	w.tui.status = programStatus{}
	w.reportStatus()
}

// commandText is what stands below a command that the user has run.
func commandText(d *native.BashData) string {
	switch {
	case d.Cancelled:
		return d.Output + "\n(cancelled)"
	case d.ExitCode.Set && d.ExitCode.V != 0:
		return d.Output + "\n(exit " + decimal(d.ExitCode.V) + ")"
	}
	return d.Output
}
