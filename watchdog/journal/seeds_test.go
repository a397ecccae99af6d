//go:build !race

package journal_test

// seeds is how many random lives TestCrashes plays.
const seeds = 1000
