// Command fakepi is a scriptable fake of the coding agent Pi. Where it stands in the place of pi it plays a script as that Pi
// would (docs/script.md); its own commands check and play scripts, and serve one as a model to the real Pi.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"fakepi.example/fakepi"
	"fakepi.example/internal/fakepi/cli/system"
)

func main() {
	if kind := os.Getenv(toolEnv); kind != "" {
		os.Exit(runToolProcess(kind))
	}
	if len(os.Args) < 2 || !slices.Contains(ownCommands, os.Args[1]) || filepath.Base(os.Args[0]) == "pi" {
		end(runPi(os.Args[1:]))
	}
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is then an error of the write
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// scriptName is the first word of the commands about scripts.
const scriptName = "script"

// ownCommands are the first words of what is none of pi's; the last two ask for completions of it.
var ownCommands = []string{scriptName, modelName, "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}

// end ends the process, as its worker has.
func end(e fakepi.Exit) {
	if e.Signal != "" {
		system.Die(e.Signal)
	}
	os.Exit(e.Code)
}

// Exit codes.
const (
	exitOK       = 0
	exitProblems = 1 // what was checked is wrong
	exitError    = 3 // usage, or a file that cannot be read or written
	exitStopped  = 128 + int(syscall.SIGINT)
)

// errProblems ends a command that has told what is wrong.
var errProblems = errors.New("problems found")

// problemsTold is errProblems, or why what is wrong could not be told; that nobody listens is no reason.
func problemsTold(err error) error {
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return errProblems
	}
	return err
}

// run runs one command line and returns its exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	switch cmd, err := root.ExecuteContextC(ctx); {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return exitOK
	case errors.Is(err, errProblems):
		return exitProblems
	case errors.Is(err, context.Canceled):
		return exitStopped
	default:
		fmt.Fprintf(errOut, "%s: %v\n", cmd.CommandPath(), err)
		return exitError
	}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "fakepi",
		Short: "A scriptable fake of the coding agent Pi",
		Long: `A scriptable fake of the coding agent Pi, for testing whatever watches over it.

Exit status: 0 ok, 1 a script has problems, 3 wrong usage or a file that cannot be read or written.`,
		Example:       "  fakepi script play demo.txtar --speed 0\n  fakepi script vet *.txtar",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(scriptCommand(), modelCommand())
	return root
}

func scriptCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   scriptName,
		Short: "Play, check and format scripts and scenarios",
		Long: `Play, check and format the scripts that say what a worker does and when.

The page docs/script.md describes the language.`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(playCommand(), vetCommand(), fmtCommand())
	return cmd
}

// usage adds to the errors about arguments where to read more.
func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
		}
		return nil
	}
}
