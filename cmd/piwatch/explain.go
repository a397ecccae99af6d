package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"fakepi.example/internal/watchdog/episode"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain episode",
		Short: "Print the states and transitions of an episode of recovery",
		Long: `explain episode prints the machine by which a worker is recovered: what is done in each state, what leads from one to the
next, and which commands each gives. docs/episode.md holds the same with an introduction.`,
		Example: `  piwatch explain episode`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] != "episode" {
				return fmt.Errorf("unknown topic %q; there is: episode", strings.Join(args, " "))
			}
			return nil
		},
		ValidArgs: []string{"episode"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), episode.Explain())
			return err
		},
	}
}
