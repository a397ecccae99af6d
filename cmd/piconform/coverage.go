package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"fakepi.example/conformance"
	"fakepi.example/conformance/report"
	"fakepi.example/internal/watchdog/mutants"
)

// How many histories of a case are played to see what they reach: the first, and then twice as many each time, until every
// transition was made or there are the last.
const (
	firstHistories = 32
	lastHistories  = 256
)

func coverageCommand() *cobra.Command {
	what := choice{explore: string(conformance.ExploreFull)}
	var asJSON, summary bool
	cmd := &cobra.Command{
		Use:   "coverage",
		Short: "Show what the matrix reaches of the requirements and of the reference's episodes",
		Long: `coverage explores the histories around the scenarios and counts, for each requirement, the scenarios, twins, mutants and
histories that test it, and for each transition of an episode (piwatch explain episode) how often it was made. It is exit
code 1 if there is a gap: a MUST without a twin, or a transition that no history made.`,
		Example: `  piconform coverage
  piconform coverage --summary --budget 1000
  piconform coverage --json | jq -r '.gaps[]'`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := what.coverage(cmd)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			switch {
			case asJSON:
				err = c.JSON(w)
			case summary:
				err = c.Summary(w, colored(w))
			default:
				err = c.Text(w, colored(w))
			}
			if err == nil && len(c.Gaps()) > 0 {
				return exit(exitFailed)
			}
			return err
		},
	}
	what.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&what.budget, "budget", "", fmt.Sprintf("a number of histories of each case or a `time` such as 60s (default from %d up to %d, until there is no gap)", firstHistories, lastHistories))
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	f.BoolVar(&summary, "summary", false, "print the gaps and the counts alone")
	cmd.MarkFlagsMutuallyExclusive("json", "summary")
	return cmd
}

// coverage runs the reference through the matrix and tells what that reached.
func (c *choice) coverage(cmd *cobra.Command) (report.Coverage, error) {
	set, all, err := matrix()
	if err != nil {
		return report.Coverage{}, err
	}
	options, err := c.options(set)
	if err != nil {
		return report.Coverage{}, err
	}
	subject := newExplored(reference{})
	if options.Histories == 0 {
		options.Histories = firstHistories
		options.More = func(histories, _ int) int {
			if histories >= lastHistories || subject.complete() {
				return 0
			}
			return 2 * histories
		}
	}
	var clear func()
	options.Progress, clear = progress(cmd.ErrOrStderr(), "cases")
	run, err := conformance.Run(cmd.Context(), subject, all, options)
	clear()
	if err != nil {
		return report.Coverage{}, err
	}
	var broken []string
	for _, m := range mutants.All() {
		if m.Kind == mutants.Bad {
			broken = append(broken, m.Requirement)
		}
	}
	covered := report.Cover(set, all, run, broken, elsewhere())
	covered.Transitions = subject.transitions()
	return covered, nil
}
