package fakepi

import (
	"fmt"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/pi073"
	"fakepi.example/internal/fakepi/native/pi16"
)

// rules is everything in which the dialects differ, but for the keys of the records, which are the codec's, and for the
// terminal, which is package tui's. Sections and codes are those of docs/pi-formats.md.
type rules struct {
	dialect native.Dialect
	codec   native.Codec

	// Messages and updates, sections 2 and 3.1.
	snapshots      bool   // an update carries the whole message twice
	streaming      string // stopReason of a message that has not ended
	system         bool   // the first run of a session begins with the system message
	abortedRequest string // errorMessage of a reply that was aborted before the provider's headers
	abortedLate    string // the same, of the reply that Pi makes up after an aborted tool

	// Calls and their results, section 3.2.
	salvages      bool // arguments that broke off are mended and run, so are those of a cut reply; otherwise refused (17a, 17e)
	beginsAborted bool // an abort under a dialog leaves the answer to the gate, and lets a call begin to stop it (12o)
	namesMissing  bool // arguments that lack something are told so in one line, which names the kind that is wanted alone
	throwsCode    bool // a command's exit code is an error without details, and nothing for programs
	countsFeed    bool // a final line feed begins another line
	countsWritten bool // the result of write has the number of characters
	emptyAsImage  bool // an empty result of a tool is sent as that of an image; otherwise a blank one says that it is
	patches       bool // the result of edit has a patch

	// The order of events, section 4.
	terminal     bool // agent_settled ends all work
	pledges      bool // agent_end says whether a retry follows
	fitsImages   bool // a prompt's images are made to fit, with notes; otherwise they go along as they are
	earlySettled bool // two prompts at once print a terminal event inside the run (21a)

	// RPC, section 6.
	disposes      bool // the answer to a prompt, steer or follow-up says what became of it
	echoesUnknown bool // an unknown command's id comes back
	idleInDelay   bool // a worker that waits for a retry, or compacts by itself, calls itself idle and takes prompts
	later         bool // clear_queue, get_entries, get_tree and get_available_thinking_levels are known
	countsAll     bool // get_session_stats counts all entries; otherwise what the model is shown
	looksForText  bool // get_last_assistant_text skips replies without text that did not end well
	remembers     bool // set_model and the thinking level change the defaults of new sessions
	maxLevel      bool // there is a thinking level max
	modelLevels   bool // a setting gives each model a level of its own
	oneLineName   bool // the session's name loses its line breaks
	settlesFirst  bool // a command that leaves the session or compacts it ends the run, with its records; otherwise it is dropped
	keepsUnsaved  bool // new_session of a session that is not saved is not saved either
	bashUpdates   bool // the output of the command bash is printed
	holdsEscapes  bool // of it an escape sequence is held back until it ends
	bashHides     bool // a client in rpc mode can keep one from the model
	bashSignals   bool // a command that a signal ended has an exit code
	abortsBashes  bool // abort_bash stops every command; otherwise the newest, if no other ended since
	slash         []slashCommand
	turns         map[string]turns // of commands that came in one read; those that are not in it are [atOnce]
	joins         turns            // of a prompt into a running agent
	lastTurn      int              // in which a line that the end of stdin has ended may still be answered

	// The session file, section 8.
	fileFirst bool // an entry is written before its line on stdout; otherwise behind it
	byUser    bool // the file begins at the first user message; otherwise at the first assistant one
	edits     bool // a failed reply that is dropped leaves a context_edit
	anyFolder bool // a session names its working directory whatever that is; otherwise what is no text, or empty, does not count
	repairs   bool // a last line without its line feed gets one, and a file without a header is refused; otherwise it is emptied

	takesText string // the method that is called of a user's content which is no text, when a request is made of it

	// Signals and the end of stdin, section 10.
	saves     bool          // they abort the run and save it, which a dialog holds up; otherwise all is dropped
	tellsCut  bool          // print mode tells that its reply was cut off at the limit of tokens, and fails
	forgives  bool          // a bash that a signal has ended counts as one that ended well
	tuiByHand bool          // a TUI exits by itself on SIGTERM; otherwise the signal ends it
	busyEOF   time.Duration // from the end of stdin in a run to the exit

	// Errors and retries, section 11.
	shortError     bool // a provider's error is its status and message alone, a broken connection's has no cause
	endsUnreported bool // a response that ends without a reason is a good end (11c)
	countsOn       bool // a retry that fails for a reason of its own is not told; the next good reply ends it

	// Compaction, section 12.
	stopsCompaction bool          // an abort stops one
	tellsCompaction bool          // a one-shot prints its end
	beforeResume    time.Duration // from its end to the run that follows by itself
}

var rules16 = rules{
	dialect: native.Pi16,
	codec:   pi16.Codec{},

	streaming:      "pending",
	system:         true,
	abortedRequest: "Request aborted",
	abortedLate:    "This operation was aborted",

	patches: true,

	terminal:     true,
	pledges:      true,
	fitsImages:   true,
	earlySettled: true,

	disposes:      true,
	echoesUnknown: true,
	later:         true,
	countsAll:     true,
	looksForText:  true,
	maxLevel:      true,
	modelLevels:   true,
	oneLineName:   true,
	settlesFirst:  true,
	keepsUnsaved:  true,
	bashUpdates:   true,
	holdsEscapes:  true,
	bashHides:     true,
	bashSignals:   true,
	abortsBashes:  true,
	turns:         turns16,
	lastTurn:      turnModel,
	joins:         turns{acts: 1, answers: 2, fails: 3},
	slash: []slashCommand{
		{"llama", "Manage llama.cpp router models", "llama.cpp"},
		{"mcp", "Manage MCP servers: sign in, reconnect, enable or disable, and change exposure", "mcp"},
	},

	fileFirst: true,
	byUser:    true,
	edits:     true,
	repairs:   true,
	takesText: "filter",

	saves:     true,
	tuiByHand: true, tellsCut: true,
	busyEOF: 25 * time.Millisecond,

	stopsCompaction: true,
	tellsCompaction: true,
}

var rules073 = rules{
	dialect: native.Pi073,
	codec:   pi073.Codec{},

	snapshots:      true,
	streaming:      "stop",
	abortedRequest: "Request was aborted.",
	abortedLate:    "Request was aborted.",

	salvages:      true,
	beginsAborted: true,
	namesMissing:  true,
	throwsCode:    true,
	countsFeed:    true,
	countsWritten: true,
	emptyAsImage:  true,

	idleInDelay: true,
	remembers:   true,
	forgives:    true,
	turns:       turns073,
	lastTurn:    1,
	joins:       atOnce,

	anyFolder: true,
	takesText: "map",

	busyEOF: 16 * time.Millisecond,

	shortError:     true,
	endsUnreported: true,
	countsOn:       true,

	beforeResume: 100 * time.Millisecond,
}

func rulesOf(d native.Dialect) (*rules, error) {
	switch d {
	case "", native.Pi16:
		return &rules16, nil
	case native.Pi073:
		return &rules073, nil
	}
	return nil, fmt.Errorf("%w: %q; use %q or %q", ErrDialect, d, native.Pi16, native.Pi073)
}

// slashCommand is a command of one of Pi's own extensions.
type slashCommand struct{ name, description, extension string }

// begins reports whether an entry is a message at which the session file is created.
func (r *rules) begins(e native.Entry) bool {
	m, ok := e.(*native.MessageEntry)
	if !ok {
		return false
	}
	role := m.Message.Role()
	return role == "assistant" || r.byUser && role == "user"
}

// disposition is the data of the answer to a prompt, steer or follow-up.
func (r *rules) disposition(word string) native.Data {
	if !r.disposes {
		return nil
	}
	return &native.PromptData{Disposition: word}
}

// wrote is the result of the tool write.
func (r *rules) wrote(args native.Value) string {
	o, _ := args.(native.Object)
	text, _ := o.Get("content").(native.String)
	if r.countsWritten {
		return fmt.Sprintf("Successfully wrote %d bytes to %s", units(string(text)), pathOf(args))
	}
	return "Successfully wrote to " + pathOf(args)
}
