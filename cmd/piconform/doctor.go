package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"fakepi.example/internal/conformance/wcp/process"
)

func doctorCommand() *cobra.Command {
	var adapter adapterFlags
	cmd := &cobra.Command{
		Use:   "doctor -- COMMAND [ARGUMENT...]",
		Short: "Find out in seconds what is wrong with an adapter",
		Long: `doctor has a few short conversations with an adapter of WCP/1 (docs/wcp.md) and looks at form, timing and honesty: the
handshake, whether a made-up feature is refused, whether each line fits the schema, whether the same story has the same
answers twice, with real pauses, and with a civil clock that is years off, and whether it comes back after a SIGKILL. Each
problem comes with its fix. What the watchdog decides is not judged: that is piconform run.

Exit codes: 0 nothing is wrong, 1 something is, 3 an error of use.`,
		Example: "  piconform doctor -- ./adapter\n  piconform doctor -- python3 adapter.py",
		RunE: func(cmd *cobra.Command, args []string) error {
			command, err := commandAfterDash(cmd, args)
			if err != nil {
				return err
			}
			if command == nil {
				return errors.New("name the adapter's command after --, as in: piconform doctor -- ./adapter")
			}
			config, err := adapter.config(cmd, command)
			if err != nil {
				return err
			}
			x, err := process.Examine(cmd.Context(), config)
			if err != nil {
				return err
			}
			printExamination(cmd.OutOrStdout(), x)
			if !x.Well() {
				return exit(exitFailed)
			}
			return nil
		},
	}
	adapter.flags(cmd)
	return cmd
}

func printExamination(w io.Writer, x *process.Examination) {
	for _, c := range x.Checks {
		switch {
		case c.Problem != nil:
			fmt.Fprintf(w, "BAD   %s\n      %v\n      fix: %s\n", c.Name, c.Problem, c.Fix)
		case c.Note != "":
			fmt.Fprintf(w, "ok    %s: %s\n", c.Name, c.Note)
		default:
			fmt.Fprintf(w, "ok    %s\n", c.Name)
		}
	}
	if x.Hello.Name != "" {
		fmt.Fprintf(w, "%s: wakeups %s, storage %s, reuse %t, features %q\n", x.Hello.Name, x.Hello.Wakeups, x.Hello.Storage, x.Hello.Reuse, x.Hello.Features)
	}
}
