package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"fakepi.example/internal/watchdog/canary"
	"fakepi.example/internal/watchdog/canary/calibrate"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// calibration is what calibrate prints with --json.
type calibration struct {
	Recordings int                  `json:"recordings"`
	Proposals  []calibrate.Proposal `json:"proposals"`
	Default    calibrate.Outcome    `json:"with_policy"`   // what the policy given, or the defaults, makes of the recordings
	Proposed   calibrate.Outcome    `json:"with_proposed"` // what it makes of them with the proposals
	LeftOut    []string             `json:"left_out,omitempty"`
}

func calibrateCommand() *cobra.Command {
	o := calibrate.DefaultOptions()
	var policyPath, policyOut, htmlOut string
	var sets []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "calibrate [flags] RECORDING...",
		Short: "Propose limits from recorded runs, with their evidence",
		Long: `calibrate measures how long first tokens, pauses, tools, compactions and starts took in recordings of "piwatch canary", and proposes
for each limit the least value that lets all but a few pass, as sure as the recordings allow: by default 99 % of the spans, with 95 %
confidence. A span that an abort, a kill or the end of the recording cut short counts as "at least as long". Where the evidence is
too thin it says so, and proposes nothing. Models and tools get a limit of their own only where it would surely be another; they
need recordings with --names.

It then plays every recording with the policy as it is and with the proposals, and counts alarms: those after which the worker went
on by itself, and what the marks say.`,
		Example: `  piwatch calibrate runs/*
  piwatch calibrate --policy-out policy.yaml --html limits.html runs/*`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("calibrate needs at least one RECORDING, a folder that piwatch canary has named")
			}
			if !(o.Quantile > 0 && o.Quantile < 1 && o.Confidence > 0 && o.Confidence < 1) { // not a number is none of these
				return errors.New("--quantile and --confidence are shares between 0 and 1, such as 0.99")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, dirs []string) error {
			policy, err := loadPolicy(policyPath, sets)
			if err != nil {
				return err
			}
			c, err := calibrateRuns(dirs, policy, o)
			if err != nil {
				return err
			}
			if policyOut != "" {
				if err := renameio.WriteFile(policyOut, calibrate.PolicyFile(c.Proposals), 0o644); err != nil {
					return err
				}
			}
			if htmlOut != "" {
				page, err := calibrate.Page(c.Proposals, c.Recordings, policy)
				if err != nil {
					return err
				}
				if err := renameio.WriteFile(htmlOut, page, 0o644); err != nil {
					return err
				}
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), c)
			}
			return printCalibration(cmd.OutOrStdout(), c)
		},
	}
	f := cmd.Flags()
	f.Float64Var(&o.Quantile, "quantile", o.Quantile, "the `share` of spans that a limit lets pass")
	f.Float64Var(&o.Confidence, "confidence", o.Confidence, "how sure that must be, as a `share`")
	f.StringVar(&policyPath, "policy", "", "read the policy in force from this YAML `file`")
	f.StringArrayVar(&sets, "set", nil, "override one limit, as `limit=value`; may be repeated")
	f.StringVar(&policyOut, "policy-out", "", "write the proposals as a policy `file`")
	f.StringVar(&htmlOut, "html", "", "write a page with the spans drawn against the limits to this `file`")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	completeFlags(cmd)
	return cmd
}

// calibrateRuns reads the recordings and measures them. A folder that is no recording does not keep the others from being read,
// but one must be.
func calibrateRuns(dirs []string, policy watchdog.Policy, o calibrate.Options) (*calibration, error) {
	c := &calibration{}
	var all []*canary.Recording
	var samples []calibrate.Sample
	var failed error
	seen := map[string]bool{}
	for _, dir := range dirs {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			if seen[real] {
				c.LeftOut = append(c.LeftOut, dir+": it was given already")
				continue
			}
			seen[real] = true
		}
		r, err := canary.Read(dir)
		if err != nil {
			c.LeftOut = append(c.LeftOut, err.Error())
			failed = errors.Join(failed, err)
			continue
		}
		for _, d := range r.Damage {
			c.LeftOut = append(c.LeftOut, dir+": "+d)
		}
		if len(r.Events) == 0 {
			c.LeftOut = append(c.LeftOut, dir+": it has no lines: a worker in a terminal shows no spans")
			continue
		}
		all = append(all, r)
		samples = append(samples, calibrate.Samples(r.Meta.Mode, ms(r.Meta.SpawnedAt), r.Events, ms(r.Meta.ExitedAt))...)
	}
	if len(all) == 0 {
		return nil, errors.Join(failed, errors.New("there is nothing to measure: no recording with lines was given"))
	}
	c.Recordings, c.Proposals = len(all), calibrate.Propose(samples, o)
	proposed, err := calibrate.Apply(policy, c.Proposals)
	if err != nil {
		return nil, err
	}
	start := func(b watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(b) }
	for _, r := range all {
		err := c.Default.Judge(r, start, policy)
		if err == nil {
			err = c.Proposed.Judge(r, start, proposed)
		}
		if err != nil {
			c.LeftOut = append(c.LeftOut, "the alarms of "+r.Dir+": "+err.Error())
		}
	}
	return c, nil
}

func ms(t float64) time.Duration { return time.Duration(t * float64(time.Millisecond)) }

func printCalibration(out io.Writer, c *calibration) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "LIMIT\tOF\tSPANS\tCUT SHORT\tPROPOSED\tWHY")
	for _, p := range c.Proposals {
		of, value := "all", "-"
		if p.Value == 0 && p.Model+p.Tool != "" {
			continue // the limit for all holds
		}
		if p.Model != "" || p.Tool != "" {
			of = printable(p.Model + p.Tool)
		}
		if p.Value > 0 {
			value = p.Value.String()
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\n", p.Limit, of, p.Spans, p.Censored, value, p.Why)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d recordings\n", c.Recordings)
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\tALARMS\tHEALED BY THEMSELVES\tMARKED FALSE\tMISSED\tNOTICED")
	for _, row := range []struct {
		name string
		o    calibrate.Outcome
	}{{"policy in force", c.Default}, {"with the proposals", c.Proposed}} {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\n", row.name, row.o.Alarms, row.o.Healed, row.o.MarkedFalse, row.o.Missed, row.o.Noticed)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, l := range c.LeftOut {
		if _, err := fmt.Fprintln(out, "left out:", printableLine(l)); err != nil {
			return err
		}
	}
	return nil
}
