package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fakepi.example/internal/watchdog/recovery"
)

// followEvery is how often the log is looked at.
const followEvery = 200 * time.Millisecond

func logCommand() *cobra.Command {
	var folder string
	var asJSON, follow bool
	cmd := &cobra.Command{
		Use:   "log --case DIR",
		Short: "Tell what was detected, planned, approved, done and verified",
		Long: `log prints the events of a case, events.jsonl, one line a transition; a recovery id joins those of one recovery.
With --follow it goes on until it is interrupted.`,
		Example: `  piwatch log --case ~/evidence/demo-1.case
  piwatch log --case ~/evidence/demo-1.case --follow --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := os.Stat(filepath.Join(folder, recovery.EventsFile)); err != nil {
				return fmt.Errorf("%w; name the folder that piwatch plan made", err)
			}
			out := cmd.OutOrStdout()
			each := func(e recovery.Event) error { return printEvent(out, &e) }
			if asJSON {
				each = func(e recovery.Event) error { return writeLine(out, e) }
			}
			ctx, stop := interruptible(cmd)
			defer stop()
			if follow {
				return recovery.Follow(ctx, folder, followEvery, each)
			}
			events, err := recovery.ReadEvents(folder)
			if err != nil {
				return err
			}
			for _, e := range events {
				if err := each(e); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&folder, "case", "", "the case `folder`")
	cmd.Flags().BoolVar(&follow, "follow", false, "go on with the events that come")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the events as they are recorded, one JSON object a line")
	require(cmd, "case")
	return cmd
}

func printEvent(w io.Writer, e *recovery.Event) error {
	line := fmt.Sprintf("%s  %s  %-8s  %-17s", e.Time.Format("2006-01-02T15:04:05.000Z"), e.Recovery, e.Event, e.Item)
	for _, more := range []string{recovery.Spell(e.Command), e.Text, e.By} {
		if more != "" {
			line += "  " + strings.ReplaceAll(more, "\n", " ")
		}
	}
	_, err := fmt.Fprintln(w, strings.TrimRight(line, " "))
	return err
}
