package conformance

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"fakepi.example/conformance/world"
)

// Whatever choices a history has, and whatever choices follow from them, every way through is played exactly once, and
// those with fewer deviations first.
func TestOrdersAreComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		depth := rapid.IntRange(0, 5).Draw(t, "depth")
		salt := rapid.IntRange(1, 1000).Draw(t, "salt")
		ways := func(path []int) int { // how many ways there are behind a path
			if len(path) >= depth {
				return 0
			}
			h := salt
			for _, p := range path {
				h = h*31 + p + 1
			}
			return 2 + h%2
		}
		leaves := countLeaves(ways, nil)
		todo := newOrders(10_000)
		played, last := map[string]bool{}, 0
		for vector, more := todo.next(); more; vector, more = todo.next() {
			path, taken := walk(ways, vector)
			key := fmt.Sprint(path)
			if played[key] {
				t.Fatalf("%v is played twice", path)
			}
			played[key] = true
			if n := deviations(vector); n < last {
				t.Fatalf("%v comes after one with %d deviations", vector, last)
			} else {
				last = n
			}
			todo.played(vector, taken)
		}
		if len(played) != leaves || todo.capped {
			t.Fatalf("%d of %d ways were played, capped %t", len(played), leaves, todo.capped)
		}
	})
}

func TestOrdersAreCapped(t *testing.T) {
	todo := newOrders(5)
	n := 0
	for vector, more := todo.next(); more; vector, more = todo.next() {
		n++
		_, taken := walk(func(path []int) int {
			if len(path) == 10 {
				return 0
			}
			return 2
		}, vector)
		todo.played(vector, taken)
	}
	if n != 5 || !todo.capped {
		t.Errorf("%d histories, capped %t; want 5 of 1024, and told so", n, todo.capped)
	}
}

func countLeaves(ways func([]int) int, path []int) int {
	n := ways(path)
	if n == 0 {
		return 1
	}
	total := 0
	for pick := range n {
		total += countLeaves(ways, append(path[:len(path):len(path)], pick))
	}
	return total
}

// walk follows a vector to its leaf.
func walk(ways func([]int) int, vector []int) ([]int, []world.Choice) {
	c := world.NewChooser(vector)
	var path []int
	for n := ways(path); n > 0; n = ways(path) {
		path = append(path, c.Choose(world.PointOrder, n, "way"))
	}
	return path, c.Taken()
}

func deviations(vector []int) int {
	n := 0
	for _, pick := range vector {
		if pick != 0 {
			n++
		}
	}
	return n
}
