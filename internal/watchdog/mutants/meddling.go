package mutants

import (
	"strings"

	"fakepi.example/watchdog"
)

// clears proposes to remove the worktree of a worker that has ended, and does so on the owner's word, without a look at
// what its evidence is worth.
func clears(watchdog.Boot) speech {
	digests, asked := map[string]string{}, map[string]watchdog.Command{}
	return func(_ watchdog.Instant, seen []watchdog.Observation, d *watchdog.Decision) {
		for i := range seen {
			switch b := seen[i].Body.(type) {
			case watchdog.Worktree:
				digests[seen[i].Worker] = b.Digest
			case watchdog.Owner:
				if c, ok := asked[b.Item]; ok && b.Approve {
					delete(asked, b.Item)
					c.Key, c.Kind, c.Item, c.Act = c.Worker+"/clear", watchdog.CmdRemoveWorktree, b.Item, ""
					d.Commands = append(d.Commands, c)
				}
			}
		}
		for i := range d.Verdicts {
			v := &d.Verdicts[i]
			if v.Name != watchdog.VerdictDead || digests[v.Worker] == "" {
				continue
			}
			c := watchdog.Command{
				Key: v.Worker + "/clear?", Kind: watchdog.CmdPropose, Worker: v.Worker, Generation: v.Generation, Cause: v.Cause,
				Evidence: numbers(v), Act: watchdog.CmdRemoveWorktree, IfDigest: digests[v.Worker], Text: "nobody works here any more",
			}
			asked[c.Key] = c
			d.Commands = append(d.Commands, c)
		}
	}
}

// settledOutcome takes one result of a command for another.
func settledOutcome(from, to watchdog.Result) lie {
	return outcomes(func(o *watchdog.Outcome) {
		if o.Result == from {
			o.Result = to
		}
	})
}

// freeFailures takes a start that failed for one that was refused, which costs nothing.
func freeFailures(o *watchdog.Outcome) {
	if o.Result == watchdog.ResultFailed && strings.Contains(o.Key, "/respawn/") {
		o.Result = watchdog.ResultRefused
	}
}
