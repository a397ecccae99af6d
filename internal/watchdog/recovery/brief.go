package recovery

import (
	"fmt"
	"strings"
)

// Brief is what the successor is told (WDC-WORK-003, WDC-SIDE-005, WDC-EVID-006). Words of the worker are quoted.
func Brief(p *Plan, f *Facts) string {
	var b strings.Builder
	b.WriteString("You take over the task of a worker that ended before it was done, in the same worktree.\n\n")
	fmt.Fprintf(&b, "- A snapshot of the worktree as your predecessor left it: %s (digest %.16s).\n", p.Evidence, p.Digest)
	if p.Session != "" {
		fmt.Fprintf(&b, "- Your predecessor's session: %s\n", p.Session)
	}
	b.WriteString("- Before you change anything, read git log and git status: they are the memory of what is done.\n")
	b.WriteString("- Look before you repeat: a step without a result may have happened all the same.\n")
	if f.Session != nil {
		for _, c := range f.Session.Open {
			if c.Effects() {
				fmt.Fprintf(&b, "- The call %s, %q with %q, has no result%s.\n", cut(c.ID, 60), cut(c.Name, 40), c.Args, f.advice(&c))
			}
		}
	}
	if f.Worktree.Git != nil && len(f.Worktree.Git.Progress) > 0 {
		fmt.Fprintf(&b, "- Git is in the middle of a %s. Finish or abort it first.\n", strings.Join(f.Worktree.Git.Progress, ", "))
	}
	b.WriteString("- Commit work in progress at each milestone, and say at the end what you did.\n")
	return b.String()
}

// advice tells what to do about a call without a result.
func (f *Facts) advice(c *Call) string {
	for _, e := range f.Effects {
		if e.Call != cut(c.ID, 60) {
			continue
		}
		switch e.Happened {
		case Yes:
			return ", but it has happened (" + e.Why + "): do not do it again"
		case No:
			return ", and it has not happened (" + e.Why + "): it may be done now"
		case Unknown:
			return " (" + e.Why + "). Look whether it acted before you do it again"
		}
	}
	return ". Look whether it acted before you do it again"
}
