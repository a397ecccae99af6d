// Command run proves from outside that the suite can fail: it writes the reference engine anew with its mutants
// (package mutation), builds itself with that in the engine's place, and plays the mutants. Each is played in the scenarios
// in which it does otherwise, up to the first kill: by an assertion of the judge, by the engine's own tests, or, where
// neither minds, by the recorded histories, which are then others. Those that live must be explained in a file, and at most
// a tenth of all may be.
//
//	go run ./mutation/run                       all mutants
//	go run ./mutation/run -sample 300 -seed 1
//	go run ./mutation/run -fates kills.jsonl    goes on where an earlier run was interrupted
//	go run ./mutation/run -only budget.go       those of one file
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"

	"golang.org/x/term"
)

// Paths in the module.
const (
	activePackage = "internal/mutation/active"
	selfPackage   = "internal/mutation/run"
	explanations  = "watchdog/engine/testdata/mutants.txt"
)

// enginePackages lists the packages that make up the engine.
var enginePackages = []string{
	"watchdog/engine", "internal/watchdog/run", "internal/watchdog/episode", "internal/watchdog/debris", "internal/watchdog/agents/pi",
}

// options say what is played.
type options struct {
	sample, jobs int
	seed         uint64
	only         string // part of the places or ids of the mutants that are played
	withTests    bool
	fates        string // file
	terminal     bool   // progress is shown on one

	// Of a player, which the driver starts.
	play        string
	engineTests string
}

// What a player plays.
const (
	playCoverage = "coverage"
	playMutants  = "mutants"
)

// clearLine goes to the beginning of a terminal's line and clears it.
const clearLine = "\r\x1b[K"

func main() {
	var o options
	flag.IntVar(&o.sample, "sample", 0, "play this many mutants, drawn by the seed; 0 = all")
	flag.Uint64Var(&o.seed, "seed", 1, "of the sample")
	flag.IntVar(&o.jobs, "jobs", runtime.GOMAXPROCS(0), "players at once")
	flag.StringVar(&o.only, "only", "", "play the mutants whose places or ids contain this `text`")
	flag.BoolVar(&o.withTests, "tests", true, "have the engine's own tests play what the suite lets live")
	flag.StringVar(&o.fates, "fates", "", "keep what killed each mutant in this `file`; those that it names are not played again")
	flag.StringVar(&o.play, "play", "", "be a player: coverage or mutants")
	flag.StringVar(&o.engineTests, "engine-tests", "", "of a player: the `folder` with the programs of the engine's tests")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		if errors.Is(err, errLives) {
			os.Exit(1)
		}
		os.Exit(3)
	}
}

func run(ctx context.Context, o options) error {
	if o.play != "" {
		return play(ctx, o, os.Stdin, os.Stdout)
	}
	o.terminal = term.IsTerminal(int(os.Stderr.Fd()))
	return drive(ctx, o, os.Stdout, os.Stderr)
}
