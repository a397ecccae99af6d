package mutants

import (
	"strings"

	"fakepi.example/watchdog"
)

// briefs tell a successor less than it needs.
func briefs() []Mutant {
	return []Mutant{
		bad("brief-without-advice", "WDC-WORK-003", "A successor is not told how to find out what is done, nor to commit.",
			commands(leavesOut("git log", "Verify before", "Commit work"))),
		bad("unknown-calls-untold", "WDC-SIDE-001", "A successor is not told of calls whose effect nobody knows. [openclaw#37446]",
			commands(leavesOut("had its effect is not known"))),
		bad("unsaved-results-untold", "WDC-SIDE-005", "A successor is not told of calls that have happened and whose results were not saved.",
			commands(leavesOut("has happened, although"))),
	}
}

// leavesOut takes the lines of a brief out that say one of some things.
func leavesOut(things ...string) func(*watchdog.Command) {
	return func(c *watchdog.Command) {
		if c.Kind != watchdog.CmdRespawn {
			return
		}
		var kept strings.Builder
		for line := range strings.Lines(c.Text) {
			said := false
			for _, thing := range things {
				said = said || strings.Contains(line, thing)
			}
			if !said {
				kept.WriteString(line)
			}
		}
		c.Text = kept.String()
	}
}
