package report

import (
	"encoding/json"
	"io"
	"time"

	"fakepi.example/conformance"
)

// document is the JSON form of a report: the totals, then what they are made of.
type document struct {
	Suite     string                     `json:"suite"`
	Subject   string                     `json:"subject"`
	Seed      uint64                     `json:"seed"`
	Dialect   string                     `json:"dialect"`
	Digest    string                     `json:"digest"`
	Counts    map[conformance.Status]int `json:"counts"` // of cases; every status has a member
	Scenarios int                        `json:"scenarios"`
	Histories int                        `json:"histories"`
	Events    int                        `json:"events"`
	Wall      float64                    `json:"wall_s"`
	Virtual   float64                    `json:"virtual_s"` // time that passed in all histories together
	Rate      float64                    `json:"histories_per_s"`
	Explore   conformance.Exploration    `json:"explore"`
	Most      int                        `json:"budget"` // histories of one case at most

	Profile      string        `json:"profile,omitempty"` // absent: all
	Pattern      string        `json:"case,omitempty"`    // of the cases' ids; absent: all
	Shard        string        `json:"shard,omitempty"`   // absent: the whole
	Poll         float64       `json:"poll_ms,omitempty"` // absent: woken exactly
	ExitCode     int           `json:"exit_code"`
	Capped       int           `json:"capped"` // cases that have more histories than were played
	Families     []tallyJSON   `json:"families"`
	Requirements []tallyJSON   `json:"requirements"`
	Cases        []caseJSON    `json:"cases"`
	Failures     []failureJSON `json:"failures"`
	Before       []failureJSON `json:"failed_before,omitempty"` // in histories that were played first, because they failed before
	Stale        []knownJSON   `json:"stale,omitempty"`         // listed failures that did not happen
}

type tallyJSON struct {
	Name   string `json:"name"`
	Cases  int    `json:"cases"`
	Passed int    `json:"passed"`
	Warned int    `json:"warned"`
	Failed int    `json:"failed"`
}

type caseJSON struct {
	ID        string             `json:"id"`
	Title     string             `json:"title"`
	Family    string             `json:"family"`
	Requires  []string           `json:"requires"`
	Status    conformance.Status `json:"status"`
	Reason    string             `json:"reason,omitempty"`
	Histories int                `json:"histories"`
	Events    int                `json:"events"`
	Capped    bool               `json:"capped,omitempty"`
	Reach     *reachJSON         `json:"reach,omitempty"` // of a case that is not complete
	Verdicts  []string           `json:"verdicts,omitempty"`
	Virtual   float64            `json:"virtual_s"`
	Digest    string             `json:"digest,omitempty"` // of its histories
}

// reachJSON is how far the histories of a case go: all with so many deviations, and some with one more.
type reachJSON struct {
	Deviations int `json:"deviations"`
	Beyond     int `json:"beyond"`
}

type failureJSON struct {
	Case        string  `json:"case"`
	Requirement string  `json:"requirement"`
	Level       string  `json:"level"`
	Sentence    string  `json:"sentence"`
	Mistake     string  `json:"mistake"`
	Crash       bool    `json:"crash,omitempty"`
	Known       bool    `json:"known,omitempty"`
	At          float64 `json:"at_ms"`
	Worker      string  `json:"worker,omitempty"`
	Expected    string  `json:"expected"`
	Actual      string  `json:"actual"`
	Event       int     `json:"event"`
	Timeline    string  `json:"timeline"`
	Token       string  `json:"token"`
	Replay      string  `json:"replay"` // the command that plays the history again

	Shrunk *shrunkJSON `json:"shrunk,omitempty"` // a smaller history that fails in the same way
}

// shrunkJSON is a history made smaller, with how much was there before, and is now.
type shrunkJSON struct {
	Token   string `json:"token"`
	Replay  string `json:"replay"`
	Steps   [2]int `json:"steps"`
	Choices [2]int `json:"choices"`
}

func shrunk(s *conformance.Shrunk) *shrunkJSON {
	if s == nil {
		return nil
	}
	token := s.Token.String()
	return &shrunkJSON{token, replayLine(token), s.Steps, s.Choices}
}

type knownJSON struct {
	Case        string `json:"case"`
	Requirement string `json:"requirement"`
}

// JSON writes the report as one object on one line.
func (r Report) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(r.document())
}

func (r Report) document() document {
	res := r.Result
	d := document{
		Suite: res.Suite, Subject: res.Subject, Seed: res.Seed, Dialect: res.Dialect, Digest: res.Digest,
		Counts: map[conformance.Status]int{}, Scenarios: res.Scenarios, Histories: res.Histories, Events: res.Events,
		Wall: r.Wall.Seconds(), Virtual: res.Span.Seconds(), Rate: r.rate(float64(res.Histories)),
		Explore: res.Explore, Most: res.Most, Profile: res.Profile, Pattern: res.Pattern, Shard: res.Shard.String(), Poll: millis(res.Poll), ExitCode: r.ExitCode(),
		Capped: res.Capped, Families: tallies(res.Families), Requirements: tallies(res.Requirements),
		Cases: []caseJSON{}, Failures: []failureJSON{},
	}
	for _, s := range conformance.Statuses() {
		d.Counts[s] = res.Counts[s]
	}
	for _, c := range res.Cases {
		d.Cases = append(d.Cases, caseJSON{
			c.ID, c.Title, c.Family, c.Requires, c.Status, c.Reason, c.Histories, c.Events, c.Capped, reach(&c), c.Verdicts, c.Span.Seconds(), c.Digest,
		})
	}
	d.Failures = append(d.Failures, r.told(r.failures())...)
	d.Before = r.told(r.before())
	for _, k := range res.Stale {
		d.Stale = append(d.Stale, knownJSON{k.Case, k.Requirement})
	}
	return d
}

func (r Report) told(all []failure) []failureJSON {
	var list []failureJSON
	for _, f := range all {
		list = append(list, failureJSON{
			f.Case.ID, f.Requirement, string(f.Level), r.sentence(f.Requirement), f.Mistake, f.Crash, f.Known,
			millis(f.At), f.Worker, f.Expected, f.Actual, f.Event, f.Timeline, f.Token, replayLine(f.Token), shrunk(f.Shrunk),
		})
	}
	return list
}

func reach(c *conformance.CaseResult) *reachJSON {
	if !c.Capped {
		return nil
	}
	return &reachJSON{c.Reach.Deviations, c.Reach.Beyond}
}

func tallies(ts []conformance.Tally) []tallyJSON {
	list := []tallyJSON{}
	for _, t := range ts {
		list = append(list, tallyJSON(t))
	}
	return list
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func replayLine(token string) string { return "piconform replay " + token }
