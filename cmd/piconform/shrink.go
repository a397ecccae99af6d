package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"fakepi.example/conformance"
	"fakepi.example/conformance/report"
	"fakepi.example/scenarios"
)

// shrinkTime is for how long smaller histories are looked for if nobody says.
const shrinkTime = 5 * time.Second

func shrinkCommand() *cobra.Command {
	var budget time.Duration
	var dir string
	var adapter adapterFlags
	cmd := &cobra.Command{
		Use:   "shrink TOKEN [-- COMMAND [ARGUMENT...]]",
		Short: "Make a failing history smaller",
		Long: `shrink looks for a smaller history than the one that a token names, in which the same requirement is broken by the same
kind of mistake: fewer choices that differ from the base history, lower ones, and fewer steps of the timeline. It prints
the token of the smallest that it found. run does this by itself with what fails (--shrink). The history is
played to the reference watchdog, or with a command after -- to the one that this command serves over WCP/1.`,
		Example: "  piconform shrink " + baseToken("stall/silent-after-tool", scenarios.Dialects()[0]).String(),
		RunE: func(cmd *cobra.Command, args []string) error {
			token, command, err := tokenAndCommand(cmd, args)
			if err != nil {
				return err
			}
			_, all, err := scenariosOf(dir)
			if err != nil {
				return err
			}
			return adapter.serving(cmd, command, func(subject conformance.Subject) error {
				ctx, cancel := context.WithTimeout(cmd.Context(), budget)
				defer cancel()
				s, err := conformance.Shrink(ctx, subject, all, token)
				if err != nil {
					return err
				}
				return report.Report{Again: again(dir, command)}.Shrunk(cmd.OutOrStdout(), s)
			})
		},
	}
	scenariosFlag(cmd, &dir)
	adapter.flags(cmd)
	cmd.Flags().DurationVar(&budget, "budget", shrinkTime, "how `long` to look")
	return cmd
}
