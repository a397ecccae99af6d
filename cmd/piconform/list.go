package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fakepi.example/conformance"
	"fakepi.example/scenarios"
)

type listJSON struct {
	Suite     string         `json:"suite"`
	Scenarios []scenarioJSON `json:"scenarios"`
}

type scenarioJSON struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Family   string   `json:"family"`
	Profile  string   `json:"profile"`
	Requires []string `json:"requires"`
	Features []string `json:"features,omitempty"`
	Dialects []string `json:"dialects,omitempty"` // absent: all
	Twin     bool     `json:"twin"`
	NoTwin   string   `json:"no_twin,omitempty"` // why there is none
}

func listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the scenarios of the matrix",
		Long:  "list prints the scenarios: id, family, the requirements that each tests, title. A + marks those with a twin.",
		Example: `  piconform list
  piconform list --json | jq -r '.scenarios[].id'`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := scenarios.Load()
			if err != nil {
				return fmt.Errorf("the matrix:\n%w", err)
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(listOf(all))
			}
			return printList(cmd, all)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func listOf(all []scenarios.Scenario) listJSON {
	list := listJSON{Suite: conformance.Version, Scenarios: []scenarioJSON{}}
	for _, s := range all {
		list.Scenarios = append(list.Scenarios, scenarioJSON{
			s.ID, s.Title, s.Family, s.Profile, s.Requires, s.Features, s.Dialects, s.Twin != nil, s.NoTwin,
		})
	}
	return list
}

func printList(cmd *cobra.Command, all []scenarios.Scenario) error {
	w := bufio.NewWriter(cmd.OutOrStdout())
	twins := 0
	for _, s := range all {
		mark := " "
		if s.Twin != nil {
			mark, twins = "+", twins+1
		}
		fmt.Fprintf(w, "%-36s %s %-9s %-9s %s\n%40s%s\n", s.ID, mark, s.Family, s.Profile, s.Title, "", strings.Join(s.Requires, " "))
	}
	fmt.Fprintf(w, "\n%d scenarios, %d of them with a twin; piconform explain ID tells more of one\n", len(all), twins)
	return w.Flush()
}
