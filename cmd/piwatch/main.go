// Command piwatch is the reference watchdog of coding-agent workers. This version watches recordings.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit codes of piwatch.
const (
	exitOK    = 0
	exitUsage = 3 // a usage error, or a file or policy that cannot be read
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns the exit code. A reader that goes away early is no error.
func run(args []string, stdout, stderr io.Writer) int {
	cmd := root()
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.Execute()
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return exitOK
	default:
		fmt.Fprintln(stderr, "piwatch:", err)
		return exitUsage
	}
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:           "piwatch",
		Short:         "Watch workers of the Pi coding agent",
		Long:          "piwatch decides whether a worker is slow, stalled, waiting for a person, running a long tool, backing off or dead.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.AddCommand(observeCommand())
	return cmd
}
