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
	cmd := &cobra.Command{
		Use:   "shrink TOKEN",
		Short: "Make a failing history smaller",
		Long: `shrink looks for a smaller history than the one that a token names, in which the same requirement is broken by the same
kind of mistake: fewer choices that differ from the base history, lower ones, and fewer steps of the timeline. It prints
the token of the smallest that it found. run does this by itself with what fails (--shrink).`,
		Example: "  piconform shrink " + baseToken("stall/silent-after-tool", scenarios.Dialects()[0]).String(),
		Args:    exactly("TOKEN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			token, err := conformance.ParseToken(args[0])
			if err != nil {
				return err
			}
			_, all, err := matrix()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), budget)
			defer cancel()
			s, err := conformance.Shrink(ctx, reference{}, all, token)
			if err != nil {
				return err
			}
			return report.Shrunk(cmd.OutOrStdout(), s)
		},
	}
	cmd.Flags().DurationVar(&budget, "budget", shrinkTime, "how `long` to look")
	return cmd
}
