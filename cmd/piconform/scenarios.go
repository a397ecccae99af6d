package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/scenarios"
)

// scenariosFlag names a folder of scenarios that are played instead of the matrix.
func scenariosFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "scenarios", "", "play the files FAMILY/NAME.txtar of this `folder`, not the matrix")
}

// scenariosOf loads the scenarios of a folder, or of the matrix if it is empty.
func scenariosOf(dir string) (*requirements.Set, []scenarios.Scenario, error) {
	if dir == "" {
		return matrix()
	}
	set, err := requirements.Load()
	if err != nil {
		return nil, nil, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, nil, fmt.Errorf("--scenarios %s: no such folder; name one that holds FAMILY/NAME.txtar files", dir)
	}
	all, err := scenarios.LoadFS(os.DirFS(dir))
	if err != nil {
		return nil, nil, fmt.Errorf("--scenarios %s:\n%w", dir, err)
	}
	var problems script.Errors
	for i := range all {
		problems = append(problems, unknownRequirements(set, &all[i])...)
	}
	if len(problems) > 0 {
		return nil, nil, fmt.Errorf("--scenarios %s:\n%w", dir, problems)
	}
	return set, all, nil
}

// again is what a replay line has behind its token, so that it plays the same scenarios to the same adapter.
func again(dir string, command []string) string {
	var words []string
	if dir != "" {
		words = append(words, "--scenarios", shellWords([]string{dir}))
	}
	if len(command) > 0 {
		words = append(words, "--", shellWords(command))
	}
	return strings.Join(words, " ")
}

// unknownRequirements finds the ids that a scenario requires and that the set does not have.
func unknownRequirements(set *requirements.Set, s *scenarios.Scenario) script.Errors {
	var found script.Errors
	for _, id := range s.Requires {
		if _, ok := set.Lookup(id); !ok {
			found = append(found, &script.Error{Pos: placeOf(s, id), Msg: fmt.Sprintf("there is no requirement %s", id), Hint: "piconform explain prints them"})
		}
	}
	return found
}

// placeOf is where a scenario's requires line names an id.
func placeOf(s *scenarios.Scenario, id string) script.Pos {
	for i, line := range bytes.Split(s.Source, []byte("\n")) {
		if text := string(line); strings.HasPrefix(text, "requires") {
			if at := strings.Index(text, id); at >= 0 {
				return script.Pos{File: s.Pos.File, Line: i + 1, Col: utf8.RuneCountInString(text[:at]) + 1}
			}
		}
	}
	return s.Pos
}

func vetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "vet FOLDER",
		Short: "Find what is wrong with scenarios",
		Long: `vet reads the files FAMILY/NAME.txtar of a folder as run --scenarios does, and finds what cannot be read, what a worker cannot
do, what can never fail, and requirements that there are not. Each problem is a line FILE:LINE:COLUMN: what is wrong; what to do.
fakepi script fmt -w writes scenarios in their canonical form.

Exit codes: 0 nothing found, 1 problems, 3 an error of use.`,
		Example: "  piconform vet my-scenarios\n  piconform run --scenarios my-scenarios",
		Args:    exactly("folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, all, err := scenariosOf(args[0])
			if problems, ok := errors.AsType[script.Errors](err); ok {
				fmt.Fprintln(cmd.OutOrStdout(), problems)
				return exit(exitFailed)
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d scenarios, nothing found\n", len(all))
			return nil
		},
	}
}
