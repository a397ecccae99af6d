package fakepi

import (
	"fmt"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/native/pi073"
	"fakepi.example/fakepi/native/pi16"
)

// rules is everything in which the dialects differ, but for the keys of the records, which are the codec's. Sections
// are those of docs/pi-formats.md.
type rules struct {
	dialect native.Dialect
	codec   native.Codec

	// The stream, sections 2 to 4.
	snapshots      bool   // an update carries the whole message twice
	streaming      string // stopReason of a message that has not ended
	system         bool   // the first run of a session begins with the system message
	terminal       bool   // agent_settled tells the end of all work
	pledges        bool   // agent_end says whether a retry follows
	earlySettled   bool   // two prompts at once print a terminal event inside the run (21a)
	salvages       bool   // arguments that broke off are mended and run; otherwise refused
	abortedRequest string // errorMessage of the reply that an abort leaves no time for
	abortedEnds    bool   // an aborted reply ends a retry as a good one does
	unsaidFailure  bool   // a retry that fails for another reason is given up without auto_retry_end

	countsWritten bool // the result of write has the number of bytes
	patches       bool // the result of edit has a patch
	throwsCode    bool // a command's exit code above 0 is an error without details, and none for programs
	countsFeed    bool // of a truncated output, a final line feed begins a line

	// The session file, section 8.
	fileFirst bool // an entry is written before its line on stdout
	byUser    bool // the file begins at the first user message; otherwise at the first assistant one
	edits     bool // a failed reply that is dropped leaves a context_edit

	// RPC, section 6.
	disposes      bool // the answer to a prompt, steer or follow-up says what became of it
	echoesUnknown bool // an unknown command's id comes back
	idleInDelay   bool // get_state calls a worker idle while it waits for a retry, and a compacting one too

	// Signals and the end of stdin, section 10.
	saves      bool // SIGTERM, SIGHUP and the end of stdin abort the run and save it, which a dialog holds up
	orphans    bool // a bash child survives the end of stdin
	tuiByHand  bool // a TUI exits by itself on SIGTERM; otherwise the signal ends it
	busyEOF    time.Duration
	compacts   bool          // json mode prints the end of a compaction, and an abort stops one by command
	afterLarge time.Duration // from the end of an overflow's compaction to the run that follows
	shortError bool          // a provider's error is its status and message alone, a broken connection's has no cause
	endsUntold bool          // a response that ends without a reason is a good end
}

var rules16 = rules{
	dialect: native.Pi16, codec: pi16.Codec{},
	streaming: "pending", abortedRequest: "This operation was aborted", system: true, terminal: true, pledges: true, earlySettled: true,
	patches:   true,
	fileFirst: true, byUser: true, edits: true,
	disposes: true, echoesUnknown: true,
	saves: true, tuiByHand: true, busyEOF: 25 * time.Millisecond, compacts: true,
}

var rules073 = rules{
	dialect: native.Pi073, codec: pi073.Codec{},
	snapshots: true, streaming: "stop", abortedRequest: "Request was aborted.", salvages: true, abortedEnds: true, unsaidFailure: true,
	countsWritten: true, throwsCode: true, countsFeed: true,
	idleInDelay: true,
	orphans:     true, busyEOF: 16 * time.Millisecond, afterLarge: 100 * time.Millisecond, shortError: true, endsUntold: true,
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

// begins reports whether a message is the one at which the session file is created.
func (r *rules) begins(m native.Message) bool {
	switch m.(type) {
	case *native.UserMessage:
		return r.byUser
	case *native.AssistantMessage:
		return !r.byUser
	}
	return false
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
		return fmt.Sprintf("Successfully wrote %d bytes to %s", len(text), pathOf(args))
	}
	return "Successfully wrote to " + pathOf(args)
}

// edited is the details of the result of the tool edit.
func (r *rules) edited(path string) native.Value {
	o := native.Object{{Key: "diff", Value: native.String("-1 todo\n+1 done")}}
	if r.patches {
		o = append(o, native.Member{Key: "patch", Value: native.String("--- " + path + "\n+++ " + path + "\n@@ -1,1 +1,1 @@\n-todo\n+done\n")})
	}
	return append(o, native.Member{Key: "firstChangedLine", Value: native.Number(1)})
}
