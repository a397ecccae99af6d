package recovery

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fakepi.example/internal/watchdog/debris"
)

// Task is the tracker's row of a worker's task. A tracker is read by a query or by a command that prints one JSON
// object with these keys; it is written only by the owner's own command.
type Task struct {
	ID         string   `json:"id"`
	Status     string   `json:"status"`
	Assignee   string   `json:"assignee"`
	Heartbeat  string   `json:"heartbeat"` // RFC 3339, or seconds since 1970; empty or 0: never, which is neither fresh nor old
	LeaseUntil string   `json:"lease_until"`
	Gates      []string `json:"gates"`  // that have passed, by whoever may say so
	Vetoes     []string `json:"vetoes"` // "plan pending", "blocked"
}

// same compares two rows without the heartbeat, which may go on.
func (t *Task) same(other *Task) bool {
	return t.ID == other.ID && t.Status == other.Status && t.Assignee == other.Assignee && t.LeaseUntil == other.LeaseUntil &&
		slices.Equal(t.Gates, other.Gates) && slices.Equal(t.Vetoes, other.Vetoes)
}

func (t *Task) set(column, value string) {
	switch column {
	case "id":
		t.ID = value
	case "status":
		t.Status = value
	case "assignee":
		t.Assignee = value
	case "heartbeat":
		t.Heartbeat = value
	case "lease_until":
		t.LeaseUntil = value
	case "gates":
		t.Gates = words(value)
	case "vetoes":
		t.Vetoes = words(value)
	}
}

func words(list string) []string {
	var found []string
	for w := range strings.SplitSeq(list, ",") {
		if w = strings.TrimSpace(w); w != "" {
			found = append(found, w)
		}
	}
	return found
}

func (t *Task) check(source string) error {
	if t.Status == "" {
		return fmt.Errorf("%s gives no status; name a column or key \"status\"", source)
	}
	return nil
}

// Running reports whether the row says that somebody works on the task.
func (t *Task) Running() bool { return debris.StatusOf(t.Status) == debris.Working }

// Finished reports whether the row says that the task was done.
func (t *Task) Finished() bool { return debris.StatusOf(t.Status) == debris.Finished }

// Dropped reports whether the row says that the task is not to be done.
func (t *Task) Dropped() bool { return debris.StatusOf(t.Status) == debris.Dropped }

// Leased reports whether a lease runs at a moment, and false where that is not known.
func (t *Task) Leased(now time.Time) bool {
	until, err := time.Parse(time.RFC3339, t.LeaseUntil)
	return err == nil && until.After(now)
}
