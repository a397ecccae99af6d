package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fakepi.example/conformance"
	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/scenarios"
)

type listJSON struct {
	Suite     string         `json:"suite"`
	Scenarios []scenarioJSON `json:"scenarios"`
	Measures  []measureJSON  `json:"measures"` // cases without a file
}

type measureJSON struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Family   string   `json:"family"`
	Profile  string   `json:"profile"`
	Requires []string `json:"requires"`
}

type scenarioJSON struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Family   string   `json:"family"`
	Profile  string   `json:"profile"`
	Requires []string `json:"requires"`
	Features []string `json:"features,omitempty"`
	Dialects []string `json:"dialects,omitempty"` // absent: all
	Why      string   `json:"why,omitempty"`      // the others cannot show it
	Foreign  bool     `json:"foreign,omitempty"`  // it is played in a dialect that nobody knows
	Twin     bool     `json:"twin"`
	NoTwin   string   `json:"no_twin,omitempty"` // why there is none
}

func listCommand() *cobra.Command {
	var asJSON bool
	var profile string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the scenarios of the matrix",
		Long: `list prints the scenarios: id, family, the requirements that each tests, title. A + marks those with a twin; those that
not every dialect can show say which, and why.`,
		Example: `  piconform list
  piconform list --profile basic
  piconform list --json | jq -r '.scenarios[].id'`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := scenarios.Load()
			if err != nil {
				return fmt.Errorf("the matrix:\n%w", err)
			}
			set, err := requirements.Load()
			if err != nil {
				return err
			}
			profiles, err := conformance.ProfilesOf(profileName(set, profile))
			if err != nil {
				return err
			}
			all = slices.DeleteFunc(all, func(s scenarios.Scenario) bool { return !slices.Contains(profiles, s.Profile) })
			measures := slices.DeleteFunc(conformance.Measures(), func(m conformance.Measure) bool { return !slices.Contains(profiles, m.Profile) })
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(listOf(all, measures))
			}
			return printList(cmd, all, measures)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	profileFlag(cmd, &profile)
	return cmd
}

func listOf(all []scenarios.Scenario, measures []conformance.Measure) listJSON {
	list := listJSON{Suite: conformance.Version, Scenarios: []scenarioJSON{}}
	for _, s := range all {
		list.Scenarios = append(list.Scenarios, scenarioJSON{
			ID: s.ID, Title: s.Title, Family: s.Family, Profile: s.Profile, Requires: s.Requires, Features: s.Features,
			Dialects: s.Dialects, Why: s.Why, Foreign: len(s.Renames) > 0, Twin: s.Twin != nil, NoTwin: s.NoTwin,
		})
	}
	for _, m := range measures {
		list.Measures = append(list.Measures, measureJSON{m.ID, m.Title, m.Family, m.Profile, m.Requires})
	}
	return list
}

func printList(cmd *cobra.Command, all []scenarios.Scenario, measures []conformance.Measure) error {
	w := bufio.NewWriter(cmd.OutOrStdout())
	twins := 0
	for _, s := range all {
		mark := " "
		if s.Twin != nil {
			mark, twins = "+", twins+1
		}
		printRow(w, s.ID, mark, s.Family, s.Profile, s.Title, s.Requires)
		if len(s.Dialects) > 0 {
			fmt.Fprintf(w, "%39sonly in %s: %s\n", "", strings.Join(s.Dialects, ", "), s.Why)
		}
	}
	for _, m := range measures {
		printRow(w, m.ID, " ", m.Family, m.Profile, m.Title, m.Requires)
	}
	fmt.Fprintf(w, "\n%d scenarios, %d of them with a twin; piconform explain ID tells more of one\n", len(all), twins)
	return w.Flush()
}

func printRow(w io.Writer, id, mark, family, profile, title string, requires []string) {
	fmt.Fprintf(w, "%-36s %s %-9s %-9s %s\n%39s%s\n", id, mark, family, profile, title, "", strings.Join(requires, " "))
}
