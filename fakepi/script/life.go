package script

import "fmt"

// life is what Vet knows of one worker while it reads the script.
type life struct {
	name   string
	mode   Mode
	source string

	spawned *Step
	gone    *Step // its end
	stuck   *Step // stalls or wedges
	lingers *Step

	prompted bool
	run      bool  // between agent_start and agent_end
	message  bool  // an assistant message is open
	calls    bool  // the open message has calls
	owes     *Step // the closes that left calls to run
	final    bool  // a message of the run has closed with another reason than toolUse
	ended    *Step // agent_end without agent_settled: the step that ended the run
	activity *Step // the last step that takes time and excludes others: says, thinks, calls, prompt, retries, compacts
	tools    []*Step
	queue    queue
	dialog   *Step
	last     *Step // the last step that is more than chatter
	wrong    bool  // a problem was found: what follows is not checked
}

// follow is step, for a life in which nothing was wrong so far.
func (l *life) follow(s *Step) (msg, hint string) {
	_, fresh := s.Action.(Spawn)
	if l.wrong && !(fresh && l.gone != nil) {
		switch s.Action.(type) {
		case Exits, Killed:
			l.gone = s
		}
		return "", ""
	}
	msg, hint = l.step(s)
	l.wrong = msg != ""
	return msg, hint
}

// step checks one step of the worker and follows it.
func (l *life) step(s *Step) (msg, hint string) {
	if _, ok := s.Action.(Spawn); ok {
		return l.spawn(s)
	}
	if l.spawned == nil {
		return l.name + " was not spawned", "begin with: 0s " + l.name + " spawn"
	}
	if aside(s.Action) {
		return l.beside(s)
	}
	l.last = s
	switch s.Action.(type) {
	case Exits, Killed:
		return l.leave(s)
	}
	if l.gone != nil {
		if l.orphan(s) {
			return l.does(s)
		}
		return fmt.Sprintf("%s ended in line %d", l.name, l.gone.Pos.Line), "leave this out, or spawn the next generation"
	}
	if l.stuck != nil {
		return fmt.Sprintf("%s is to be silent for ever since line %d", l.name, l.stuck.Pos.Line),
			"where it goes on later, leave " + l.stuck.Action.Verb() + " out: a later time is a pause"
	}
	if msg, hint = l.occupied(s); msg != "" {
		return msg, hint
	}
	return l.act(s)
}

// aside reports whether an action may come at any time of a worker's life, and is neither progress nor an end.
func aside(a Action) bool {
	switch a.(type) {
	case Chatter, Notifies, Raw, EOF, Steer, FollowUp:
		return true
	}
	return false
}

func (l *life) beside(s *Step) (msg, hint string) {
	switch a := s.Action.(type) {
	case EOF:
		return "", ""
	case Raw:
		if a.Progress && l.stuck != nil {
			return "progress comes after " + l.stuck.Action.Verb(), "leave the word progress out, or the " + l.stuck.Action.Verb()
		}
	case Notifies:
		if l.mode.OneShot() {
			return "a one-shot has no user interface", "spawn it with mode=rpc or mode=tui"
		}
	case Steer, FollowUp:
		if l.mode.OneShot() {
			return "nobody can write to a one-shot", "spawn it with mode=rpc or mode=tui"
		}
		if l.run {
			l.queue.add(a)
		}
	case Chatter:
		if msg, hint = l.chatter(a.Kind); msg != "" {
			return msg, hint
		}
	}
	if l.gone != nil {
		return fmt.Sprintf("%s ended in line %d", l.name, l.gone.Pos.Line), "put this before its end"
	}
	return "", ""
}

func (l *life) chatter(k ChatterKind) (msg, hint string) {
	needs := ModeRPC
	switch k {
	case ChatterStderr:
		return "", ""
	case ChatterSpinner, ChatterOSC:
		needs = ModeTUI
	}
	if l.mode != needs {
		return fmt.Sprintf("a worker of mode %s has no %s chatter", l.mode, k), fmt.Sprintf("spawn it with mode=%s", needs)
	}
	return "", ""
}

func (l *life) spawn(s *Step) (msg, hint string) {
	a := s.Action.(Spawn)
	if l.spawned == nil && a.Respawned {
		return l.name + " has no predecessor", "begin with: 0s " + l.name + " spawn"
	}
	if l.spawned != nil && l.spawned != s && l.gone == nil && !a.Respawned {
		return fmt.Sprintf("%s runs already, since line %d", l.name, l.spawned.Pos.Line), "end it first, by exits or killed"
	}
	*l = life{name: l.name, mode: a.Mode, source: a.Source, spawned: s, last: s}
	return "", ""
}

func (l *life) leave(s *Step) (msg, hint string) {
	if l.gone != nil {
		return fmt.Sprintf("%s ended in line %d already", l.name, l.gone.Pos.Line), "leave one of them out"
	}
	l.gone = s
	return "", ""
}

// occupied checks that nothing that excludes the step is still under way.
func (l *life) occupied(s *Step) (msg, hint string) {
	switch a := s.Action.(type) {
	case Stalls, Wedges, Asks:
		return "", ""
	case Ends:
		if a.Of != "" {
			return "", ""
		}
	}
	if l.activity.lasts(s.At) {
		return fmt.Sprintf("%s of line %d goes on %s", l.activity.Action.Verb(), l.activity.Pos.Line, until(l.activity)),
			"count from its end (a line without an anchor does)"
	}
	if l.dialog.lasts(s.At) {
		return fmt.Sprintf("the dialog of line %d is open %s", l.dialog.Pos.Line, until(l.dialog)),
			`let the user answer it: +0s user answers "..." after 30s`
	}
	switch s.Action.(type) {
	case Tool, Does:
		return "", ""
	}
	for _, t := range l.tools {
		if t.lasts(s.At) {
			return fmt.Sprintf("the tool of line %d runs %s", t.Pos.Line, until(t)),
				"count from its end, or end it by ends @label"
		}
	}
	return "", ""
}

// unexplained says what is wrong with a script that leaves the worker open.
func (l *life) unexplained() (msg, hint string) {
	switch {
	case l.wrong || l.fate() != FateOpen:
		return "", ""
	case l.run || l.ended != nil:
		return l.name + " falls silent behind this line in the middle of a run", "end with settles, exits, killed or stalls"
	case !l.prompted:
		return l.name + " is a one-shot that does nothing", `give it a prompt, or say that it stalls`
	}
	return l.name + " is a one-shot that has settled and does not exit", "add exits 0, or lingers where that is meant"
}
