package debris

import (
	"fmt"

	"fakepi.example/watchdog"
)

// worker is the reporter whose word about a gate is none.
const worker = "worker"

// GateAgainst says what speaks against taking work as done, or "" if nothing does (WDC-WORK-006). There has to be a gate,
// and every gate counts: each has passed, by another's word than the worker's, on the commit head. A gate that does not
// name its commit counts for any.
func GateAgainst(head string, gates []watchdog.Gate) string {
	if len(gates) == 0 {
		return "no gate has run"
	}
	for _, g := range gates {
		switch {
		case g.Status != watchdog.GatePassed:
			return fmt.Sprintf("%s is %s", g.Name, g.Status)
		case g.By == worker:
			return fmt.Sprintf("%s is the worker's own word", g.Name)
		case g.Head != "" && g.Head != head:
			return fmt.Sprintf("%s ran on %s", g.Name, g.Head)
		}
	}
	return ""
}

// GatesPassed reports whether nothing speaks against taking work as done.
func GatesPassed(head string, gates []watchdog.Gate) bool { return GateAgainst(head, gates) == "" }
