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
	var dir string
	var adapter adapterFlags
	cmd := &cobra.Command{
		Use:   "replay TOKEN [-- COMMAND [ARGUMENT...]]",
		Short: "Play one history again, as a failure's replay line says",
		Long: `replay plays the one history that a token names, byte for byte as it was, and draws it: what the worker, the world, the
watchdog and the owner did, side by side, with the time in front, and where a requirement is broken. --step tells each
moment in full, and in a terminal waits for Enter before the next. A token that was made for another suite or matrix is
refused. It is played to the reference watchdog, or with a command after -- to the one that this command serves over WCP/1.`,
		Example: "  piconform replay " + baseToken("stall/silent-after-tool", scenarios.Dialects()[0]).String() +
			"\n  piconform replay --step " + baseToken("stall/silent-after-tool", scenarios.Dialects()[0]).String(),
		RunE: func(cmd *cobra.Command, args []string) error {
			token, command, err := tokenAndCommand(cmd, args)
			if err != nil {
				return err
			}
			set, all, err := matrixOf(token, dir)
			if err != nil {
				return err
			}
			r := report.Report{Set: set, Again: again(dir, command)}
			return adapter.serving(cmd, command, func(s conformance.Subject) error {
				played, err := conformance.Replay(s, all, token)
				if err != nil {
					return err
				}
				if step {
					err = steps(cmd, played, r)
				} else {
					w := cmd.OutOrStdout()
					err = r.Lanes(w, played, colored(w))
				}
				if err == nil && played.Case.Status != conformance.Pass && played.Case.Status != conformance.Warn {
					return exit(exitFailed)
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&step, "step", false, "moment by moment, in full")
	scenariosFlag(cmd, &dir)
	adapter.flags(cmd)
	return cmd
}

// matrixOf loads the scenario of a token alone, or the whole matrix if there is none of its name, or the scenarios of a folder.
func matrixOf(t conformance.Token, dir string) (*requirements.Set, []scenarios.Scenario, error) {
	if dir != "" {
		return scenariosOf(dir)
	}
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
func steps(cmd *cobra.Command, played *conformance.Replayed, r report.Report) error {
	w, in := cmd.OutOrStdout(), cmd.InOrStdin()
	waits := isTerminal(w) && isTerminalFile(in)
	lines := bufio.NewScanner(in)
	report.Opening(w, played)
	for _, m := range report.Moments(played, r.Set) {
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
	return r.Findings(w, played, colored(w))
}
