package oracle

import (
	"slices"

	"fakepi.example/watchdog"
)

// charge says to which requirement a finding may be charged: one of these kinds, in one of the phases (none: any),
// where the subject claimed one of said (none: anything), if fact holds (nil: always).
type charge struct {
	id     string
	sorts  sort
	phases []watchdog.VerdictName
	said   []watchdog.VerdictName
	fact   func(*worker) bool
	tested bool // only where the scenario names this requirement; implied by fact
}

func (c *charge) fits(s sort, w *worker, phase, said watchdog.VerdictName) bool {
	return c.sorts&s != 0 &&
		(len(c.phases) == 0 || slices.Contains(c.phases, phase)) &&
		(len(c.said) == 0 || slices.Contains(c.said, said)) &&
		(c.fact == nil || w != nil && c.fact(w))
}

// requirement chooses the one that a finding is charged to: the first that the scenario tests and the table allows;
// else the first row of the table that fits wherever it is found.
func (o *Oracle) requirement(s sort, w *worker, phase, said watchdog.VerdictName) string {
	rows := charges()
	for _, id := range o.cfg.Requires {
		for i := range rows {
			if rows[i].id == id && rows[i].fits(s, w, phase, said) {
				return id
			}
		}
	}
	for i := range rows {
		c := &rows[i]
		if !c.tested && c.fact == nil && c.fits(s, w, phase, said) {
			return c.id
		}
	}
	return "WDC-OBS-002" // whatever the workers wrote led to something without a name
}
