package explore_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"fakepi.example/internal/conformance/explore"
	"fakepi.example/internal/conformance/world"
)

// tree draws a tree of choices: what is offered behind a path, and of which kind.
func tree(t *rapid.T) func([]int) (int, world.Point) {
	depth := rapid.IntRange(0, 6).Draw(t, "depth")
	salt := rapid.IntRange(1, 1000).Draw(t, "salt")
	return func(path []int) (int, world.Point) {
		if len(path) >= depth {
			return 0, 0
		}
		h := salt
		for _, p := range path {
			h = h*31 + p + 1
		}
		if n := len(path); n > 0 && path[n-1] > 0 && h%3 == 0 {
			return 3, world.PointDowntime
		}
		return 2 + h%2, world.PointOrder
	}
}

// Whatever choices a history has, and whatever choices follow from them, every way through is played exactly once, and
// those with fewer deviations first.
func TestComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ways := tree(t)
		e := explore.New(everything)
		played, last := map[string]bool{}, 0
		for vector, more := e.Next(); more; vector, more = e.Next() {
			path, taken := walk(ways, vector)
			key := fmt.Sprint(path)
			if played[key] {
				t.Fatalf("%v is played twice", path)
			}
			played[key] = true
			n := deviations(taken)
			if n < last {
				t.Fatalf("%v comes after one with %d deviations", vector, last)
			}
			last = n
			if e.Played(vector, taken); e.Reach().Deviations > n {
				t.Fatalf("%v is said to be beyond what was reached", vector)
			}
		}
		if leaves := countLeaves(ways, nil); len(played) != leaves || !e.Reach().Complete {
			t.Fatalf("%d of %d ways were played, and it says %s", len(played), leaves, e.Reach())
		}
	})
}

// What is not allowed is not played, and does not count as missing.
func TestAllowed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ways := tree(t)
		e := explore.New(func(c *world.Choice) bool { return c.Point != world.PointDowntime })
		for vector, more := e.Next(); more; vector, more = e.Next() {
			_, taken := walk(ways, vector)
			for _, c := range taken {
				if c.Point == world.PointDowntime && c.Picked != 0 {
					t.Fatalf("%v deviates where it must not", vector)
				}
			}
			e.Played(vector, taken)
		}
		if !e.Reach().Complete {
			t.Fatalf("it says %s", e.Reach())
		}
	})
}

func TestReach(t *testing.T) {
	ways := func(path []int) (int, world.Point) { return min(2, 2*(10-len(path))), world.PointOrder } // ten of two ways
	cases := []struct {
		played int
		want   string
	}{
		{1, "every history with up to 0 deviations, and 0 with one more"},
		{5, "every history with up to 0 deviations, and 4 with one more"},
		{11, "every history with up to 1 deviation, and 0 with one more"},
		{14, "every history with up to 1 deviation, and 3 with one more"},
		{1024, "complete"},
	}
	for _, c := range cases {
		e := explore.New(everything)
		for range c.played {
			vector, _ := e.Next()
			_, taken := walk(ways, vector)
			e.Played(vector, taken)
		}
		if got := e.Reach().String(); got != c.want {
			t.Errorf("after %d: got %q, want %q", c.played, got, c.want)
		}
	}
}

// A budget that ends among the single deviations, or among the pairs, has seen some from all over the history.
func TestSpread(t *testing.T) {
	const places = 40
	ways := func(path []int) (int, world.Point) { return min(2, 2*(places-len(path))), world.PointOrder }
	e := explore.New(everything)
	first, second := map[int]bool{}, map[int]bool{}
	early := 0 // of the first ten single deviations, those in the first half
	for i := range 1 + places + places {
		vector, _ := e.Next()
		if i > 0 && i <= 10 && len(vector) <= places/2 {
			early++
		}
		_, taken := walk(ways, vector)
		e.Played(vector, taken)
		if deviations(taken) == 2 {
			for i, pick := range vector[:len(vector)-1] {
				if pick != 0 {
					first[i], second[len(vector)-1] = true, true
				}
			}
		}
	}
	if early < 3 || early > 7 {
		t.Errorf("%d of the first ten single deviations are in the first half; want about five", early)
	}
	if len(first) < places-1 || len(second) < places/4 {
		t.Errorf("%d pairs begin at %d places and end at %d; want them from everywhere", places, len(first), len(second))
	}
}

func everything(*world.Choice) bool { return true }

// walk follows a vector to its leaf.
func walk(ways func([]int) (int, world.Point), vector []int) ([]int, []world.Choice) {
	c := world.NewChooser(vector)
	var path []int
	for n, point := ways(path); n > 0; n, point = ways(path) {
		path = append(path, c.Choose(world.Choice{Point: point, N: n}))
	}
	return path, c.Taken()
}

func countLeaves(ways func([]int) (int, world.Point), path []int) int {
	n, _ := ways(path)
	if n == 0 {
		return 1
	}
	total := 0
	for pick := range n {
		total += countLeaves(ways, append(path[:len(path):len(path)], pick))
	}
	return total
}

func deviations(taken []world.Choice) int {
	n := 0
	for _, c := range taken {
		if c.Picked != 0 && c.Point != world.PointDowntime {
			n++
		}
	}
	return n
}
