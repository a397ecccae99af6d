// Command piwatch is the reference watchdog of coding-agent workers: it watches running ones and recordings, and helps a person to
// recover the work of a dead or stuck worker.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit codes of piwatch.
const (
	exitOK      = 0
	exitRefused = 1 // of apply: something was approved, and the approval does not hold
	exitError   = 3 // a usage error, or a file or policy that cannot be read
)

// errRefused: apply has refused something that was approved.
var errRefused = errors.New("what was approved was refused, for the reason above")

func main() {
	signal.Ignore(syscall.SIGPIPE) // a reader that has had enough is an error of the write, and no failure
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns the exit code. Each error is one line.
func run(args []string, stdout, stderr io.Writer) int {
	cmd := root()
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.Execute()
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return exitOK
	}
	if status, ok := err.(exitStatus); ok {
		return int(status) // of the worker, whose words they are
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(stderr, "piwatch:", strings.TrimSuffix(line, "\n"))
	}
	if errors.Is(err, errRefused) {
		return exitRefused
	}
	return exitError
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "piwatch",
		Short: "Watch workers of the Pi coding agent",
		Long: `piwatch decides whether a worker is slow, stalled, waiting for a person, running a long tool, backing off or dead, and helps
a person to recover what a stuck or dead one has left.

Exit codes: 0 it is done, 1 apply has refused what was approved, 3 an error of use, or a file or policy that cannot be read.`,
		Example:       `  piwatch observe run/events.rec.jsonl`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q; see %s --help", args[0], cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	})
	cmd.AddCommand(
		runCommand(), attachCommand(), statusCommand(), holdCommand(), canaryCommand(), markCommand(), replayCommand(),
		calibrateCommand(),
		observeCommand(), diagnoseCommand(), snapshotCommand(), verifyCommand(), restoreCommand(),
		keyCommand(), planCommand(), showCommand(), approveCommand(), applyCommand(), logCommand(), explainCommand(), adapterCommand(),
	)
	return cmd
}

// version is that of the module as it was built: a tag, or "(devel)" from a working tree.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
