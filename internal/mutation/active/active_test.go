package active_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/mutation/active"
)

// TestOperators asks what each mutant makes of an operator.
func TestOperators(t *testing.T) {
	t.Cleanup(func() { active.Switch(active.None) })
	for _, row := range []struct {
		reason  string
		f       func(a, b int) any
		a, b    int
		off     any
		on, two any // with the first mutant, and with the second
	}{
		{"less, below", func(a, b int) any { return active.Less(1, a, b) }, 1, 2, true, true, false},
		{"less, at the boundary", func(a, b int) any { return active.Less(1, a, b) }, 2, 2, false, true, true},
		{"less or equal, at the boundary", func(a, b int) any { return active.LessEqual(1, a, b) }, 2, 2, true, false, false},
		{"greater, at the boundary", func(a, b int) any { return active.Greater(1, a, b) }, 2, 2, false, true, true},
		{"greater or equal, above", func(a, b int) any { return active.GreaterEqual(1, a, b) }, 3, 2, true, true, false},
		{"not", func(a, b int) any { return active.Not(1, a == b) }, 1, 1, true, false, true},
		{"operand of an and", func(a, b int) any { return active.True(1, a == b) }, 1, 2, false, true, false},
		{"operand of an or", func(a, b int) any { return active.False(1, a == b) }, 1, 1, true, false, true},
		{"sum", func(a, b int) any { return active.Plus(1, a, b) }, 5, 3, 8, 2, 8},
		{"difference", func(a, b int) any { return active.Minus(1, a, b) }, 5, 3, 2, 8, 2},
		{"product", func(a, b int) any { return active.Times(1, a, b) }, 5, 3, 15, 8, 15},
		{"quotient", func(a, b int) any { return active.Over(1, a, b) }, 6, 3, 2, 18, 2},
		{"literal", func(a, _ int) any { return active.Inc(1, a) }, 5, 0, 5, 6, 5},
		{"result", func(a, _ int) any { return active.Zero(1, a) }, 5, 0, 5, 0, 5},
	} {
		var got []any
		for _, mutant := range []int{active.None, 1, 2} {
			active.Switch(mutant)
			got = append(got, row.f(row.a, row.b))
		}
		if diff := cmp.Diff([]any{row.off, row.on, row.two}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestRecord(t *testing.T) {
	got := active.Record(func() {
		active.On(3)
		active.Not(5, true)
		active.True(6, true) // would change nothing
		active.Plus(8, 1, 0) // nor would this
		active.Less(9, 1, 2) // 9 would not, 10 would
	})
	active.On(7) // is not recorded
	if diff := cmp.Diff([]int{3, 5, 10}, got); diff != "" {
		t.Errorf("reached (-want +got):\n%s", diff)
	}
}

// TestBurn turns for ever: with a mutant on, a panic ends it.
func TestBurn(t *testing.T) {
	active.Switch(1)
	defer func() {
		active.Switch(active.None)
		if recover() == nil {
			t.Error("a loop without end ended by itself")
		}
	}()
	for {
		active.Burn()
	}
}
