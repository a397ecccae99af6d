package explore

import "math"

// maxWays bounds the ways of one choice beside the first that are explored: more than the world offers.
const maxWays = math.MaxUint8

// parent is a played vector and those that deviate from it once more, which it gives one after the other.
type parent struct {
	vector []int
	named  []way   // that the scenario names, to be given first
	ways   []uint8 // by place behind the vector: how many other ways are to be given behind those
	total  int     // of them
	given  int
	stride int // from one to the next; without a factor in common with total
}

// way is a place behind the vector, and what is picked there.
type way struct{ place, pick int }

// add notes a choice behind the vector, with so many other ways.
func (p *parent) add(others int, named bool) {
	if named {
		for pick := 1; pick <= others; pick++ {
			p.named = append(p.named, way{len(p.ways), pick})
		}
		others = 0
	}
	p.ways = append(p.ways, uint8(others))
	p.total += others
}

func (p *parent) left() int { return len(p.named) + p.total - p.given }

// next returns the next vector. What the scenario names comes first; the rest is spread over the history, so that a budget
// which ends among it has seen some of everywhere.
func (p *parent) next() []int {
	if len(p.named) > 0 {
		w := p.named[0]
		p.named = p.named[1:]
		return p.deviating(w.place, w.pick)
	}
	if p.stride == 0 {
		p.stride = spread(p.total)
	}
	place, pick := p.way(p.given * p.stride % p.total)
	p.given++
	return p.deviating(place, pick)
}

// deviating is the vector with one more pick.
func (p *parent) deviating(place, pick int) []int {
	vector := make([]int, len(p.vector)+place+1)
	copy(vector, p.vector)
	vector[len(vector)-1] = pick
	return vector
}

// way finds the i-th of all ways: its place behind the vector, and what is picked there.
func (p *parent) way(i int) (place, pick int) {
	for place, n := range p.ways {
		if i < int(n) {
			return place, i + 1
		}
		i -= int(n)
	}
	panic("explore: a way beyond the last") // total is their sum
}

// spread is a stride near the golden section of n that reaches every one of n places.
func spread(n int) int {
	s := max(1, int(float64(n)*(math.Sqrt(5)-1)/2))
	for divisor(s, n) != 1 {
		s++
	}
	return s
}

// divisor is the greatest that two numbers have in common.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
