// Package mistakes holds the table of what a watchdog can do wrong: each mistake with the requirement that it breaks, a
// sentence that says what the watchdog did, and where a replay shows it. A report names a mistake by its word;
// "piconform explain WORD" prints the row.
//
// A new mistake is a constant and a row here, and the check that finds it in package verdicts or deeds.
package mistakes

import (
	"slices"

	"fakepi.example/watchdog"
)

// Mistake is the word by which a report names what a watchdog did wrong.
type Mistake string

// Row is what the table says of one mistake.
type Row struct {
	Mistake     Mistake
	Requirement string // that it breaks where charges.go does not name another one; empty: what the scenario tests
	Sentence    string // what the watchdog did
	See         string // what to look at in a replay
}

// Table lists the mistakes: of verdicts and notices, of acts, and those that the suite finds outside the oracle.
func Table() []Row { return slices.Concat(ofVerdicts, ofNotices, ofReasons, ofDeeds, ofSuite) }

// Lookup finds the row of a mistake by its word.
func Lookup(word string) (Row, bool) {
	for _, r := range Table() {
		if string(r.Mistake) == word {
			return r, true
		}
	}
	return Row{}, false
}

// Requirements lists, in order, the requirements to which a mistake may be charged.
func (r *Row) Requirements() []string {
	var ids []string
	if r.Requirement != "" {
		ids = append(ids, r.Requirement)
	}
	for i := range charges {
		if slices.Contains(charges[i].mistakes, r.Mistake) {
			ids = append(ids, charges[i].id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Circumstances are what a mistake was made in.
type Circumstances struct {
	Phase watchdog.VerdictName // that held; empty if the mistake concerns no worker
	Said  watchdog.VerdictName // what the subject claimed, if that matters
	Facts Facts
}

// Charge chooses the requirement that a mistake is charged to: the first of those that the scenario tests and that fits;
// else the first that fits wherever it is found.
func Charge(m Mistake, c Circumstances, tested []string) string {
	own := ""
	if r, ok := Lookup(string(m)); ok {
		own = r.Requirement
	}
	for _, id := range tested {
		if id == own {
			return id
		}
		for i := range charges {
			if charges[i].id == id && charges[i].fits(m, &c) {
				return id
			}
		}
	}
	for i := range charges {
		if x := &charges[i]; !x.tested && x.facts == 0 && x.fits(m, &c) {
			return x.id
		}
	}
	return own
}
