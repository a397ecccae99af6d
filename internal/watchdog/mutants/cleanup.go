package mutants

import "fakepi.example/watchdog"

// cleanups are wrong about worktrees that are not needed any more.
func cleanups() []Mutant {
	return []Mutant{
		bad("cleans-up-half-done", "WDC-WORK-007", "A worktree with uncommitted work is proposed for removal. [coalesce-labs/catalyst#2989]",
			worktrees(func(_ source, w *watchdog.Worktree) { w.Dirty = false })),
		bad("row-is-proof", "WDC-WORK-007", "What the tracker has as done is proposed for removal, whatever its gates say.",
			worktrees(praised)),
		bad("cleans-up-under-others", "WDC-WORK-007", "A worktree in which another worker works is proposed for removal. [AO#5074]",
			unshared()),
		bad("keeps-every-worktree", "WDC-WORK-007", "A worktree that is done stays for ever, and nobody is asked.",
			withheld(func(c *watchdog.Command) bool { return c.Act == watchdog.CmdRemoveWorktree })),
		bad("removes-unasked", "WDC-WORK-002", "A worktree that is done is removed before the owner has answered.",
			forged(consentsTo(watchdog.CmdRemoveWorktree))),
		bad("removes-whatever-is-there", "WDC-WORK-002", "A worktree is removed on the owner's yes, whatever has been written to it since.",
			commands(unbound)),
	}
}

// unbound removes a worktree as it may be by then.
func unbound(c *watchdog.Command) {
	if c.Kind == watchdog.CmdRemoveWorktree {
		c.IfDigest = ""
	}
}
