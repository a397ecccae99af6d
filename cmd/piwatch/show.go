package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"fakepi.example/internal/watchdog/recovery"
)

func showCommand() *cobra.Command {
	var folder string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show --case DIR",
		Short:   "Show the plan of a case again",
		Long:    `show prints the plan of a case as "piwatch plan" printed it: each item with its commands, files, reason and rollback.`,
		Example: `  piwatch show --case ~/evidence/demo-1.case`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := filepath.Abs(folder)
			if err != nil {
				return err
			}
			p, err := recovery.ReadPlan(at)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), p)
			}
			return printPlan(cmd.OutOrStdout(), at, p)
		},
	}
	cmd.Flags().StringVar(&folder, "case", "", "the case `folder`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the plan as JSON")
	require(cmd, "case")
	return cmd
}
