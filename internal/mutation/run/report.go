package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// errLives says that something lives that is not explained, or is explained that does not live.
var errLives = errors.New("not all mutants are killed or explained")

// maxExplained is which part of the mutants may be explained.
const maxExplained = 0.1

// report tells what became of the mutants; its error says that this is not good enough.
func (s *session) report(w io.Writer, took time.Duration) error {
	count := map[proof]int{}
	var lives, stale []string
	known, unreached := 0, 0
	for _, m := range s.chosen {
		mutant := &s.mutants[m]
		id := mutant.ID()
		if len(s.killers(m)) == 0 {
			unreached++
		}
		switch f := s.fates.by[id]; {
		case f.By != "" && s.reasons[id] != "":
			stale = append(stale, strings.TrimSpace(fmt.Sprintf("%s: killed by %s %s", id, f.By, f.Case)))
		case f.By != "":
			count[f.By]++
		case s.reasons[id] != "":
			known++
		default:
			lives = append(lives, mutant.Place+" "+id)
		}
	}
	fmt.Fprintf(w, "%d mutants of %s, %d chosen, %d of them do otherwise in no scenario\n", len(s.mutants), strings.Join(enginePackages, ", "), len(s.chosen), unreached)
	for _, p := range proofs() {
		fmt.Fprintf(w, "%6d killed by: %s\n", count[p], p)
	}
	fmt.Fprintf(w, "%6d live, explained in %s\n%6d live, not explained\n", known, explanations, len(lives))
	fmt.Fprintf(w, "in %s\n", took.Round(time.Second))
	for _, id := range lives {
		fmt.Fprintln(w, "LIVES", id)
	}
	for _, id := range stale {
		fmt.Fprintln(w, "EXPLAINED,", id)
	}
	if float64(len(s.reasons)) > maxExplained*float64(len(s.mutants)) {
		return fmt.Errorf("%w: %d of %d are explained, and at most a tenth may be", errLives, len(s.reasons), len(s.mutants))
	}
	if len(lives)+len(stale) > 0 {
		return errLives
	}
	return nil
}
