package recovery

import (
	"context"
	"fmt"
	"os/exec"

	"fakepi.example/internal/watchdog/evidence"
)

// Claim is what a claim of "done" is held against.
type Claim struct {
	Worktree *evidence.State
	Remote   string   // the owner's; empty: the claim is not one of publishing
	Branch   string   // on the remote, "refs/heads/main"; empty: that of the worktree
	Gate     []string // run by us; empty: there is none
	Dir      string   // where the gate runs
}

// CheckDone holds a claim of "done" against the world, here and at the remote, and returns what speaks against it; nil
// if nothing does. It fails closed: what cannot be looked at speaks against it (WDC-WORK-006).
func CheckDone(ctx context.Context, c Claim) []string {
	var against []string
	say := func(format string, args ...any) { against = append(against, fmt.Sprintf(format, args...)) }
	w := c.Worktree
	switch {
	case w.Missing:
		say("the worktree is not there")
	case w.Git == nil || w.Git.Head == "":
		say("no commit shows what was done")
	case w.Dirty():
		say("%s and %s are in no commit", count(len(w.Edited), "edited file"), count(w.Untracked, "untracked file"))
	}
	if c.Remote != "" && w.Git != nil && w.Git.Head != "" {
		branch := c.Branch
		if branch == "" {
			branch = w.Git.Branch
		}
		if branch == "" {
			say("the worktree is on no branch that the remote could have")
		} else if err := verifyRemote(ctx, c.Remote, branch, w.Git.Head); err != nil {
			say("%v", err)
		}
	}
	if len(c.Gate) > 0 {
		gate := exec.CommandContext(ctx, c.Gate[0], c.Gate[1:]...)
		gate.Dir = c.Dir
		if err := gate.Run(); err != nil {
			say("the gate %s fails: %v", c.Gate[0], err)
		}
	}
	return against
}
