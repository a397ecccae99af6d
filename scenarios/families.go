package scenarios

import (
	"slices"
	"strings"
)

// Family groups scenarios by the way in which watchdogs fail.
type Family struct{ Code, About string }

// Families lists the families: the classic ones, those of public failures, and three that neither names.
func Families() []Family {
	return []Family{
		{"TTFT", "a slow first token"},
		{"STALL", "a real stall"},
		{"WAIT", "waiting for a user"},
		{"TOOL", "a long tool"},
		{"SIDE", "an ambiguous side effect"},
		{"RESTART", "a restart at every boundary"},
		{"RACE", "both orders of a race"},
		{"BUDGET", "an exhausted budget"},

		{"COMPACT", "silence in compaction, loops, stalls behind it"},
		{"TERM", "ambiguous ends: early, missing, late, lingering"},
		{"EMPTY", "empty or contradictory ends, false success"},
		{"CLOCK", "suspend, jumps, skew, zones, unset stamps"},
		{"WORK", "cleanup that would lose work"},
		{"HANDOFF", "work saved and the successor not told"},
		{"MASK", "signs of life that are no progress"},
		{"LIVE", "livelock, and honest repetition"},
		{"RETRYID", "the same retry again and again"},
		{"QUOTA", "limits of use, with and without a reset"},
		{"AUTH", "refused and expired credentials"},
		{"NEVER", "workers that never start"},
		{"PIPE", "a descendant that holds a tool's output"},
		{"TTY", "a tool that waits at a terminal"},
		{"DESC", "progress that only descendants show"},
		{"MCP", "a tool server that hangs"},
		{"SPIN", "CPU without events"},
		{"OOM", "memory that grows"},
		{"ORPHAN", "processes without a parent"},
		{"PID", "reused pids, foreign targets"},
		{"FENCE", "evidence and commands of an older generation"},
		{"PROBE", "probes that fail, or say no"},
		{"ORACLE", "sources that disagree or do not fit"},
		{"ROW", "a wrong row of the tracker"},
		{"ACT", "a remedy without effect"},
		{"NUDGE", "input as a remedy that harms"},
		{"INTENT", "a stop that the operator wanted"},
		{"GATE", "what the owner is asked, and what a yes is worth"},
		{"FILE", "a session file, damaged or all that is seen"},
		{"FRAME", "framing of lines and bytes"},
		{"DIALECT", "streams of a dialect that nobody knows"},
		{"DISK", "no space left"},
		{"TAIL", "truncated and replaced files"},
		{"OUTAGE", "the watchdog or the spawner is down"},
		{"ALERT", "notices: floods, lost ones, acts that they suppress"},
		{"PARK", "parked for ever"},
		{"SPOF", "one cause, many deaths"},
		{"EXPLAIN", "right verdicts for the right reason"},
		{"SAFE", "hostile input"},

		{"PAUSE", "announced retries"},
		{"DEAD", "ends of processes, seen and unseen"},
	}
}

// familyOf finds the family that an id names by its folder.
func familyOf(id string) string {
	folder, _, _ := strings.Cut(id, "/")
	return strings.ToUpper(folder)
}

func knownFamily(code string) bool {
	return slices.ContainsFunc(Families(), func(f Family) bool { return f.Code == code })
}
