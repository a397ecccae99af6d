package script

// What can follow each verb of the world and its people, in canonical order.

func (a *Answers) params() []param {
	return []param{quoted("value", &a.Value), atLabel(&a.Of), aSpan("after", &a.After)}
}

func (a *Cancels) params() []param { return []param{atLabel(&a.Of), aSpan("after", &a.After)} }

func (a *Link) params() []param {
	return []param{either("up", "down", &a.Up)}
}

func (a *Suspend) params() []param { return []param{must(spanPlace(aSpan("D", &a.D)))} }

func (a *Dirty) params() []param { return []param{must(word("WORKER", &a.Worker))} }

func (a *Worktree) params() []param {
	return []param{
		must(word("WORKER", &a.Worker)),
		must(choice("change", &a.Change, TreeEdited, TreeUntracked, TreeIgnored, TreeCommitted, TreePushed, TreeReverted, TreeMidway, TreeMissing, TreeCleaned)),
	}
}

func (a *Gate) params() []param {
	return []param{
		must(word("WORKER", &a.Worker)),
		must(name("NAME", &a.Name)),
		must(choice("status", &a.Status, "absent", "running", "passed", "failed")),
		optionOf("by", &a.By),
	}
}

func (a *Outcome) params() []param {
	return []param{
		must(word("WORKER", &a.Worker)),
		must(word("COMMAND", &a.Command)),
		must(choice("fate", &a.Fate, CommandDone, CommandFailed, CommandRefused, CommandUnknown, CommandUnheard, CommandClaimed)),
		numberOption("times", &a.Times, 1, 100),
		aSpan("after", &a.After),
	}
}

func (a *Healed) params() []param  { return nil }
func (a *Reboots) params() []param { return nil }

func (a *Disk) params() []param {
	return []param{either("full", "free", &a.Full)}
}

func (a *Clock) params() []param {
	return []param{signed(aSpan("jumps", &a.Jumps)), keyWord("zone", &a.Zone)}
}

func (a Clock) check() (msg, hint string) {
	if a.Jumps.Given() == (a.Zone != "") {
		return "the clock jumps or moves to another zone", `write clock jumps 9h, clock jumps -2h or clock zone +05:30`
	}
	return "", ""
}

func (a *Gap) params() []param {
	return []param{
		must(word("WORKER", &a.Worker)),
		must(choice("stream", &a.Stream, streams...)),
		must(numberPlace("bytes", &a.Bytes, 1, maxCount)),
		isFlag("unknown", &a.Unknown),
	}
}

func (a *Truncates) params() []param {
	return []param{must(word("WORKER", &a.Worker)), must(choice("stream", &a.Stream, "session", "out"))}
}

func (a *Replaces) params() []param {
	return []param{must(word("WORKER", &a.Worker)), must(choice("stream", &a.Stream, "session", "out"))}
}

func (a *Probes) params() []param {
	return []param{
		must(word("WORKER", &a.Worker)),
		must(choice("answer", &a.Says, ProbesTruth, ProbesFail, ProbesUnknown, ProbesGone, ProbesStale, ProbesNothing, ProbesReused)),
		maybe(quoted("text", &a.Text)),
		optionOf("what", &a.What, "state", "processes", "world"),
		optionOf("source", &a.Source),
		aSpan("for", &a.For),
	}
}

func (a Probes) check() (msg, hint string) {
	switch says := a.Says; {
	case says == ProbesReused && a.What != "" && a.What != "processes":
		return "only the process table shows a pid", "leave what= out"
	case a.What == "world" && (says == ProbesGone || says == ProbesStale):
		return "a look at the worktree fails, says nothing or tells the truth", "write fail, nothing or truth"
	}
	return "", ""
}

func (a *Task) params() []param {
	return []param{
		must(word("WORKER", &a.Worker)),
		optionOf("status", &a.Status),
		optionOf("assignee", &a.Assignee),
		spanOption(signed(aSpan("heartbeat", &a.Heartbeat))),
		isFlag("no_heartbeat", &a.NoHeartbeat),
		optionOf("pull_request", &a.PullRequest, "open", "closed"),
		optionOf("vetoes", &a.Vetoes),
		optionOf("lease", &a.Lease),
		spanOption(signed(aSpan("lease_for", &a.LeaseFor))),
	}
}

func (a Task) check() (msg, hint string) {
	switch {
	case a.Heartbeat.Given() && a.NoHeartbeat:
		return "a heartbeat is set or it is not", "give heartbeat=D or no_heartbeat"
	case (a.Lease == "") == a.LeaseFor.Given():
		return "a lease has a holder and a time", "give lease=HOLDER and lease_for=D"
	case a.Status == "" && a.Assignee == "" && !a.Heartbeat.Given() && !a.NoHeartbeat && a.PullRequest == "" && a.Vetoes == "" && a.Lease == "":
		return "nothing of the row changes", "add for example pull_request=open"
	}
	return "", ""
}

func (a *Decides) params() []param {
	return []param{word("ITEM", &a.Item), aSpan("after", &a.After), aSpan("valid", &a.Valid), givenBy(&a.By)}
}

func (a *Intends) params() []param {
	return []param{must(word("WORKER", &a.Worker)), givenBy(&a.By)}
}

func givenBy(by *Giver) param { return optionOf("by", by, ByKey, ByForger, ByWorker, ByAgain) }
