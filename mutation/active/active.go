// Package active is what code that was rewritten by package mutation asks at run time: whether a mutant is switched on.
// One program holds all mutants of a package that way, and is built once.
//
// The switch is one for the whole program, and not safe for concurrent use: a program plays one mutant at a time. Nothing
// of the product imports this package; only a rewritten copy does.
package active

import (
	"cmp"
	"os"
	"strconv"
)

// None is no mutant: the code does what its author wrote.
const None = -1

// Variable names the environment variable that switches a mutant on when a program starts.
const Variable = "MUTANT"

// fuel is how many turns of loops a history may take: a mutant that turns for ever is stopped by a panic.
const fuel = 5_000_000

const unlimited = 1 << 62

var (
	on        = fromEnvironment()
	left      = unlimited // until a mutant is switched on by the program: a test has its own time limit
	recording bool
	reached   []bool
)

func fromEnvironment() int {
	n, err := strconv.Atoi(os.Getenv(Variable))
	if err != nil {
		return None
	}
	return n
}

// Switch turns one mutant on, and all others off.
func Switch(mutant int) { on, left = mutant, fuel }

// Refuel lets loops turn afresh.
func Refuel() { left = fuel }

// Record runs f and returns the mutants that it reached, in their order.
func Record(f func()) (mutants []int) {
	recording, reached = true, nil
	defer func() { recording = false }()
	f()
	for n, ok := range reached {
		if ok {
			mutants = append(mutants, n)
		}
	}
	return mutants
}

func record(mutant int) {
	for len(reached) <= mutant {
		reached = append(reached, false)
	}
	reached[mutant] = true
}

// On reports whether a mutant is on. The functions below ask it for what they stand for in the code.
func On(mutant int) bool {
	if recording {
		record(mutant)
	}
	return mutant == on
}

// Burn counts a turn of a loop.
func Burn() {
	if left--; left < 0 && on != None {
		panic("mutant: a loop without end")
	}
}

// Not is v, or its negation.
func Not(mutant int, v bool) bool { return v != On(mutant) }

// Zero is v, or nothing.
func Zero[T any](mutant int, v T) T {
	if On(mutant) {
		var zero T
		return zero
	}
	return v
}

// Inc is n, or one more.
func Inc(mutant, n int) int {
	if On(mutant) {
		return n + 1
	}
	return n
}

// Less is a < b, or with the next two mutants a <= b and a >= b.
func Less[T cmp.Ordered](mutant int, a, b T) bool { return order(mutant, a, b, a < b, a <= b) }

// LessEqual is a <= b, or a < b and a > b.
func LessEqual[T cmp.Ordered](mutant int, a, b T) bool { return order(mutant, a, b, a <= b, a < b) }

// Greater is a > b, or a >= b and a <= b.
func Greater[T cmp.Ordered](mutant int, a, b T) bool { return order(mutant, a, b, a > b, a >= b) }

// GreaterEqual is a >= b, or a > b and a < b.
func GreaterEqual[T cmp.Ordered](mutant int, a, b T) bool { return order(mutant, a, b, a >= b, a > b) }

func order[T cmp.Ordered](mutant int, _, _ T, right, boundary bool) bool {
	switch {
	case On(mutant):
		return boundary
	case On(mutant + 1):
		return !right
	}
	return right
}

// number is what can be reckoned with.
type number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Plus is a + b, or a - b.
func Plus[T number](mutant int, a, b T) T {
	if On(mutant) {
		return a - b
	}
	return a + b
}

// Minus is a - b, or a + b.
func Minus[T number](mutant int, a, b T) T {
	if On(mutant) {
		return a + b
	}
	return a - b
}

// Times is a * b, or a + b.
func Times[T number](mutant int, a, b T) T {
	if On(mutant) {
		return a + b
	}
	return a * b
}

// Over is a / b, or a * b.
func Over[T number](mutant int, a, b T) T {
	if On(mutant) {
		return a * b
	}
	return a / b
}
