package main

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"fakepi.example/internal/watchdog/live"
	"fakepi.example/watchdog"
)

func statusCommand() *cobra.Command {
	var root string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "List the workers and what is known of them",
		Long: `status prints a line for each worker that piwatch run has started: its verdict, since when, the limit that passed, when it is
looked at again, and how many notices there were. A worker that nobody watches is marked; "piwatch attach ID" watches it again.`,
		Example: `  piwatch status
  piwatch status --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			folders, err := live.Folders(filepath.Join(root, "workers"))
			if err != nil {
				return err
			}
			views := []live.View{}
			for _, f := range folders {
				v, err := f.Look()
				if err != nil {
					return err
				}
				views = append(views, v)
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), views)
			}
			return printStatus(cmd.OutOrStdout(), views, time.Now())
		},
	}
	cmd.Flags().StringVar(&root, "dir", stateDir(), "`folder` that workers are kept in")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the workers as JSON")
	return cmd
}

func printStatus(out io.Writer, views []live.View, now time.Time) error {
	if len(views) == 0 {
		_, err := fmt.Fprintln(out, "no workers; start one with: piwatch run -- pi")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WORKER\tVERDICT\tSINCE\tLIMIT\tNEXT CHECK\tNOTICES\t")
	for _, v := range views {
		s := &v.Status
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\t%s\n", v.Worker.ID, verdictText(s), ago(s.Since, now), dash(string(s.Limit)),
			until(s.NextCheck, now), s.Told, watcherText(&v))
	}
	return w.Flush()
}

func verdictText(s *live.Status) string {
	text := string(s.Phase)
	if s.Status == watchdog.StatusSuspected {
		text += "?"
	}
	for _, f := range s.Flags {
		text += " " + string(f)
	}
	return dash(text)
}

// watcherText says that nobody watches a worker that may still run.
func watcherText(v *live.View) string {
	if v.Watched || v.Ended() {
		return ""
	}
	return "not watched"
}

func ago(at, now time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return now.Sub(at).Round(time.Second).String() + " ago"
}

func until(at, now time.Time) string {
	if at.IsZero() || at.Before(now) {
		return "-"
	}
	return "in " + at.Sub(now).Round(time.Second).String()
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
