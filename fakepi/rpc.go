package fakepi

import (
	"bytes"
	"strconv"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/quirks/javascript"
)

// Send hands the worker a line of stdin, or the lines that came in one read: RPC commands and answers to dialogs, in a TUI
// keys. What Pi answers at once is appended to out, after all that was due before (docs/pi-formats.md, section 6).
func (w *Worker) Send(now time.Duration, lines []byte, out []Output) []Output {
	w.enter(now, out)
	if w.alive() && !w.stdinEnd && !w.leaving() && w.hears() {
		switch w.mode {
		case script.ModeRPC:
			w.receiveTogether(bytes.Split(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n")))
		case script.ModeTUI:
			w.typed(lines)
		}
	}
	return w.result()
}

// hears reports whether the event loop turns.
func (w *Worker) hears() bool { return w.wedge == "" || w.wedge == script.WedgeDeaf }

// commandState is what commands have changed.
type commandState struct {
	cwd                        string // in which the session works
	settings                   Settings
	system                     SystemPrompt
	models                     []native.Model // those there are; never changed in place
	broken                     []string       // their providers that cannot be asked; never changed in place
	steeringMode, followUpMode native.Value   // whatever the client sent; nil is undefined
	bashes                     []bashRun      // commands under way; never changed in place
	bashCount                  int
	newestBash                 string                         // its call; empty: a command has ended since
	bashDone                   []*native.BashExecutionMessage // to be saved at the end of the run; never changed in place
}

// request is a command as it came. Pi looks at a member only when it needs it, so that each may be anything.
type request struct {
	id   native.Value
	name string
	body native.Object
	next *session // that was begun for it, while it waits; never changed in place
}

// receive answers one line in rpc mode.
func (w *Worker) receive(line []byte) {
	line = native.DecodeUTF8(bytes.TrimSuffix(line, []byte("\r")))
	v, err := native.ParseValue(line)
	if err != nil {
		if problem := javascript.ParseError(w.rules.dialect, line); problem != "" {
			w.print(&native.Response{Command: native.Some("parse"), Error: native.Some("Failed to parse command: " + problem)}, false)
			return
		}
		// It is JSON that nests deeper than is read here; Pi stumbles only where it writes such a value.
		if v, err = native.ParseValue(javascript.Flatten(line, 2*maxNesting)); err != nil {
			return
		}
	}
	if _, null := v.(native.Null); null {
		w.inTurn(turnCrash, func(w *Worker) {
			w.crash("TypeError: Cannot read properties of null (reading 'id')\n    at handleInputLine\n")
		})
		return
	}
	body, _ := v.(native.Object)
	name, _ := body.Get("type").(native.String)
	r := request{id: body.Get("id"), name: string(name), body: body}
	handle := commands[r.name]
	switch {
	case javascript.Nests(r.id, maxNesting):
		w.inTurn(turnCrash, func(w *Worker) { w.crash(tooDeep) })
	case r.name == "extension_ui_response":
		w.answeredDialog(body)
	case handle == nil || laterCommands[r.name] && !w.rules.later:
		w.unknownCommand(body)
	default:
		w.inTurn(w.rules.turnsOf(r.name).acts, func(w *Worker) { handle(w, r) })
	}
}

// answeredDialog takes the answer to a dialog; one to another is ignored.
func (w *Worker) answeredDialog(body native.Object) {
	switch {
	case !w.dialog.open || body.Get("id") != native.Value(native.String(w.dialog.id)) || w.dialog.answered:
	case w.postponed != nil && w.wedge == "":
		w.dialog.answered, w.dialog.timeout = true, w.now+heardDelay
	default:
		w.answer(w.dialog.react(w.dialog.read(body)))
	}
}

// commands are what Pi knows.
var commands = map[string]func(*Worker, request){
	native.CmdPrompt:               (*Worker).prompted,
	native.CmdSteer:                (*Worker).steered,
	native.CmdFollowUp:             (*Worker).steered,
	native.CmdClearQueue:           (*Worker).clearQueue,
	native.CmdAbort:                (*Worker).aborted,
	native.CmdAbortRetry:           (*Worker).abortRetry,
	native.CmdGetState:             (*Worker).getState,
	native.CmdGetMessages:          (*Worker).getMessages,
	native.CmdGetSessionStats:      (*Worker).getStats,
	native.CmdGetLastAssistantText: (*Worker).getLastText,
	native.CmdGetCommands:          (*Worker).getCommands,
	native.CmdGetForkMessages:      (*Worker).getForkMessages,
	native.CmdGetEntries:           (*Worker).getEntries,
	native.CmdGetTree:              (*Worker).getTree,
	native.CmdGetAvailableModels:   (*Worker).getModels,
	native.CmdSetModel:             (*Worker).setModel,
	native.CmdCycleModel:           (*Worker).cycleModel,
	native.CmdSetThinkingLevel:     (*Worker).setThinkingLevel,
	native.CmdCycleThinkingLevel:   (*Worker).cycleThinkingLevel,
	native.CmdGetThinkingLevels:    (*Worker).getThinkingLevels,
	native.CmdSetSteeringMode:      (*Worker).setSteeringMode,
	native.CmdSetFollowUpMode:      (*Worker).setFollowUpMode,
	native.CmdSetAutoCompaction:    (*Worker).setAutoCompaction,
	native.CmdSetAutoRetry:         (*Worker).setAutoRetry,
	native.CmdSetSessionName:       (*Worker).setSessionName,
	native.CmdNewSession:           (*Worker).beginSession,
	native.CmdSwitchSession:        (*Worker).switchSession,
	native.CmdFork:                 (*Worker).forkSession,
	native.CmdClone:                (*Worker).cloneSession,
	native.CmdCompact:              (*Worker).compactNow,
	native.CmdBash:                 (*Worker).runBash,
	native.CmdAbortBash:            (*Worker).abortBash,
	native.CmdExportHTML:           (*Worker).exportHTML,
}

// laterCommands are those that only a later dialect knows.
var laterCommands = map[string]bool{
	native.CmdClearQueue: true, native.CmdGetThinkingLevels: true, native.CmdGetEntries: true, native.CmdGetTree: true,
}

// handleHeld carries out commands that an open dialog has kept waiting.
func (w *Worker) handleHeld(held []request) {
	for _, r := range held {
		commands[r.name](w, r)
	}
}

// unknownCommand answers a value that is no command. Its name may be of any type.
func (w *Worker) unknownCommand(body native.Object) {
	name := body.Get("type")
	r := &native.Response{ID: body.Get("id"), Error: native.Some("Unknown command: " + javascript.String(name))}
	if !w.rules.echoesUnknown {
		r.ID = nil
	}
	switch name := name.(type) {
	case nil:
	case native.String:
		r.Command = native.Some(string(name))
	default:
		r.Odd = &native.Odd{Keys: []string{"id", "type", "command", "success", "error"}, Extra: native.Object{{Key: "command", Value: name}}}
		if r.ID == nil {
			r.Odd.Keys = r.Odd.Keys[1:]
		}
	}
	w.printInTurn(r)
}

// respond answers a command without data; an empty failure is success.
func (w *Worker) respond(id native.Value, command, failure string) {
	r := &native.Response{ID: id, Command: native.Some(command), Success: failure == ""}
	if failure != "" {
		r.Error = native.Some(failure)
	}
	w.printInTurn(r)
}

func (w *Worker) respondData(id native.Value, command string, data native.Data) {
	w.printInTurn(&native.Response{ID: id, Command: native.Some(command), Success: true, Data: data})
}

// clientSends writes a line of the scripted client to stdin and returns its id.
func (w *Worker) clientSends(c *native.Command) string {
	w.requests++
	id := "req-" + strconv.Itoa(w.requests)
	c.ID = native.String(id)
	w.write(In, c, false)
	return id
}

// Pi cannot write what is nested deeper: measured, it varies by some ten.
const (
	maxNesting = 4100
	tooDeep    = "RangeError: Maximum call stack size exceeded\n    at JSON.stringify (<anonymous>)\n"
)
