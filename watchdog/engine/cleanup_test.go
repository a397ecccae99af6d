package engine_test

import (
	"strings"
	"testing"

	"fakepi.example/watchdog"
)

// finished is a worker of whose worktree nothing is needed any more; the owner is asked about it.
const finished = `durable autonomous
answer processes gone proc
answer world d1 head=h1 remote=h1 gate=tests:passed:ci
on snapshot done digest=d1
on prove_restore done digest=d1
on propose done
quiet notify
0s w1 spawn json
0s w1 agent_start
1s w1 delta
2s w1 end assistant
2s w1 turn_end
2s w1 agent_end
2s w1 agent_settled
2s w1 exit 0
3s w1 row status=done
until 1m`

// hung is a worker that the owner is asked to have stopped.
const hung = `durable
answer processes 100:agent:S:1s
answer world d1 head=h1
on snapshot done digest=d1
on propose done
quiet notify
policy stall=5m
0s w1 spawn rpc
0s w1 agent_start
1s w1 delta
until 10m`

// Of what is seen in one step the later counts: whoever says no and arms again, or commits, is asked again, whoever arms
// again and says no is not (WDC-GATE-003, WDC-BUDG-005).
func TestNoAndRearmInOneStep(t *testing.T) {
	const clean, stop = "w1/1/1/propose_remove_worktree/", "w1/1/1/propose_abort/"
	no := func(item string) watchdog.Body { return watchdog.Owner{Item: item + "1", Proof: outside()} }
	yes := watchdog.Owner{Item: stop + "1", Approve: true, Digest: "d1", Proof: outside()}
	commit := watchdog.Worktree{Head: "h2", Remote: "h2", Gates: []watchdog.Gate{{Name: "tests", Status: watchdog.GatePassed, By: "ci"}}}
	rearm := watchdog.Operator{Intent: watchdog.IntentRearm, Proof: outside()}
	for _, row := range []struct {
		reason string
		story  string
		item   string
		words  []watchdog.Body
		again  bool
	}{
		{"keep it, and then again", finished, clean, []watchdog.Body{no(clean), rearm}, true},
		{"again, and then keep it", finished, clean, []watchdog.Body{rearm, no(clean)}, false},
		{"a commit, and then keep it", finished, clean, []watchdog.Body{commit, no(clean)}, false},
		{"keep it, and then a commit", finished, clean, []watchdog.Body{no(clean), commit}, true},
		{"keep it", finished, clean, []watchdog.Body{no(clean)}, false},
		{"no, and then again", hung, stop, []watchdog.Body{no(stop), rearm}, true},
		{"again, and then no", hung, stop, []watchdog.Body{rearm, no(stop)}, false},
		{"yes, and then again", hung + "\non snapshot done digest=d2", stop, []watchdog.Body{yes, rearm}, false},
		{"no", hung, stop, []watchdog.Body{no(stop)}, false},
	} {
		d := newDialogue(t, row.story)
		d.observe("w1", row.words...)
		if got := strings.Contains(d.said.String(), row.item+"2"); got != row.again {
			t.Errorf("%s: asked again: %t, want %t", row.reason, got, row.again)
		}
	}
}
