package fakepi

import (
	"slices"
	"strconv"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/quirks/javascript"
	"fakepi.example/internal/fakepi/shown"
)

// bashRun is a command of the client under way.
type bashRun struct {
	request
	call    string // its effect's
	session string // id of the session that it belongs to
	printed shown.Printed
}

// runBash is the command bash. Where nobody runs commands it prints nothing and ends well.
func (w *Worker) runBash(r request) {
	if failure := w.noBash(); failure != "" {
		w.respond(r.id, r.name, failure)
		return
	}
	w.bashCount++
	b := bashRun{request: r, call: "bash-" + strconv.Itoa(w.bashCount), session: w.session.header.ID}
	w.bashes = append(slices.Clip(w.bashes), b)
	w.newestBash = b.call
	if !w.exec {
		w.inTurn(turnWaits, func(w *Worker) { w.endBash(b.call, 0, false) })
		return
	}
	command := javascript.String(r.body.Get("command"))
	w.out = append(w.out, Output{At: w.now, Effect: &Effect{Kind: script.EffectRun, Call: b.call, Command: command}})
}

// noBash is why a command cannot run in the session's working directory; empty: it can.
func (w *Worker) noBash() string {
	cwd := w.cwd
	noFolder := w.rules.anyFolder && cwdNamed(w.session.header) == native.Value(native.String(""))
	if noFolder {
		cwd = ""
	}
	switch {
	case w.sessions == nil:
	case noFolder, !w.sessions.Exists(cwd):
		return "Working directory does not exist: " + cwd + "\nCannot execute bash commands."
	case !w.sessions.Exists(cwd + "/."):
		return "spawn ENOTDIR" // it is a file
	}
	return ""
}

func (w *Worker) findBash(call string) int {
	return slices.IndexFunc(w.bashes, func(b bashRun) bool { return b.call == call })
}

// bashPrints takes what a command has printed.
func (w *Worker) bashPrints(call string, output []byte) {
	at := w.findBash(call)
	if at < 0 || len(output) == 0 {
		return
	}
	w.bashes = slices.Clone(w.bashes)
	b := &w.bashes[at]
	w.showBash(b, b.printed.Take(output, w.rules.holdsEscapes))
}

// showBash tells of what a command has printed.
func (w *Worker) showBash(b *bashRun, text string) {
	if w.tui.ui != nil && text != "" {
		w.tui.ui.Output(w.now, bashBlock, string(b.printed.Text))
	}
	if w.rules.bashUpdates && text != "" {
		w.print(&native.BashUpdate{ID: b.id, Delta: text}, false)
	}
}

// endBash answers a command that has ended, and keeps what it gave: in the session, or while a run is under way for its
// end.
func (w *Worker) endBash(call string, code int, cancelled bool) {
	at := w.findBash(call)
	if at < 0 {
		return
	}
	b := w.bashes[at]
	w.showBash(&b, b.printed.End(w.rules.holdsEscapes))
	w.bashes = slices.Delete(slices.Clone(w.bashes), at, at+1)
	if !w.rules.abortsBashes || w.newestBash == call {
		w.newestBash = ""
	}
	if !cancelled {
		w.detach(b.call)
	}
	data := w.bashData(b.printed.Text, code, cancelled)
	if b.session == w.session.header.ID {
		w.keepBash(w.bashMessage(b.request, data))
	}
	w.respondData(b.id, b.name, data)
}

// bashData is what Pi says of a command: of a long output the end.
func (w *Worker) bashData(output []byte, code int, cancelled bool) *native.BashData {
	d := &native.BashData{Output: string(output), Cancelled: cancelled}
	long := &call{pid: w.newPID()}
	if text, cut := shown.Tail(output, w.rules.countsFeed); cut != nil {
		d.Output, d.Truncated, d.FullOutputPath = text, true, native.Some(w.logFile(long))
	}
	if !cancelled && (code >= 0 || w.rules.bashSignals) {
		d.ExitCode = native.Some(int64(w.rules.status(code)))
	}
	return d
}

// bashMessage is the message of a command's end, which only the session file and get_messages show.
func (w *Worker) bashMessage(r request, d *native.BashData) *native.BashExecutionMessage {
	m := &native.BashExecutionMessage{
		Output: d.Output, ExitCode: d.ExitCode, Cancelled: d.Cancelled, Truncated: d.Truncated,
		FullOutputPath: d.FullOutputPath, Timestamp: w.stamp(w.now),
	}
	if exclude, set := r.body.Get("excludeFromContext").(native.Bool); set && (w.rules.bashHides || w.tui.ui != nil) {
		m.ExcludeFromContext = native.Some(bool(exclude))
	}
	v := r.body.Get("command")
	command, ok := v.(native.String)
	if m.Command = string(command); !ok {
		m.Odd = oddCommand(m, v)
	}
	return m
}

// oddCommand keeps a command that is no text as it came; nil: there was none.
func oddCommand(m *native.BashExecutionMessage, v native.Value) *native.Odd {
	o := &native.Odd{}
	for _, key := range []struct {
		name string
		set  bool
	}{
		{"role", true}, {"command", v != nil}, {"output", true}, {"exitCode", m.ExitCode.Set}, {"cancelled", true}, {"truncated", true},
		{"fullOutputPath", m.FullOutputPath.Set}, {"timestamp", true}, {"excludeFromContext", m.ExcludeFromContext.Set},
	} {
		if key.set {
			o.Keys = append(o.Keys, key.name)
		}
	}
	if v != nil {
		o.Extra = native.Object{{Key: "command", Value: v}}
	}
	return o
}

func (w *Worker) keepBash(m *native.BashExecutionMessage) {
	if streaming, _, _ := w.State(w.now); streaming {
		w.bashDone = append(slices.Clip(w.bashDone), m)
		return
	}
	w.saveBash(m)
}

func (w *Worker) saveBash(m *native.BashExecutionMessage) {
	w.context += w.sentTokens([]native.Message{m})
	w.save(m)
}

// flushBash saves the commands that ended during a run.
func (w *Worker) flushBash() {
	for _, m := range w.bashDone {
		w.saveBash(m)
	}
	w.bashDone = nil
}

// abortBash is the command abort_bash. Some dialects know but the newest command, and forget it when another one ends.
func (w *Worker) abortBash(r request) {
	w.respond(r.id, r.name, "")
	if !w.rules.abortsBashes {
		w.endBash(w.newestBash, 0, true)
		return
	}
	w.cancelBash()
}

// cancelBash stops all commands of the client.
func (w *Worker) cancelBash() {
	for _, b := range w.bashes {
		w.endBash(b.call, 0, true)
	}
}
