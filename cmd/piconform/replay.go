package main

import (
	"github.com/spf13/cobra"

	"fakepi.example/conformance"
	"fakepi.example/conformance/report"
	"fakepi.example/scenarios"
)

func replayCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "replay TOKEN",
		Short: "Play one history again, as a failure's replay line says",
		Long: `replay plays the one history that a token names, byte for byte as it was, and tells all that happened in it. A token
that was made for another suite or matrix is refused.`,
		Example: "  piconform replay " + baseToken("stall/silent-after-tool", scenarios.Dialects()[0]).String(),
		Args:    exactly("TOKEN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			token, err := conformance.ParseToken(args[0])
			if err != nil {
				return err
			}
			set, all, err := matrix()
			if err != nil {
				return err
			}
			played, err := conformance.Replay(reference{}, all, token)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if err := report.Replay(w, played, set, colored(w)); err != nil {
				return err
			}
			if played.Case.Status != conformance.Pass && played.Case.Status != conformance.Warn {
				return exit(exitFailed)
			}
			return nil
		},
	}
}
