package debris

import "strings"

// Status is what a tracker's word for the state of a task means.
type Status uint8

// The meanings. A word that is in no list means nothing: whoever reads it asks a person.
const (
	Unknown   Status = iota
	Waiting          // the task is open, and nobody works on it
	Working          // the task is open, and somebody works on it
	Reviewing        // the task is open, and somebody looks at what was done
	Finished         // the task is closed: it was done
	Dropped          // the task is closed: it is not to be done
)

// words lists the words of each meaning, as fold leaves them.
var words = map[Status][]string{
	Waiting:   {"open", "todo", "new", "ready", "backlog", "pending", "queued", "reopened", "failed", "dead", "stalled"},
	Working:   {"inprogress", "running", "working", "active", "claimed", "assigned", "started", "doing", "wip"},
	Reviewing: {"review", "inreview", "reviewing", "underreview"},
	Finished:  {"done", "closed", "complete", "completed", "merged", "shipped", "resolved", "finished", "fixed", "published"},
	Dropped:   {"cancelled", "canceled", "abandoned", "dropped", "rejected", "declined", "wontfix", "wontdo", "duplicate", "obsolete", "invalid", "archived"},
}

// meanings is words the other way round.
var meanings = func() map[string]Status {
	of := map[string]Status{}
	for status, list := range words {
		for _, word := range list {
			of[word] = status
		}
	}
	return of
}()

// StatusOf returns what a tracker's word means. Case, spaces, "_", "-" and "'" make no difference: "In Progress",
// "in_progress" and "IN-PROGRESS" are one word.
func StatusOf(word string) Status { return meanings[fold(word)] }

func fold(word string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '_', '-', '\'':
			return -1
		}
		return r
	}, strings.ToLower(word))
}

// Closed reports whether nothing is to be done about the task any more.
func (s Status) Closed() bool { return s == Finished || s == Dropped }

// Open reports whether the task is known to be open. What is neither open nor closed is not known.
func (s Status) Open() bool { return s == Waiting || s == Working || s == Reviewing }
