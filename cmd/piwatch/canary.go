package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"fakepi.example/internal/watchdog/canary"
	"fakepi.example/internal/watchdog/live"
	"fakepi.example/watchdog"
)

func canaryCommand() *cobra.Command {
	o := runOptions{look: true}
	var out string
	var record canary.Options
	cmd := &cobra.Command{
		Use:   "canary [flags] -- pi [ARGUMENT]...",
		Short: "Work with a worker as usual, and record the run",
		Long: `canary starts the command after -- as "piwatch run" does. You work as usual; the watchdog looks and tells, and can do nothing
else: it refuses every act, snapshots too, whatever the policy allows.

The run is recorded in a folder: the lines of the worker's streams (of a terminal, what it drew), each changed verdict, what a
watchdog that may act would have done, and your marks ("piwatch mark"). Texts, paths and names are replaced: types, times,
lengths and what is equal stay. --names keeps the names of models, providers and tools, which limits by model or tool need;
--contents keeps all. The unredacted spool of "piwatch run" is removed when the worker has ended.

"piwatch replay DIR" shows a recording, "piwatch calibrate DIR..." proposes limits.`,
		Example: `  piwatch canary -- pi
  piwatch canary --names --out runs/monday -- pi
  piwatch mark "false alarm"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("canary needs a command after --, such as: piwatch canary -- pi")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.record = func(folder live.Folder, spec live.Spec) (*canary.Recorder, error) {
				dir := out
				if dir == "" {
					dir = filepath.Join(o.root, "recordings", filepath.Base(string(folder))+"-"+time.Now().Format("20060102-150405"))
				}
				m := canary.Meta{Worker: spec.ID, Mode: spec.Mode, Model: spec.Model}
				if spec.Mode == watchdog.ModeTUI {
					m.Columns, m.Rows, _ = term.GetSize(int(os.Stdout.Fd())) // a terminal without a size is taken for a usual one
				}
				r, err := canary.Create(dir, m, record)
				if err == nil && out != "" {
					err = announce(filepath.Join(o.root, "recordings"), folder, dir)
				}
				return r, err
			}
			return o.run(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "", "`folder` of the recording; else one below --dir")
	f.BoolVar(&record.Contents, "contents", false, "record texts, paths and names as they are")
	f.BoolVar(&record.Names, "names", false, "record the names of models, providers and tools")
	o.workerFlags(cmd)
	o.watchFlags(cmd)
	return cmd
}

// announce leaves a link to a recording where mark looks for those that are being made.
func announce(root string, folder live.Folder, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	return os.Symlink(dir, filepath.Join(root, filepath.Base(string(folder))+"-"+time.Now().Format("20060102-150405.000")))
}

// startRecording lets a watch be recorded. end completes the recording, and removes the folder of a worker that has ended: its
// spool holds what the recording must not.
func (o *runOptions) startRecording(options *live.Options, spec live.Spec) (end func(), err error) {
	r, err := o.record(options.Folder, spec)
	if err != nil {
		return nil, err
	}
	options.Decided = r.Decided
	ended := false
	options.Seen = func(seen watchdog.Observation) error {
		if _, exited := seen.Body.(watchdog.Exited); exited {
			ended = true
		}
		return r.Observed(seen)
	}
	stop := keepSyncing(r, options.Failed)
	return func() {
		stop()
		if !ended {
			return // it can be read as it is
		}
		if err := r.Close(); err != nil {
			options.Failed(err)
			return
		}
		_ = os.RemoveAll(string(options.Folder)) // what cannot be removed is its owner's alone
		if !o.quiet {
			fmt.Fprintf(os.Stderr, "piwatch: the run is recorded in %s; to see it: piwatch replay %s\n", r.Dir(), r.Dir())
		}
	}, nil
}

// keepSyncing syncs a recording about once a second, until it is stopped.
func keepSyncing(r *canary.Recorder, failed func(error)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := r.Sync(); err != nil {
					failed(err)
				}
			}
		}
	}()
	return cancel
}

func markCommand() *cobra.Command {
	var root, dir string
	cmd := &cobra.Command{
		Use:   "mark KIND [TEXT]...",
		Short: "Mark this moment in the recording of a canary run",
		Long: `mark writes down what you think of this moment, in the recording that is being made: "right" (what it tells is so), "false alarm"
(it told of a worker that is well), "missed" (the worker is stuck, and it says nothing) or "note". The rest of the line is text of
your own, which is kept as you wrote it.`,
		Example: `  piwatch mark "false alarm"
  piwatch mark missed it has hung for ten minutes
  piwatch mark --recording runs/monday note lunch`,
		ValidArgs: canary.Marks(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || !slices.Contains(canary.Marks(), args[0]) {
				return fmt.Errorf("mark needs one of %s", quoted(canary.Marks()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				var err error
				if dir, err = running(filepath.Join(root, "recordings")); err != nil {
					return err
				}
			}
			m, err := canary.AddMark(dir, args[0], strings.Join(args[1:], " "))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s at %s\n", dir, m.Kind, time.Duration(m.At*float64(time.Millisecond)).Round(time.Second))
			return err
		},
	}
	cmd.Flags().StringVar(&root, "dir", stateDir(), "`folder` that workers are kept in")
	cmd.Flags().StringVar(&dir, "recording", "", "the `folder` of the recording; else the only one that is being made")
	return cmd
}

// running is the one recording in root that is not complete.
func running(root string) (string, error) {
	all, err := canary.Find(root)
	if err != nil {
		return "", err
	}
	var open []string
	for _, dir := range all {
		if m, err := canary.ReadMeta(dir); err == nil && !m.Complete && m.Code == nil && m.Signal == nil {
			open = append(open, dir)
		}
	}
	switch len(open) {
	case 0:
		return "", fmt.Errorf("nothing is being recorded in %s; start a run with: piwatch canary -- pi, or name a recording with --recording", root)
	case 1:
		return open[0], nil
	}
	return "", fmt.Errorf("%d runs are being recorded; name one with --recording: %s", len(open), strings.Join(open, ", "))
}

func quoted(words []string) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(all, ", ")
}
