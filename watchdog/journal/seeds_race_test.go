//go:build race

package journal_test

// seeds is small here: a life runs in one goroutine, where the race detector sees nothing and takes its time.
const seeds = 20
