// Command piconform tells whether a watchdog of coding-agent workers works: it runs one through the matrix of scenarios
// and judges it. This version judges the reference watchdog, and the reference made wrong on purpose.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fakepi.example/conformance"
)

// The exit codes. A run that checked nothing is an error, never a success.
const (
	exitOK           = 0
	exitFailed       = 1
	exitInconclusive = 2
	exitError        = 3 // of the harness, or of its use
)

// Histories leave much garbage and keep little. heapGrowth is by how much the heap may grow before it is collected, in
// percent: the run takes a quarter less of the processor than with Go's 100. It grows less where it comes to heapLimit bytes.
const (
	heapGrowth = 800
	heapLimit  = 2 << 30
)

func main() {
	debug.SetGCPercent(heapGrowth)
	debug.SetMemoryLimit(heapLimit)
	// A reader that has had enough is no failure: a write then returns EPIPE, which quiet swallows.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// exit is the error of a command that did its work and has an exit code to return.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	cmd := root()
	cmd.SetArgs(args)
	cmd.SetOut(&quiet{w: stdout})
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	if code, ok := errors.AsType[exit](err); ok {
		return int(code)
	}
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		tellInterrupted(stderr, err)
	default:
		fmt.Fprintln(stderr, "piconform:", err)
	}
	return exitError
}

// tellInterrupted says where a run was cut off, and what it had found.
func tellInterrupted(stderr io.Writer, err error) {
	cut, ok := errors.AsType[*conformance.Interrupted](err)
	if !ok || len(cut.Found) == 0 {
		fmt.Fprintf(stderr, "piconform: %v; nothing was judged\n", err)
		return
	}
	fmt.Fprintf(stderr, "piconform: %v; found until then, and no judgement of the rest:\n", err)
	for i := range cut.Found {
		fmt.Fprintf(stderr, "  %s  piconform replay %s\n", cut.Found[i].Requirement, cut.Found[i].Token)
	}
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "piconform",
		Short: "Tell whether a watchdog of coding-agent workers works",
		Long: `piconform runs a watchdog through the matrix: scripted workers that are slow, stalled, waiting for a person, busy in a
tool, backing off or dead, each with a twin that looks the same and is healthy. Time is simulated, so hours take
milliseconds, and one seed is one history, byte for byte.

Exit codes: 0 all is well, 1 a requirement was broken, 2 inconclusive, 3 an error of the harness or of its use, or
nothing was checked, as after an interrupt (SIGINT, SIGTERM), which names the case that was being played.`,
		Example: `  piconform run
  piconform explain WDC-STALL-001
  piconform list --json`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", plainly(err), cmd.CommandPath())
	})
	cmd.AddCommand(runCommand(), vetCommand(), mergeCommand(), listCommand(), explainCommand(), replayCommand(), shrinkCommand(), mutantsCommand(), coverageCommand(), doctorCommand(), initAdapterCommand())
	return cmd
}

// kinds of values of flags, for people.
var kinds = map[string]string{
	"uint": "a whole number from 0", "uint64": "a whole number from 0", "int": "a whole number", "int64": "a whole number",
	"duration": "a time such as 90s", "bool": "true or false",
}

// plainly says what a flag takes, in the place of what a parser of numbers says.
func plainly(err error) error {
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	kind, ok := kinds[wrong.GetFlag().Value.Type()]
	if !ok {
		return err
	}
	return fmt.Errorf("--%s %q: want %s", wrong.GetFlag().Name, wrong.GetValue(), kind)
}

// exactly is cobra.ExactArgs for one argument, with an error that says what it is.
func exactly(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s takes one %s, got %d; see %s --help", cmd.Name(), what, len(args), cmd.CommandPath())
		}
		return nil
	}
}

// none is cobra.NoArgs with an error that says what to do.
func none(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument, got %q; see %s --help", cmd.Name(), args[0], cmd.CommandPath())
	}
	return nil
}
