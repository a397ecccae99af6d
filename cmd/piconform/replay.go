package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"fakepi.example/conformance"
	"fakepi.example/conformance/report"
	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/scenarios"
)

func replayCommand() *cobra.Command {
	var step bool
	cmd := &cobra.Command{
		Use:   "replay TOKEN",
		Short: "Play one history again, as a failure's replay line says",
		Long: `replay plays the one history that a token names, byte for byte as it was, and draws it: what the worker, the world, the
watchdog and the owner did, side by side, with the time in front, and where a requirement is broken. --step tells each
moment in full, and in a terminal waits for Enter before the next. A token that was made for another suite or matrix is
refused.`,
		Example: "  piconform replay " + baseToken("stall/silent-after-tool", scenarios.Dialects()[0]).String() +
			"\n  piconform replay --step " + baseToken("stall/silent-after-tool", scenarios.Dialects()[0]).String(),
		Args: exactly("TOKEN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			token, err := conformance.ParseToken(args[0])
			if err != nil {
				return err
			}
			set, all, err := matrixOf(token)
			if err != nil {
				return err
			}
			played, err := conformance.Replay(reference{}, all, token)
			if err != nil {
				return err
			}
			if step {
				err = steps(cmd, played, set)
			} else {
				w := cmd.OutOrStdout()
				err = report.Lanes(w, played, set, colored(w))
			}
			if err == nil && played.Case.Status != conformance.Pass && played.Case.Status != conformance.Warn {
				return exit(exitFailed)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&step, "step", false, "moment by moment, in full")
	return cmd
}

// matrixOf loads the scenario of a token alone, or the whole matrix if there is none of its name.
func matrixOf(t conformance.Token) (*requirements.Set, []scenarios.Scenario, error) {
	one, err := scenarios.LoadOne(strings.TrimSuffix(t.Case, conformance.TwinSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return matrix()
	}
	if err != nil {
		return nil, nil, err
	}
	set, err := requirements.Load()
	return set, []scenarios.Scenario{one}, err
}

// steps tells a history moment by moment. It waits for Enter only if both ends are terminals; the end of the input ends the
// waiting.
func steps(cmd *cobra.Command, played *conformance.Replayed, set *requirements.Set) error {
	w, in := cmd.OutOrStdout(), cmd.InOrStdin()
	waits := isTerminal(w) && isTerminalFile(in)
	lines := bufio.NewScanner(in)
	report.Opening(w, played)
	for _, m := range report.Moments(played, set) {
		if _, err := io.WriteString(w, m.Rows+m.Full); err != nil {
			return err
		}
		if waits {
			fmt.Fprint(w, "-- Enter goes on, q ends ")
			if waits = lines.Scan(); strings.TrimSpace(lines.Text()) == "q" {
				return nil
			}
		}
	}
	return report.Findings(w, played, set, colored(w))
}
