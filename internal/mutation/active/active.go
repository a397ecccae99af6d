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

// Record runs f and returns the mutants that it reached, in their order: those that would have done otherwise there.
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

// On reports whether a mutant is on.
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

// either is v, or with the mutant on the other value. Where both are the same the mutant is not reached: it changes nothing.
func either[T comparable](mutant int, v, other T) T {
	if recording && v != other {
		record(mutant)
	}
	if mutant == on {
		return other
	}
	return v
}

// Not is v, or its negation. It and the functions below stand for what is in the code.
func Not(mutant int, v bool) bool { return either(mutant, v, !v) }

// True is v, or true: an operand of && is left out.
func True(mutant int, v bool) bool { return either(mutant, v, true) }

// False is v, or false: an operand of || is left out.
func False(mutant int, v bool) bool { return either(mutant, v, false) }

// Zero is v, or nothing.
func Zero[T comparable](mutant int, v T) T {
	var zero T
	return either(mutant, v, zero)
}

// Inc is n, or one more.
func Inc(mutant, n int) int { return either(mutant, n, n+1) }

// Less is a < b, or with the next two mutants a <= b and a >= b.
func Less[T cmp.Ordered](mutant int, a, b T) bool { return order(mutant, a < b, a <= b) }

// LessEqual is a <= b, or a < b and a > b.
func LessEqual[T cmp.Ordered](mutant int, a, b T) bool { return order(mutant, a <= b, a < b) }

// Greater is a > b, or a >= b and a <= b.
func Greater[T cmp.Ordered](mutant int, a, b T) bool { return order(mutant, a > b, a >= b) }

// GreaterEqual is a >= b, or a > b and a < b.
func GreaterEqual[T cmp.Ordered](mutant int, a, b T) bool { return order(mutant, a >= b, a > b) }

func order(mutant int, right, boundary bool) bool {
	return either(mutant+1, either(mutant, right, boundary), !right)
}

// number is what can be reckoned with.
type number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Plus is a + b, or a - b.
func Plus[T number](mutant int, a, b T) T { return either(mutant, a+b, a-b) }

// Minus is a - b, or a + b.
func Minus[T number](mutant int, a, b T) T { return either(mutant, a-b, a+b) }

// Times is a * b, or a + b.
func Times[T number](mutant int, a, b T) T { return either(mutant, a*b, a+b) }

// Over is a / b, or a * b.
func Over[T number](mutant int, a, b T) T { return either(mutant, a/b, a*b) }
