// Command run proves from outside that the suite can fail: it writes the reference engine anew with its mutants
// (package mutation) into a copy of the module, builds itself there, and plays the mutants in it. A mutant is killed by
// the first scenario that reaches it and fails; those that live must be explained in a file, and at most a tenth of them
// may be.
//
//	go run ./mutation/run            all mutants
//	go run ./mutation/run -sample 300 -seed 1
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
)

// Paths in the module.
const (
	enginePackage = "watchdog/engine"
	activePackage = "mutation/active"
	selfPackage   = "mutation/run"
	explanations  = "watchdog/engine/testdata/mutants.txt"
)

// options say what is played.
type options struct {
	sample, jobs int
	seed         uint64
	only         string // part of the ids of the mutants that are played
	tests        bool

	// Of a player, which the driver starts.
	play string
}

func main() {
	var o options
	flag.IntVar(&o.sample, "sample", 0, "play this many mutants, drawn by the seed; 0 = all")
	flag.Uint64Var(&o.seed, "seed", 1, "of the sample")
	flag.IntVar(&o.jobs, "jobs", runtime.GOMAXPROCS(0), "players at once")
	flag.StringVar(&o.only, "only", "", "play the mutants whose ids contain this `text`")
	flag.BoolVar(&o.tests, "tests", true, "have the engine's own tests play what the suite lets live")
	flag.StringVar(&o.play, "play", "", "be a player: coverage or mutants")
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
		return play(ctx, o.play, os.Stdin, os.Stdout)
	}
	return drive(ctx, o, os.Stdout)
}
