package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fakepi.example/conformance"
	"fakepi.example/conformance/report"
	"fakepi.example/internal/conformance/wcp"
	"fakepi.example/internal/conformance/wcp/process"
	"fakepi.example/watchdog"
)

// adapterFlags say how much an adapter may use.
type adapterFlags struct {
	answer       time.Duration
	memory, disk int64 // MiB
	show         bool
}

func (f *adapterFlags) flags(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&f.answer, "answer", 10*time.Second, "of an adapter: real `time` for each answer")
	cmd.Flags().Int64Var(&f.memory, "memory", 1024, "of an adapter: `MiB` that its processes may have in memory")
	cmd.Flags().Int64Var(&f.disk, "disk", 256, "of an adapter: `MiB` that a case may store")
	cmd.Flags().BoolVar(&f.show, "adapter-log", false, "of an adapter: print its log messages to stderr")
}

// commandAfterDash is what stands after --, the adapter's command; nothing else may be an argument.
func commandAfterDash(cmd *cobra.Command, args []string) ([]string, error) {
	switch dash := cmd.ArgsLenAtDash(); {
	case len(args) == 0 && dash < 0:
		return nil, nil
	case dash != 0:
		return nil, fmt.Errorf("%s takes no argument but the command of an adapter after --, got %q; see %s --help", cmd.Name(), args[0], cmd.CommandPath())
	case len(args) == 0:
		return nil, errors.New("nothing stands after --; name the adapter's program, as in: piconform run -- ./adapter")
	}
	return args, nil
}

// tokenAndCommand takes apart the arguments of a command that plays the history of a token, to an adapter if one stands after --.
func tokenAndCommand(cmd *cobra.Command, args []string) (t conformance.Token, command []string, err error) {
	before := args
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		if before, command = args[:dash], args[dash:]; len(command) == 0 {
			return t, nil, fmt.Errorf("nothing stands after --; name the adapter's program, as in: %s TOKEN -- ./adapter", cmd.CommandPath())
		}
	}
	if err := exactly("TOKEN")(cmd, before); err != nil {
		return t, nil, err
	}
	t, err = conformance.ParseToken(before[0])
	return t, command, err
}

// with calls f with the subject that a command line names: an adapter, or else the reference watchdog.
func (f *adapterFlags) with(cmd *cobra.Command, args []string, use func(conformance.Subject) error) error {
	command, err := commandAfterDash(cmd, args)
	if err != nil {
		return err
	}
	return f.serving(cmd, command, use)
}

// serving calls f with the subject that a command serves, or with the reference watchdog if it is none.
func (f *adapterFlags) serving(cmd *cobra.Command, command []string, use func(conformance.Subject) error) error {
	if command == nil {
		return use(reference{})
	}
	config, err := f.config(cmd, command)
	if err != nil {
		return err
	}
	subject, err := process.New(cmd.Context(), config)
	if err != nil {
		return fmt.Errorf("%w\npiconform doctor -- %s says more", err, shellWords(command))
	}
	return errors.Join(use(subject), subject.Close())
}

func (f *adapterFlags) config(cmd *cobra.Command, command []string) (process.Config, error) {
	if f.answer <= 0 || f.memory <= 0 || f.disk <= 0 {
		return process.Config{}, errors.New("--answer, --memory and --disk bound what an adapter may use; give values above 0")
	}
	config := process.Config{Command: command, Limits: wcp.Limits{Answer: f.answer}, Memory: f.memory << 20, Disk: f.disk << 20}
	if f.show {
		stderr := cmd.ErrOrStderr()
		config.Log = func(text string) { fmt.Fprintf(stderr, "adapter: %q\n", text) }
	}
	return config, nil
}

var (
	plainWord   = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)
	quoteInside = strings.NewReplacer("'", `'\''`)
)

// shellWords writes a command as a shell reads it.
func shellWords(command []string) string {
	var text string
	for i, word := range command {
		if i > 0 {
			text += " "
		}
		if plainWord.MatchString(word) {
			text += word
		} else {
			text += "'" + quoteInside.Replace(word) + "'"
		}
	}
	return text
}

// stillborn is a subject that never starts.
type stillborn struct {
	name string
	err  error
}

func (s stillborn) Name() string { return s.name }

func (s stillborn) Start(watchdog.Boot) (watchdog.Watchdog, error) { return nil, s.err }

// reportStillborn writes the report of a subject that cannot be started: every case says why.
func (c *choice) reportStillborn(cmd *cobra.Command, s stillborn, dir string) error {
	set, all, err := scenariosOf(c.scenarios)
	if err != nil {
		return err
	}
	options, err := c.options(set)
	if err != nil {
		return err
	}
	options.Explore = conformance.ExploreNone
	result, err := conformance.Run(cmd.Context(), s, all, options)
	if err != nil {
		return err
	}
	return report.Report{Result: result, Set: set}.WriteDir(dir)
}
