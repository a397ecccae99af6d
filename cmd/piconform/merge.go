package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"fakepi.example/conformance"
	"fakepi.example/conformance/report"
	"fakepi.example/internal/conformance/requirements"
)

func mergeCommand() *cobra.Command {
	var show output
	cmd := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Put the shards of a run together",
		Long: `merge reads the reports that piconform run --shard I/N --json has written, one of each shard, and reports the run as a
whole, with the digest that the whole would have. Its time is that of the longest shard.`,
		Example: "  piconform merge shard1.json shard2.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("merge takes the reports of all shards; see %s --help", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, files []string) error {
			r, err := merge(files)
			if err != nil {
				return err
			}
			if err := show.write(cmd.OutOrStdout(), r); err != nil {
				return err
			}
			return done(r.Result.ExitCode())
		},
	}
	show.flags(cmd)
	return cmd
}

func merge(files []string) (report.Report, error) {
	var r report.Report
	var shards []*conformance.Result
	for _, name := range files {
		shard, wall, err := readReport(name)
		if err != nil {
			return r, err
		}
		shards = append(shards, shard)
		r.Wall = max(r.Wall, wall)
	}
	var err error
	if r.Result, err = conformance.Merge(shards); err != nil {
		return r, err
	}
	r.Set, err = requirements.Load()
	return r, err
}

func readReport(name string) (*conformance.Result, time.Duration, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	shard, wall, err := report.Read(f)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	return shard, wall, nil
}
