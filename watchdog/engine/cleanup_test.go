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

// Of two words that are seen in one step the later one counts: whoever says no and arms again is asked again, whoever arms
// again and says no is not (WDC-GATE-003, WDC-BUDG-005).
func TestNoAndRearmInOneStep(t *testing.T) {
	const item = "w1/1/1/propose_remove_worktree/"
	no := watchdog.Owner{Item: item + "1", Proof: outside()}
	rearm := watchdog.Operator{Intent: watchdog.IntentRearm, Proof: outside()}
	for _, row := range []struct {
		reason string
		words  []watchdog.Body
		again  bool
	}{
		{"no, and then again", []watchdog.Body{no, rearm}, true},
		{"again, and then no", []watchdog.Body{rearm, no}, false},
		{"no", []watchdog.Body{no}, false},
	} {
		d := newDialogue(t, finished)
		d.observe("w1", row.words...)
		if got := strings.Contains(d.said.String(), item+"2"); got != row.again {
			t.Errorf("%s: asked again: %t, want %t", row.reason, got, row.again)
		}
	}
}
