package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
	"fakepi.example/watchdog/observe"
	"fakepi.example/watchdog/policyfile"
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

With --json each change is one object on a line: file, t_ms, worker, phase, status, since_ms, cause, evidence (line
numbers of the file), next_check_ms (null when only news can change the verdict).`,
		Example: `  piwatch observe run/events.rec.jsonl
  piwatch observe --set stream_gap=60s --until 10m run/events.rec.jsonl
  piwatch observe --policy policy.yaml --json sessions/*.jsonl`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("observe needs at least one FILE; see piwatch observe --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, files []string) error {
			policy, err := loadPolicy(policyPath, sets)
			if err != nil {
				return err
			}
			if until < 0 {
				return fmt.Errorf("--until %s: a time before the first line; use a positive duration such as 10m", until)
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
	cmd.Flags().DurationVar(&until, "until", 0, "go on watching until this long after the first line")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object for each change")
	return cmd
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
			return policy, fmt.Errorf("--set %s: %w", s, err)
		}
	}
	return policy, nil
}

// observeFiles plays the files in order. A file that cannot be read does not keep the others from being played.
func observeFiles(out *bufio.Writer, files []string, opts observe.Options, emit func(observe.Change) error) error {
	start := func(b watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(b) }
	var failed []error
	for _, file := range files {
		r, err := observe.Open(file)
		if err == nil {
			err = observe.Play(r, start, opts, emit)
		}
		if flushErr := out.Flush(); flushErr != nil {
			return flushErr
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func printJSON(out io.Writer) func(observe.Change) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return func(c observe.Change) error { return enc.Encode(c) }
}

// printText prints one line a change; the file is a heading of its own when there are several.
func printText(out io.Writer, several bool) func(observe.Change) error {
	file := ""
	return func(c observe.Change) error {
		if several && c.File != file {
			if file != "" {
				fmt.Fprintln(out)
			}
			file = c.File
			fmt.Fprintln(out, file)
		}
		_, err := fmt.Fprintln(out, textLine(c))
		return err
	}
}

func textLine(c observe.Change) string {
	line := fmt.Sprintf("%12s  %-22s %-10s", span(c.Time), c.Phase, c.Status)
	if c.Cause.Limit != "" {
		line += fmt.Sprintf(" %s/%s", c.Cause.Phase, c.Cause.Limit)
	}
	if c.Time != c.Since {
		line += fmt.Sprintf("  for %s", span(c.Time-c.Since))
	}
	if len(c.Evidence) > 0 {
		line += "  lines " + strings.Trim(fmt.Sprint(c.Evidence), "[]")
	}
	for _, f := range c.Flags {
		line += " " + string(f)
	}
	if c.Detail.Reason != "" {
		line += " (" + c.Detail.Reason + ")"
	}
	return strings.TrimRight(line, " ")
}

func span(ms float64) string {
	return time.Duration(ms * float64(time.Millisecond)).Round(100 * time.Microsecond).String()
}
