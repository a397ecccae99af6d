package engine_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestManyCalls: of more calls at once than are kept, those that are kept are judged by their own declared limits
// (WDC-SAFE-001, WDC-TOOL-004).
func TestManyCalls(t *testing.T) {
	var script strings.Builder
	script.WriteString("policy tool=1m\n0s w1 begins\n1s w1 end assistant stop=toolUse calls=100\n")
	for i := range 100 {
		fmt.Fprintf(&script, "1s w1 tool c%d timeout=%d\n", i, 300+i)
	}
	script.WriteString("until 6m\n")
	said := play(t, script.String())
	const want = "5m31s w1 stalled_tool suspected running_tool/tool since=1s" // 300 s and the grace of what is declared
	if !strings.Contains(said, want) {
		t.Errorf("want %s, got\n%s", want, said)
	}
}
