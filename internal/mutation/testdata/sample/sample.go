// Package sample has one of everything that can be changed.
package sample

import "time"

const limit = 3 // a constant stays

type name string

type counter struct{ n int }

func (c *counter) add(n int) {
	for range n {
		c.n++ // a comment behind a statement
	}
	if c.n > limit && n != 0 {
		c.reset(true)
		return
	}
	_ = n
}

func (c *counter) reset(hard bool) {
	if !hard || c.n <
		0 {
		panic("soft")
	}
	c.n = 0
}

func due(at, now time.Duration, done bool) bool {
	switch {
	case done:
		return false
	case at >= 2*time.Second+now:
		return true
	}
	return len(word(1)) == 0
}

func word(n int) name {
	if n-1 <= 0 {
		return "one"
	}
	return ""
}

var table = []func() bool{
	func() bool { return word(2*len(word(1))) != "" },
}
