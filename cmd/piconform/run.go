package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fakepi.example/conformance"
	"fakepi.example/conformance/report"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/internal/conformance/wcp/process"
	"fakepi.example/scenarios"
)

// defaultSeed is the seed of a shard that names none, since the parts of a run have to have the same, and of an example.
const defaultSeed = 1

// choice holds the flags that say what is run.
type choice struct {
	profile, cases, dialect string
	seed                    uint64
	jobs                    uint
	explore, budget, shard  string // of run alone
	scenarios               string // folder; empty: the matrix
	again                   string // what a replay line has behind the token
	audit                   bool
	shrink                  time.Duration
	failing                 string // file, or one of the words for it
}

func (c *choice) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	profileFlag(cmd, &c.profile)
	f.StringVar(&c.cases, "case", "", "only the cases that fit this `pattern`, such as 'stall/*'")
	f.Uint64Var(&c.seed, "seed", 0, "of every id and text that the workers invent; 0 = one is drawn and printed, of a shard 1")
	f.UintVar(&c.jobs, "jobs", 0, "cases played at once; 0 = one for each processor, of an adapter half as many more. It changes no result")
	f.StringVar(&c.dialect, "dialect", scenarios.Dialects()[0], "what the workers speak: "+strings.Join(scenarios.Dialects(), " or "))
	complete(cmd, "dialect", scenarios.Dialects())
}

func profileFlag(cmd *cobra.Command, profile *string) {
	cmd.Flags().StringVar(profile, "profile", "", "only the scenarios of this profile, of core in each but basic, and of basic; a `name` or letter")
	complete(cmd, "profile", scenarios.Profiles())
}

// profileName is the name of a profile that was given by its name, or by its letter as the set writes it.
func profileName(set *requirements.Set, given string) string {
	if info, ok := set.Profiles[requirements.Profile(given)]; ok {
		return info.Name
	}
	return given
}

func complete(cmd *cobra.Command, flag string, words []string) {
	// It fails only for a flag that there is not.
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

func runCommand() *cobra.Command {
	var adapter adapterFlags
	var what choice
	var show output
	cmd := &cobra.Command{
		Use:   "run [-- COMMAND [ARGUMENT...]]",
		Short: "Run a watchdog through the matrix and judge it",
		Long: `run judges the reference watchdog, or with a command after -- the one that this command serves over WCP/1 (docs/wcp.md).
It plays every scenario and its twin, and histories around each, and judges what the watchdog said and did. It ends
with a summary by family and requirement. Each failure comes with the requirement's sentence, what was expected and what
happened, the first event that should have been otherwise, what happened around it, and the line that plays it again.

--explore says which histories: none, the one that the scenario tells; bounded, every order of the events of one instant,
and where the watchdog is to act also the scenario's races and the crashes that it names; full, there also up to two
crashes of the watchdog at every boundary, every outcome and delay of a command, and deaths of workers at everything that
they write. Histories with fewer deviations come first, all with one before the first with two.

What fails is kept, in a file of the user's cache folder, and played first by the next run, until it passes. --shrink is for
how long a run looks for smaller histories that fail in the same way; they are told beside the others.

--budget is how many histories a case may have at most, or for how long the run goes on, in rounds; a run that its time
ended is the same as one with the number that its summary names.

With --json it prints one object: suite, subject, seed, dialect, digest, counts, scenarios, histories, events, wall_s,
then the parts. The digest depends on suite, subject, profile, cases, seed, dialect and the histories that were played,
never on time, host or --jobs.`,
		Example: `  piconform run
  piconform run --case 'stall/*' --seed 7
  piconform run --dialect pi-0.73 --summary
  piconform run --explore full --budget 60s
  piconform run --explore full --shard 2/8 --json >shard2.json
  piconform run --profile explain --json | jq .counts
  piconform run --scenarios my-scenarios -- python3 adapter.py
  piconform run --out out/`,
		RunE: func(cmd *cobra.Command, args []string) error {
			what.again = again(what.scenarios, args)
			err := adapter.with(cmd, args, func(s conformance.Subject) error { return what.judge(cmd, s, show) })
			if errors.Is(err, process.ErrAdapter) && show.dir != "" {
				err = errors.Join(err, what.reportStillborn(cmd, stillborn{args[0], err}, show.dir))
			}
			return err
		},
	}
	what.flags(cmd)
	scenariosFlag(cmd, &what.scenarios)
	adapter.flags(cmd)
	cmd.Flags().StringVar(&what.explore, "explore", string(conformance.ExploreBounded), "which histories around a case are played: none, bounded or full")
	cmd.Flags().StringVar(&what.budget, "budget", "", fmt.Sprintf("a number of histories of each case or a `time` such as 60s (default %d, full %d)", conformance.DefaultHistories, conformance.FullHistories))
	complete(cmd, "explore", explorations())
	cmd.Flags().BoolVar(&what.audit, "audit", false, "play each history twice; a difference is a failure that shows where the two part")
	cmd.Flags().DurationVar(&what.shrink, "shrink", shrinkTime, "how `long` smaller histories of what fails are looked for; 0 = not at all")
	cmd.Flags().StringVar(&what.failing, "failing", failingInCache, "`file` of the histories that failed, which are played first next time: a path, "+failingInCache+" or "+failingNowhere)
	cmd.Flags().StringVar(&what.shard, "shard", "", "only part `I/N` of the cases, such as 2/8, or auto: as CI tells; piconform merge puts the parts together")
	show.flags(cmd)
	return cmd
}

// output says how a result is told.
type output struct {
	json, summary bool
	dir           string // for files; empty: none
}

func (o *output) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&o.summary, "summary", false, "print failures and counts alone")
	cmd.Flags().StringVar(&o.dir, "out", "", "also write report.json, report.txt and junit.xml into this `folder`")
	cmd.MarkFlagsMutuallyExclusive("json", "summary")
}

// write tells a result.
func (o output) write(w io.Writer, r report.Report) error {
	if o.dir != "" {
		if err := r.WriteDir(o.dir); err != nil {
			return err
		}
	}
	switch {
	case o.json:
		return r.JSON(w)
	case o.summary:
		return r.Summary(w, colored(w))
	}
	return r.Text(w, colored(w))
}

// judge runs a subject through the matrix and reports what came of it; its error is the exit code.
func (c *choice) judge(cmd *cobra.Command, subject conformance.Subject, show output) error {
	set, all, err := scenariosOf(c.scenarios)
	if err != nil {
		return err
	}
	options, err := c.options(set)
	if err != nil {
		return err
	}
	if c.scenarios != "" && c.failing == failingInCache {
		c.failing = failingNowhere // it is of the matrix
	}
	kept, err := openFailing(c.failing, subject.Name())
	if err != nil {
		return err
	}
	if drawn := c.seed == 0 && c.shard == ""; drawn && show.summary && !show.json {
		fmt.Fprintf(cmd.OutOrStdout(), "seed %d, drawn for this run: --seed %[1]d plays it again\n", options.Seed)
	}
	start := time.Now()
	before := kept.play(cmd.ErrOrStderr(), subject, all, options)
	var clear func()
	options.Progress, clear = progress(cmd.ErrOrStderr(), "cases")
	result, err := conformance.Run(cmd.Context(), subject, all, options)
	clear()
	if err != nil {
		return err
	}
	r := report.Report{Result: result, Set: set, Wall: time.Since(start), Before: before, Again: c.again}
	if err := kept.keep(result); err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "piconform: what failed is not kept for the next run: %v\n", err)
	}
	if err := show.write(cmd.OutOrStdout(), r); err != nil {
		return err
	}
	return done(r.ExitCode())
}

// usedSeed is the seed that was named, or drawn.
func (c *choice) usedSeed() uint64 {
	switch {
	case c.seed != 0:
		return c.seed
	case c.shard != "":
		return defaultSeed
	}
	return conformance.DrawSeed()
}

func (c *choice) options(set *requirements.Set) (conformance.Options, error) {
	if known := scenarios.Dialects(); !slices.Contains(known, c.dialect) {
		return conformance.Options{}, fmt.Errorf("no dialect %q; known: %s", c.dialect, strings.Join(known, ", "))
	}
	budget, err := parseBudget(c.budget)
	switch {
	case err != nil:
		return conformance.Options{}, err
	case c.budget != "" && c.explore == string(conformance.ExploreNone):
		return conformance.Options{}, errors.New("--budget is of histories that are explored; with --explore none there are none")
	case c.shrink < 0:
		return conformance.Options{}, fmt.Errorf("--shrink %s is no time to look for smaller histories; 0 is none at all", c.shrink)
	}
	o := conformance.Options{
		Profile: profileName(set, c.profile), CaseGlob: c.cases, Seed: c.usedSeed(), Jobs: int(c.jobs), Dialect: native.Dialect(c.dialect),
		Explore: conformance.Exploration(c.explore), Audit: c.audit, Shrink: c.shrink, NoMemory: c.scenarios != "",
	}
	if o.Shard, err = parseShard(c.shard, os.Getenv); err != nil {
		return o, err
	}
	budget.apply(&o)
	return o, nil
}

func explorations() []string {
	var words []string
	for _, e := range conformance.Explorations() {
		words = append(words, string(e))
	}
	return words
}

// done turns an exit code into the error of a command.
func done(code int) error {
	if code == exitOK {
		return nil
	}
	return exit(code)
}
