package engine_test

import (
	"strings"
	"testing"

	"fakepi.example/watchdog/engine"
)

// TestStrange tells records that no known dialect writes where they stand from those that one may (WDC-OBS-003): Pi's own
// records come in their order, and whoever missed a piece of the stream does not know.
func TestStrange(t *testing.T) {
	const (
		begin = "agent_start; turn_start; start user; end user; "
		novel = "novelty"
	)
	for _, row := range []struct {
		reason, events string
		want           bool
	}{
		{"a whole run", begin + "delta; end assistant; turn_end; agent_end; agent_settled", false},
		{"an unknown record in a run", begin + novel, false},
		{"before a called tool starts", begin + "delta; end assistant stop=toolUse calls=1; " + novel, true},
		{"that, after a gap", "gap out; agent_end; " + begin + "delta; gap out; end assistant stop=toolUse calls=1; " + novel, false},
		{"that, in the run after the gap", "gap out; " + begin + "delta; end assistant stop=toolUse calls=1; " + novel, true},
		{"before the terminal event", begin + "delta; end assistant; agent_end; " + novel, true},
		{"where no terminal event is due", begin + "old_delta; end assistant; agent_end old; " + novel, false},
		{"after the terminal event", begin + "delta; end assistant; agent_end; agent_settled; " + novel, false},
		{"before an announced retry", begin + "delta; end assistant stop=error error=x; agent_end retry; " + novel, false},
		{"an update that says nothing", begin + `{ "type":"message_update","usage":{}}`, true},
		{"an update of a new kind", begin + `{ "type":"message_update","assistantMessageEvent":{"type":"novelty"}}`, true},
		{"a request of a new kind", begin + "ask novelty", true},
		{"a request of a known kind", begin + "ask select", false},
		{"settled in a turn", begin + "agent_settled", true},
		{"settled before the first turn", "agent_start; agent_settled", false},
		{"settled before the first turn of another run", begin + "delta; end assistant; agent_end; agent_settled; agent_start; agent_settled", false},
		{"a turn outside of a run", "turn_start", true},
		{"text that did not stream", begin + "end assistant", true},
		{"calls that did not stream", begin + "end assistant text=no calls=1 stop=toolUse", true},
		{"thoughts that did not stream", begin + `{ "type":"message_end","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"}],"stopReason":"stop"}}`, true},
		{"nothing, that did not stream", begin + "end assistant text=no", false},
		{"an error before anything streamed", begin + `{ "type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"x"}],"stopReason":"error"}}`, false},
		{"an abort before anything streamed", begin + "end assistant stop=aborted", false},
		{"a stop reason of a new kind", begin + "delta; end assistant stop=novelty", true},
		{"a result of a call", begin + "delta; end assistant stop=toolUse calls=1; tool c1; tool_end c1; end toolResult", false},
		{"two results of one call", begin + "delta; end assistant stop=toolUse calls=1; tool c1; tool_end c1; end toolResult; end toolResult", true},
		{"a result that the last reply owed", begin + "delta; end assistant stop=toolUse calls=2; tool c1; tool c2; tool_end c1; tool_end c2; end toolResult; " +
			"turn_end; turn_start; delta; end assistant; end toolResult", true},
		{"results of the first reply and of the second", begin + "delta; end assistant stop=toolUse calls=1; tool c1; tool_end c1; end toolResult; " +
			"turn_end; turn_start; delta; end assistant stop=toolUse calls=1; tool c1; tool_end c1; end toolResult", false},
	} {
		script := "0s w1 spawn rpc\n0s w1 in prompt\n"
		for _, event := range strings.Split(row.events, "; ") {
			script += "0s w1 " + event + "\n"
		}
		if got := engine.Strange(newDialogue(t, script).engine, "w1"); got != row.want {
			t.Errorf("%s: got %t, want %t", row.reason, got, row.want)
		}
	}
}
