package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"fakepi.example/watchdog/journal"
)

// TestUnsavedCallsAreBounded: of a worker that never shows the results of its calls, as many calls are remembered as may be
// open at once (WDC-SAFE-001, WDC-SIDE-005).
func TestUnsavedCallsAreBounded(t *testing.T) {
	var script strings.Builder
	script.WriteString("durable\nanswer processes gone proc\n0s w1 begins\n")
	for i := range 65 {
		fmt.Fprintf(&script, "1s w1 tool c%d\n1s w1 tool_end c%d\n", i, i)
	}
	script.WriteString("2s w1 killed SIGKILL\n")
	data, err := newDialogue(t, script.String()).durable.memory.Read()
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	if _, err := journal.Replay(data, func(r journal.Record) error {
		if _, ok := r.Body.(journal.Call); ok {
			calls++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if calls != 64 {
		t.Errorf("%d calls are remembered, want 64", calls)
	}
}
