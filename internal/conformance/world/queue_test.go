package world

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The order of the queue is total: by time, then priority, then scheduling, whatever was pushed, popped and put back.
func TestQueueOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var want []event
		n := rapid.IntRange(0, 60).Draw(t, "n")
		for range n {
			q.push(event{
				at:       time.Duration(rapid.IntRange(0, 5).Draw(t, "at")),
				priority: priority(rapid.IntRange(0, 4).Draw(t, "priority")),
			})
		}
		want = append(want, q.heap...)
		slices.SortFunc(want, func(a, b event) int {
			if a.before(&b) {
				return -1
			}
			return 1
		})
		if n > 0 && rapid.Bool().Draw(t, "put back") {
			q.insert(q.pop())
		}
		for i := range want {
			if got := q.pop(); got != want[i] {
				t.Fatalf("event %d: got %+v, want %+v", i, got, want[i])
			}
		}
		if q.len() != 0 {
			t.Fatalf("%d events left", q.len())
		}
	})
}
