package main

import (
	"cmp"
	"errors"
	"fmt"
	"path"

	"github.com/spf13/cobra"

	"fakepi.example/conformance"
	"fakepi.example/conformance/report"
	"fakepi.example/internal/watchdog/mutants"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
)

// mutantSubject makes a mutant a subject of the suite.
type mutantSubject struct{ mutants.Mutant }

func (m mutantSubject) Name() string { return "mutant " + m.ID }

func (m mutantSubject) Start(boot watchdog.Boot) (watchdog.Watchdog, error) { return m.New(boot) }

func subjects(all []mutants.Mutant) []conformance.Mutant {
	var list []conformance.Mutant
	for _, m := range all {
		list = append(list, conformance.Mutant{
			ID: m.ID, Kind: conformance.Kind(m.Kind), Requirement: m.Requirement, Subject: mutantSubject{m},
			Acts: m.Acts, Dialect: m.Dialect, Why: m.Why,
		})
	}
	return list
}

// named lists the mutants whose ids fit a pattern; the empty one fits all.
func named(all []mutants.Mutant, pattern string) ([]mutants.Mutant, error) {
	if pattern == "" {
		return all, nil
	}
	var some []mutants.Mutant
	for _, m := range all {
		fits, err := path.Match(pattern, m.ID)
		if err != nil {
			return nil, fmt.Errorf("mutant %q is no pattern: write it like *-stall", pattern)
		}
		if fits {
			some = append(some, m)
		}
	}
	if len(some) == 0 {
		return nil, fmt.Errorf("no mutant fits %q; piconform mutants --json lists them", pattern)
	}
	return some, nil
}

func mutantsCommand() *cobra.Command {
	var what choice
	var first, asJSON bool
	var only string
	var doc killMatrix
	cmd := &cobra.Command{
		Use:   "mutants",
		Short: "Show that the suite can fail: run watchdogs that are wrong on purpose",
		Long: `mutants runs the reference made wrong in one way after the other, and some variants that are different but right. A bad
mutant is killed by a failed assertion on the one requirement that it breaks; a crash kills nothing. What else it
breaks is told as well, and which MUSTs no mutant breaks. A bad mutant that lives, or a benign one of which anything
was found, is exit code 1; so is a watchdog that answers nothing, where a case does not fail that expects something.

With --first-kill a mutant is left once it is known for what it is, and benign ones are played in base histories: enough to
see that the suite can fail, in a fraction of the time. With --doc it is done in every dialect, and what became of the
mutants is compared with that file.

With --json it prints one object: mutants (id, kind, requirement, killed_by, further, crashes), bad, killed, benign,
flagged; and scenarios, distinct, duplicates: two scenarios of one requirement that say and catch the same count once.`,
		Example: `  piconform mutants
  piconform mutants --json | jq '.mutants[] | select(.killed_by == [])'`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := named(mutants.All(), only)
			if err != nil {
				return err
			}
			if doc.file == "" {
				_, err := what.mutants(cmd, subjects(list), first, asJSON)
				return err
			}
			found := map[string]*conformance.Matrix{}
			var failed error
			for _, d := range scenarios.Dialects() {
				what.dialect = d
				m, err := what.mutants(cmd, subjects(list), first, asJSON)
				if m == nil {
					return err
				}
				found[d] = m
				failed = errors.Join(failed, err)
			}
			return errors.Join(failed, doc.check(list, found))
		},
	}
	what.flags(cmd)
	doc.flags(cmd)
	cmd.Flags().StringVar(&only, "mutant", "", "only the mutants that fit this `pattern`, such as '*-stall'")
	cmd.Flags().BoolVar(&first, "first-kill", false, "leave a bad mutant when it is killed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// mutants runs mutants through the matrix and reports what became of them; its error is the exit code.
func (c *choice) mutants(cmd *cobra.Command, list []conformance.Mutant, first, asJSON bool) (*conformance.Matrix, error) {
	set, all, err := matrix()
	if err != nil {
		return nil, err
	}
	c.seed = cmp.Or(c.seed, defaultSeed) // a kill that depends on chance proves nothing
	options, err := c.options(set)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if _, ok := set.Lookup(m.Requirement); m.Kind == conformance.Bad && !ok {
			return nil, fmt.Errorf("mutant %s breaks %q, which is no requirement of the set", m.ID, m.Requirement)
		}
	}
	var clear func()
	options.Progress, clear = progress(cmd.ErrOrStderr(), "mutants")
	kills, err := conformance.KillMatrix(cmd.Context(), list, all, conformance.MatrixOptions{Options: options, FirstKill: first})
	clear()
	if err != nil {
		return nil, err
	}
	found := report.Kills{Matrix: kills, Dialect: c.dialect}
	if options.Progress = nil; !first {
		right, err := conformance.Run(cmd.Context(), reference{}, all, options)
		if err != nil {
			return nil, err
		}
		found.Scenarios, found.Duplicates = right.Scenarios, conformance.Duplicates(right, kills)
	}
	w := cmd.OutOrStdout()
	if asJSON {
		err = report.MatrixJSON(w, found, set)
	} else {
		err = report.MatrixText(w, found, set, colored(w))
	}
	if err != nil {
		return nil, err
	}
	if !kills.Holds() {
		return kills, exit(exitFailed)
	}
	return kills, nil
}
