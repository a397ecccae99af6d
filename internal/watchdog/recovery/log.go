package recovery

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"
)

// Event is one line of a case's events.jsonl: a transition. The recovery id joins those of one recovery.
type Event struct {
	Time     time.Time `json:"time"`
	Recovery string    `json:"recovery_id"`
	Event    EventName `json:"event"`
	Item     string    `json:"item,omitempty"`
	By       string    `json:"by,omitempty"`
	Digest   string    `json:"evidence_digest,omitempty"`
	Left     string    `json:"worktree_digest,omitempty"` // verified: of the worktree, where the item changed it
	Leaf     string    `json:"session_leaf,omitempty"`    // verified: of the session, where the worker wrote on as it was stopped
	Command  []string  `json:"command,omitempty"`
	Text     string    `json:"text,omitempty"`
	Exit     *int      `json:"exit,omitempty"`         // of the command; -1 if a signal ended it
	Process  *Target   `json:"process,omitempty"`      // started: which is the command's
	Harmless bool      `json:"nothing_done,omitempty"` // refused, failed: the act did nothing, and may be tried again
}

// EventName is a transition.
type EventName string

// The transitions, in the order in which an item goes through them.
const (
	EventDetected EventName = "detected"
	EventPlanned  EventName = "planned"
	EventApproved EventName = "approved"
	EventIntended EventName = "intended" // written before the act: with nothing behind it, its outcome is unknown
	EventStarted  EventName = "started"  // the command runs
	EventActed    EventName = "acted"
	EventVerified EventName = "verified"
	EventRefused  EventName = "refused"
	EventFailed   EventName = "failed"
)

// Record adds an event to a case, durably.
func Record(folder string, e Event) error {
	e.Time = e.Time.UTC()
	return appendLine(filepath.Join(folder, EventsFile), e)
}

// ReadEvents reads the events of a case; a torn last line is passed over. None have happened where there is no file. A whole
// line that is no event is ErrLog: what it told of is not known, and nothing can be done safely.
func ReadEvents(folder string) ([]Event, error) {
	file := filepath.Join(folder, EventsFile)
	data, err := readLines(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLog, err)
	}
	var list []Event
	n := 0
	for line := range bytes.Lines(data) {
		n++
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%w: %s:%d: %w; what it told of is not known: look at the world, and plan again with another --case", ErrLog, file, n, err)
		}
		list = append(list, e)
	}
	return list, nil
}

// Follow gives the events of a case, those that there are and those that come, until ctx ends. It looks every so often.
func Follow(ctx context.Context, folder string, every time.Duration, each func(Event) error) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for given := 0; ; {
		list, err := ReadEvents(folder)
		if err != nil {
			return err
		}
		for ; given < len(list); given++ {
			if err := each(list[given]); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
