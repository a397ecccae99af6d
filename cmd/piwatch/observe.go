package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"fakepi.example/internal/watchdog/observe"
	"fakepi.example/internal/watchdog/policyfile"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

func observeCommand() *cobra.Command {
	var policyPath string
	var sets []string
	var until time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "observe [flags] FILE...",
		Short: "Tell the verdicts over recordings, session files or Pi's stdout",
		Long: `observe plays each FILE to the reference watchdog and prints its verdict whenever it changes.

A FILE is a recording (events.rec.jsonl; its exit status is read from the meta.json beside it), the bare stdout of
"pi --mode json" or "pi --mode rpc" (it carries no time: everything happens at 0), or a session file (each entry comes
at its own time). Nobody is there to be probed: probes answer "unknown", streams are re-read from the recording.

A line of text is: the time in the recording, the verdict, how sure it is, and why: what it counts from, the limit that
passed, what it is about, and the lines of FILE that are its evidence.

With --json each change is one object on a line: file, t_ms, worker, phase (the verdict's name), status, since_ms, cause
(phase and limit), evidence (line numbers of the file) and next_check_ms (null when only news can change the verdict);
detail and flags where there is something to say.`,
		Example: `  piwatch observe run/events.rec.jsonl
  piwatch observe --set stream_gap=60s --until 10m run/events.rec.jsonl
  piwatch observe --policy policy.yaml --json sessions/*.jsonl`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("observe needs at least one FILE; see %s --help", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, files []string) error {
			policy, err := loadPolicy(policyPath, sets)
			if err != nil {
				return err
			}
			if until < 0 {
				return fmt.Errorf("--until %s is a time before the first line; use a positive duration such as 10m", until)
			}
			out := bufio.NewWriter(cmd.OutOrStdout())
			emit := printText(out, len(files) > 1)
			if asJSON {
				emit = printJSON(out)
			}
			return observeFiles(out, files, observe.Options{Policy: policy, Until: until}, emit)
		},
	}
	cmd.Flags().StringVar(&policyPath, "policy", "", "read the policy from this YAML `file`")
	cmd.Flags().StringArrayVar(&sets, "set", nil, "override one limit, as `limit=value`; may be repeated")
	cmd.Flags().DurationVar(&until, "until", 0, "stop this long after the first line, short of the end or beyond it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object for each change")
	completeFlags(cmd)
	return cmd
}

// completeFlags offers policy files and the names of the limits to a shell.
func completeFlags(cmd *cobra.Command) {
	limits := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, name := range watchdog.LimitNames() {
			out = append(out, name+"=")
		}
		return out, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("set", limits))
	cobra.CheckErr(cmd.MarkFlagFilename("policy", "yaml", "yml"))
}

func loadPolicy(path string, sets []string) (watchdog.Policy, error) {
	policy := watchdog.DefaultPolicy()
	if path != "" {
		var err error
		if policy, err = policyfile.Load(path); err != nil {
			return policy, err
		}
	}
	for _, s := range sets {
		if err := policyfile.Set(&policy, s); err != nil {
			return policy, fmt.Errorf("--set: %w", err)
		}
	}
	return policy, nil
}

// observeFiles plays the files in order. A file that cannot be read does not keep the others from being played; a reader
// that goes away does.
func observeFiles(out *bufio.Writer, files []string, opts observe.Options, emit func(observe.Change) error) error {
	var failed []error
	for _, file := range files {
		err := observeFile(file, opts, emit)
		if flushErr := out.Flush(); flushErr != nil {
			err = flushErr
		}
		if errors.Is(err, syscall.EPIPE) {
			break
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func observeFile(file string, opts observe.Options, emit func(observe.Change) error) error {
	r, err := observe.Open(file)
	if err != nil {
		return err
	}
	start := func(b watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(b) }
	if err := observe.Play(r, start, opts, emit); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func printJSON(out io.Writer) func(observe.Change) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return func(c observe.Change) error { return enc.Encode(c) }
}
