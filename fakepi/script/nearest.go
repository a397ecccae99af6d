package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Suggest is the hint for an unknown word: the one that it most likely means, and all that are known.
func Suggest(word string, known []string) string {
	hint := "known: " + strings.Join(known, ", ")
	if near := nearest(word, known); near != "" {
		hint = fmt.Sprintf("did you mean %s? %s", near, hint)
	}
	return hint
}

// nearest returns the known word that a mistyped one most likely means, or "".
func nearest(word string, known []string) string {
	best, least := "", 1+len(word)/3
	for _, k := range known {
		if d := distance(word, k); d <= least && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of letters to insert, delete, replace or swap with their neighbour (Damerau and Levenshtein).
func distance(a, b string) int {
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func join[V any](m map[string]V) string { return strings.Join(keys(m), ", ") }
