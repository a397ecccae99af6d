package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	fakeplay "fakepi.example/fakepi/play"
	"fakepi.example/fakepi/script"
	"fakepi.example/scenarios"
)

// playOptions are the flags of play.
type playOptions struct {
	speed   float64
	seed    uint64
	mode    string
	dialect string
	until   time.Duration
}

func playCommand() *cobra.Command {
	var o playOptions
	cmd := &cobra.Command{
		Use:   "play FILE",
		Short: "Play a script: what Pi would print, to standard output",
		Long: `Play a script: what Pi would print goes to standard output, at the script's times. What it would print on standard
error goes there; its session file is not written. The user's lines answer its dialogs. The file - is standard input.

A worker that never falls silent (a spinner, a tool that prints for ever) is played until --until; without that and
without waiting, until a minute behind the script's last line.

Exit status: 0 played, 1 the script has problems, 3 wrong usage or an unreadable file, 130 interrupted. The status with
which the script's worker exits is not that of this command.`,
		Example: "  fakepi script play demo.txtar\n  fakepi script play demo.txtar --speed 0 | jq .type\n  fakepi script play demo.txtar --speed 60 --mode tui --dialect pi-0.73",
		Args:    usage(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return play(cmd, args[0], o) },
	}
	cmd.Flags().Float64Var(&o.speed, "speed", 1, "how many times faster than written; 0 does not wait at all")
	cmd.Flags().Uint64Var(&o.seed, "seed", 1, "what ids are made from")
	cmd.Flags().StringVar(&o.mode, "mode", "", "rpc, json, print or tui (default: as the script says)")
	cmd.Flags().StringVar(&o.dialect, "dialect", "", "pi-1.6 or pi-0.73 (default: FAKEPI_DIALECT, or pi-1.6)")
	cmd.Flags().DurationVar(&o.until, "until", 0, "the time of the script at which to stop (default: see above)")
	complete(cmd, "mode", string(script.ModeRPC), string(script.ModeJSON), string(script.ModePrint), string(script.ModeTUI))
	complete(cmd, "dialect", string(native.Pi16), string(native.Pi073))
	return cmd
}

// complete offers the words that a flag takes.
func complete(cmd *cobra.Command, flag string, words ...string) {
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
}

var (
	errScenario = errors.New("this is a scenario, not a script of one worker; piconform run plays it")
	errSpeed    = errors.New("--speed must be 0 or more")
	errUntil    = errors.New("--until must be above 0")
	errMode     = errors.New("--mode must be rpc, json, print or tui")
	errVersion  = errors.New("--dialect must be pi-1.6 or pi-0.73")
)

func (o playOptions) check() error {
	switch {
	case o.dialect != "" && !knownDialect(native.Dialect(o.dialect)):
		return errVersion
	case !(o.speed >= 0): // NaN included
		return errSpeed
	case o.until < 0:
		return errUntil
	case o.mode == "" || script.Mode(o.mode).Known():
		return nil
	}
	return errMode
}

func play(cmd *cobra.Command, name string, o playOptions) error {
	if err := o.check(); err != nil {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	}
	if o.dialect == "" {
		dialect, err := dialectOfEnv()
		if err != nil {
			return err
		}
		o.dialect = string(dialect)
	}
	src, err := readSource(name, cmd.InOrStdin())
	if err != nil {
		return err
	}
	if scenarios.Is(src.data) {
		return fmt.Errorf("%s: %w", src.name, errScenario)
	}
	s, errs := src.script()
	if len(errs) > 0 {
		return problemsTold(report(cmd.ErrOrStderr(), errs))
	}
	p, err := newPlayer(s, o, cmd.OutOrStdout(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	_, err = p.Play(cmd.Context())
	return errors.Join(err, restoreTerminal(p))
}

func newPlayer(s *script.Script, o playOptions, out, errOut io.Writer) (*fakeplay.Player, error) {
	worker, err := fakepi.New(fakepi.Config{
		Steps: s.For(script.DefaultActor), Files: s.Files, Seed: o.seed, Mode: script.Mode(o.mode), Dialect: native.Dialect(o.dialect), Terminal: shown(out),
	})
	if err != nil {
		return nil, err
	}
	return &fakeplay.Player{
		Worker: worker, Replies: s.For("user"), Out: out, Err: errOut, Speed: o.speed, Until: o.end(s.Steps),
	}, nil
}

// shown describes the terminal on which a worker is shown, whose keys are nobody's. What a pipe gets is all that a worker
// writes.
func shown(out io.Writer) fakepi.Terminal {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return fakepi.Terminal{}
	}
	t := fakepi.Terminal{NoInput: true}
	if cols, rows, err := term.GetSize(int(file.Fd())); err == nil {
		t.Cols, t.Rows = cols, rows
	}
	return t
}

// restoreTerminal takes a painted screen from the user's terminal. What a pipe gets is the worker's alone.
func restoreTerminal(p *fakeplay.Player) error {
	if !shown(p.Out).NoInput {
		return nil
	}
	_, err := p.Out.Write(p.Worker.Restore())
	return err
}

// end is when to stop.
func (o playOptions) end(steps []script.Step) time.Duration {
	if o.until > 0 || o.speed > 0 {
		return o.until
	}
	end := time.Minute
	for i := range steps {
		end = max(end, steps[i].End()+time.Minute)
	}
	return end
}
