package main

import (
	"github.com/spf13/cobra"

	"fakepi.example/internal/conformance/wcp"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

func adapterCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "adapter",
		Short: "Serve the watchdog to the conformance suite over stdin and stdout",
		Long: `adapter speaks WCP/1 (docs/wcp.md), the protocol by which piconform judges a watchdog in a process of its own. A person has
no use for it but to see what an adapter says.`,
		Example: `  piconform run -- piwatch adapter
  piconform doctor -- piwatch adapter`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return wcp.Serve(cmd.InOrStdin(), cmd.OutOrStdout(), wcp.Adapter{
				Name: "reference", Version: version(),
				Start: func(b watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(b) },
			})
		},
	}
}
