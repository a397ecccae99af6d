package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"fakepi.example/conformance"
	"fakepi.example/conformance/report"
	"fakepi.example/internal/watchdog/episode"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// move is one row of the episode machine (episode.Machine), by its names.
type move struct{ from, on, to string }

// explored is a subject whose durable state is read while it is written: it counts the transitions of its episodes, each
// of which is a record of the journal. It may be started from several goroutines.
type explored struct {
	conformance.Subject
	mu    sync.Mutex
	moves map[move]int
}

func newExplored(s conformance.Subject) *explored {
	return &explored{Subject: s, moves: map[move]int{}}
}

// Start implements conformance.Subject.
func (x *explored) Start(boot watchdog.Boot) (watchdog.Watchdog, error) {
	if s, ok := boot.State.(durable); ok {
		t := &tap{durable: s, explored: x, states: map[string]string{}}
		data, err := s.Read()
		if err != nil {
			return nil, err
		}
		t.follow(data, func(move) {})
		boot.State = t
	}
	return x.Subject.Start(boot)
}

func (x *explored) count(m move) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.moves[m]++
}

// durable is what the world gives a subject as its state.
type durable interface {
	watchdog.State
	journal.Dropper
}

// tap reads the episode records that pass it.
type tap struct {
	durable
	explored *explored
	states   map[string]string // of each worker's episode
}

// Append implements watchdog.State.
func (t *tap) Append(p []byte) error {
	err := t.durable.Append(p)
	if err == nil {
		t.follow(p, t.explored.count)
	}
	return err
}

// episodeLine is what of an episode record says which transition it is (package journal).
type episodeLine struct {
	Data struct {
		Worker string              `json:"worker"`
		Step   journal.EpisodeStep `json:"step"`
		State  string              `json:"state"`
		Reason string              `json:"reason"`
	} `json:"data"`
}

// follow reads records and calls moved for each transition. Where an episode's state is not known, because a compaction has
// folded it, its next transition is not counted.
func (t *tap) follow(records []byte, moved func(move)) {
	for line := range bytes.Lines(records) {
		var l episodeLine
		if !bytes.Contains(line, []byte(`"kind":"episode"`)) || json.Unmarshal(line, &l) != nil {
			continue
		}
		d := &l.Data
		if from := t.states[d.Worker]; d.Step != journal.Opened && from != "" {
			on, _, _ := strings.Cut(d.Reason, ":")
			moved(move{from, on, d.State})
		}
		t.states[d.Worker] = d.State
		if d.Step == journal.Closed {
			delete(t.states, d.Worker)
		}
	}
}

// complete reports whether every transition was made.
func (x *explored) complete() bool {
	return !slices.ContainsFunc(x.transitions(), func(tr report.Transition) bool { return tr.Made == 0 })
}

// transitions lists the rows of the episode machine in their order. A row of any state counts what was made from all; one
// that leads to what a plan aims at counts every aim.
func (x *explored) transitions() []report.Transition {
	x.mu.Lock()
	defer x.mu.Unlock()
	var rows []report.Transition
	for _, tr := range episode.Machine() {
		row := report.Transition{From: string(tr.From), On: string(tr.On), To: string(tr.To)}
		for m, n := range x.moves {
			if tr.From != episode.Any && m.from != row.From || m.on != row.On {
				continue
			}
			if tr.To == episode.Aim || m.to == row.To {
				row.Made += n
			}
		}
		rows = append(rows, row)
	}
	return rows
}
