package script

// What can follow each verb of a worker, in canonical order.

var streams = []string{"out", "err", "session", "pty"}

func (a *Spawn) params() []param {
	return []param{
		optionOf("agent", &a.Agent),
		optionOf("version", &a.Version),
		optionOf("mode", &a.Mode, ModeRPC, ModeJSON, ModePrint, ModeTUI),
		optionOf("source", &a.Source, "held", "followed"),
		yesNo("parent", &a.Parent),
		optionOf("model", &a.Model),
		optionOf("credential", &a.Credential),
		optionOf("task", &a.Task),
		optionOf("worktree", &a.Worktree),
		optionOf("session", &a.Session),
		yesNo("autonomous", &a.Autonomous),
		isFlag("stdin_open", &a.StdinOpen),
		isFlag("status", &a.Status),
		isFlag("respawned", &a.Respawned),
	}
}

func (a *Prompt) params() []param {
	return []param{
		text("text", &a.Text),
		orNever(aSpan("takes", &a.Takes)),
		isFlag("response_only", &a.ResponseOnly),
		isFlag("handled", &a.Handled),
		isFlag("twice", &a.Twice),
	}
}

func (a *Steer) params() []param    { return []param{text("text", &a.Text)} }
func (a *FollowUp) params() []param { return []param{text("text", &a.Text)} }
func (a *Opens) params() []param    { return []param{isFlag("headers", &a.Headers)} }

func (a *Says) params() []param {
	return []param{text("text", &a.Text), aSpan("over", &a.Over), pieces("chunks", &a.Chunks)}
}

func (a *Thinks) params() []param {
	return []param{
		spanPlace(aSpan("D", &a.For)),
		maybeText("text", &a.Text),
		aSpan("over", &a.Over),
		pieces("chunks", &a.Chunks),
		keepalive(&a.Keepalive),
	}
}

func keepalive(s *Span) param { return spanOption(aSpan("keepalive", s)) }

func (a Thinks) check() (msg, hint string) {
	spoken := a.Text != Text{}
	switch {
	case spoken == a.For.Given():
		return "thinks needs a duration or a text", `write thinks 30s for silence, thinks "text" over 30s for a thinking block`
	case !spoken && (a.Over.Given() || a.Chunks > 0):
		return "thinks D is silence and has no chunks", `give a text: thinks "text" over 30s`
	case spoken && a.Keepalive.Given():
		return "a keepalive fills silence", "write thinks 30s keepalive=1s, or leave it out"
	}
	return "", ""
}

func (a *Reports) params() []param {
	return []param{
		must(number("input", &a.Input, 1, maxCount)),
		must(number("output", &a.Output, 0, maxCount)),
		number("cached", &a.Cached, 0, maxCount),
		number("reasoning", &a.Reasoning, 0, maxCount),
	}
}

func (a Reports) check() (msg, hint string) {
	if a.Cached > a.Input || a.Reasoning > a.Output {
		return "a part is more than the whole", "cached tokens are of the input, those of the reasoning of the output"
	}
	return "", ""
}

func (a *Calls) params() []param {
	return []param{
		must(word("NAME", &a.Name)),
		maybeText("command", &a.Command),
		aText("args", &a.Args),
		aSpan("over", &a.Over),
		pieces("chunks", &a.Chunks),
	}
}

func (a Calls) check() (msg, hint string) {
	if a.Command != (Text{}) && a.Args != (Text{}) {
		return "the call has a command and arguments", "give one of them"
	}
	return "", ""
}

func (a *Tool) params() []param {
	return []param{
		atLabel(&a.Call),
		word("NAME", &a.Name),
		maybeText("command", &a.Command),
		aText("args", &a.Args),
		must(orNever(aSpan("runs", &a.Runs))),
		setFlag("busy", &a.Child, ChildBusy),
		setFlag("tty", &a.Child, ChildTTY),
		setFlag("holds", &a.Child, ChildHolds),
		setFlag("dead", &a.Child, ChildDead),
		aSpan("bursts", &a.Bursts),
		aSpan("repeats", &a.Repeats),
		aSpan("for", &a.For),
		spanOption(aSpan("timeout", &a.Timeout)),
		isFlag("deaf", &a.Deaf),
		isFlag("fails", &a.Fails),
		isFlag("blocked", &a.Blocked),
		isFlag("writes", &a.Writes),
		isFlag("commits", &a.Commits),
		isFlag("pushes", &a.Pushes),
		aText("gives", &a.Gives),
		optionOf("call", &a.ID),
	}
}

func (a Tool) check() (msg, hint string) {
	switch {
	case a.Call != "" && (a.Name != "" || a.Command != Text{} || a.Args != Text{}):
		return "the call at @" + a.Call + " has a name and a command already", "write tool @" + a.Call + " runs D, or tool NAME \"COMMAND\" runs D"
	case a.Call == "" && a.Name == "":
		return "the tool needs a name", `write for example: tool bash "make test" runs 3m`
	case a.Command != Text{} && a.Args != Text{}:
		return "the tool has a command and arguments", "give one of them"
	case a.Bursts.Given() && a.Repeats.Given():
		return "output cannot be new and repeated at once", "give bursts or repeats"
	case a.For.Given() && !a.Bursts.Given() && !a.Repeats.Given() && a.Child != ChildBusy:
		return "for says how long output or CPU lasts, and there is none", "add busy, bursts D or repeats D"
	case a.Deaf && !a.Timeout.Given():
		return "deaf is for a tool with a timeout", "add timeout=D"
	case a.Blocked && (a.Runs.Never || a.Runs.D > 0 || a.works()):
		return "a call that is blocked never runs", `write runs 0s blocked, and gives "WHY" at most`
	}
	return "", ""
}

// works reports whether the tool is said to do anything.
func (a Tool) works() bool {
	return a.Child != ChildIdle || a.Bursts.Given() || a.Repeats.Given() || a.Timeout.Given() || a.Fails || a.Writes || a.Commits || a.Pushes
}

func (a *Asks) params() []param {
	return []param{
		must(choice("method", &a.Method, AskSelect, AskConfirm, AskInput, AskEditor, AskTrust, AskResume)),
		quoted("title", &a.Title),
		quotedMany("option", &a.Options),
		spanOption(aSpan("timeout", &a.Timeout)),
	}
}

func (a Asks) check() (msg, hint string) {
	choosing := a.Method == AskSelect || a.Method == AskTrust || a.Method == AskResume
	switch {
	case choosing && len(a.Options) == 0:
		return "a " + string(a.Method) + " needs options", `write them after the title: asks select "Proceed?" "Yes" "No"`
	case a.Method == AskInput && len(a.Options) > 1:
		return "an input has one placeholder", "leave the others out, or ask by select"
	case !choosing && a.Method != AskInput && len(a.Options) > 0:
		return "only a select, trust or resume has options", "leave them out, or ask by select"
	}
	return "", ""
}

func (a *Notifies) params() []param {
	return []param{
		choice("method", &a.Method, "notify", "warning", "error", "status", "widget", "title", "editor_text"),
		quoted("text", &a.Text),
		aSpan("every", &a.Every),
		aSpan("over", &a.Over),
	}
}

func (a Notifies) check() (msg, hint string) { return repeated(a.Every, a.Over) }

func (a *Chatter) params() []param {
	return []param{
		must(choice("kind", &a.Kind, ChatterState, ChatterQueue, ChatterName, ChatterLevel, ChatterStderr, ChatterSpinner, ChatterOSC)),
		aSpan("every", &a.Every),
		aSpan("over", &a.Over),
	}
}

func (a Chatter) check() (msg, hint string) { return repeated(a.Every, a.Over) }

// repeated checks that every and over come together.
func repeated(every, over Span) (msg, hint string) {
	if every.Given() != over.Given() {
		return "every and over belong together", "write every D over D"
	}
	return "", ""
}

func (a *Closes) params() []param { return []param{choice("stop reason", &a.Stop, stopReasons...)} }

var stopReasons = []StopReason{StopStop, StopToolUse, StopLength, StopAborted}

func (a *Ends) params() []param {
	return []param{
		atLabel(&a.Of),
		choice("stop reason", &a.Stop, stopReasons...),
		isFlag("will_retry", &a.WillRetry),
	}
}

func (a Ends) check() (msg, hint string) {
	if a.Of != "" && (a.Stop != "" || a.WillRetry) {
		return "the end of a tool or compaction has no stop reason", "write ends @label, or ends REASON for the run"
	}
	return "", ""
}

func (a *Refused) params() []param {
	return []param{
		must(choice("class", &a.Class, RefusedTransient, RefusedQuota, RefusedAuth, RefusedOverflow, RefusedOther)),
		maybeText("message", &a.Message),
		numberOption("status", &a.Status, 400, 599),
		optionOf("type", &a.Type),
		optionOf("by", &a.By, RefusedReset, RefusedClose, RefusedEnd, RefusedEvent, RefusedFilter),
		spanOption(aSpan("reset", &a.Reset)),
		spanOption(aSpan("retry_after", &a.RetryAfter)),
		isFlag("will_retry", &a.WillRetry),
	}
}

func (a Refused) check() (msg, hint string) {
	if a.Reset.Given() && a.Class != RefusedQuota {
		return "only a quota resets", "leave reset= out, or write refused quota"
	}
	if by := a.By; by != "" && (a.Status > 0 || a.RetryAfter.Given()) {
		return "what comes by " + string(by) + " has no status of its own", "leave by= out, or status= and retry_after="
	} else if by != "" && by != RefusedEvent && (a.Message != Text{} || a.Type != "") {
		return "what comes by " + string(by) + " has no message", "leave it out, or write by=event"
	}
	return "", ""
}

func (a *Retries) params() []param {
	return []param{
		must(spanPlace(aSpan("D", &a.Delay))),
		isFlag("hidden", &a.Hidden),
		spanOption(aSpan("cancelled", &a.Cancelled)),
	}
}

func (a Retries) check() (msg, hint string) {
	if a.Hidden && a.Cancelled.Given() {
		return "nobody can cancel what was not announced", "leave hidden or cancelled= out"
	}
	return "", ""
}

func (a *Compacts) params() []param {
	return []param{
		choice("reason", &a.Reason, "threshold", "manual", "overflow"),
		must(orNever(aSpan("runs", &a.Runs))),
		isFlag("same", &a.Same),
		isFlag("fails", &a.Fails),
		aText("gives", &a.Gives),
		aText("turn", &a.Turn),
		number("input", &a.Input, 1, maxCount),
		number("output", &a.Output, 1, maxCount),
	}
}

func (a *Settles) params() []param { return nil }
func (a *Stalls) params() []param {
	return []param{keepalive(&a.Keepalive), isFlag("again", &a.Again)}
}

func (a *Lingers) params() []param { return nil }

func (a *Wedges) params() []param {
	return []param{choice("way to be wedged", &a.How, WedgeDeaf, WedgeFrozen, WedgeSpinning)}
}

func (a *Exits) params() []param {
	return []param{must(numberPlace("status", &a.Code, 0, maxStatus)), maybeText("stderr", &a.Stderr)}
}

func (a *Killed) params() []param {
	return []param{must(choice("signal", &a.Signal, "SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGSEGV", "SIGABRT"))}
}

func (a *EOF) params() []param { return []param{choice("stream", &a.Stream, "out", "err")} }

func (a *Raw) params() []param {
	return []param{
		optionOf("stream", &a.Stream, streams...),
		text("bytes", &a.Data),
		pieces("times", &a.Times),
		aSpan("every", &a.Every),
		aSpan("over", &a.Over),
		isFlag("progress", &a.Progress),
	}
}

func (a Raw) check() (msg, hint string) { return repeated(a.Every, a.Over) }
