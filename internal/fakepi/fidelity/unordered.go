package fidelity

import (
	"slices"
	"strings"

	"fakepi.example/fakepi/native"
)

// ordered is rule 5 for tools of which the outputs or ends come too close to each other: updates of tools are dropped, and
// their ends that follow each other stand in the order of their starts.
func ordered(records []Record) []Record {
	starts := map[string]int{}
	var out []Record
	for _, r := range records {
		if !strings.HasPrefix(r.Kind, "tool_execution_update") {
			out = append(out, r)
		}
		if strings.HasPrefix(r.Kind, "tool_execution_start") {
			starts[callOf(r)] = len(starts)
		}
	}
	for i := 0; i < len(out); {
		ends := 0
		for i+ends < len(out) && strings.HasPrefix(out[i+ends].Kind, "tool_execution_end") {
			ends++
		}
		slices.SortStableFunc(out[i:i+ends], func(a, b Record) int { return starts[callOf(a)] - starts[callOf(b)] })
		i += max(1, ends)
	}
	return out
}

func callOf(r Record) string {
	o, _ := r.Value.(native.Object)
	return o.Text("toolCallId")
}
