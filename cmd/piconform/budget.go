package main

import (
	"fmt"
	"strconv"
	"time"

	"fakepi.example/conformance"
)

// budget is how much a run explores: at most so many histories of each case, or as many as real time allows.
type budget struct {
	histories int
	span      time.Duration
}

func parseBudget(text string) (budget, error) {
	if text == "" {
		return budget{}, nil
	}
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return budget{histories: n}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return budget{span: d}, nil
	}
	return budget{}, fmt.Errorf("a budget of %q; give a number of histories of each case such as 2000, or a time such as 60s", text)
}

// apply puts the budget into options.
func (b budget) apply(o *conformance.Options) {
	o.Histories = b.histories
	if b.span > 0 {
		o.Histories = firstRound
		p := pace{start: time.Now(), span: b.span}
		o.More = p.more
	}
}

// pace decides after each round of a run in real time how far the next one goes.
type pace struct {
	start  time.Time
	span   time.Duration
	spent  time.Duration // before the last round
	played int           // histories of a case before it
}

// A round may miss its time: the cases that have more histories are not the average, and others may want the processor.
const (
	firstRound = 16  // histories of a case, before anything is known of the pace
	steepest   = 4   // times as many histories as before
	rounds     = 4   // a round is given this part of the time left
	reserve    = 100 // and this part of the whole is left for the report
)

func (p *pace) more(histories, _ int) int { return p.next(histories, time.Since(p.start)) }

// next is more at a time since the start.
func (p *pace) next(histories int, now time.Duration) int {
	round, played := now-p.spent, histories-p.played
	p.spent, p.played = now, histories
	left := p.span - p.span/reserve - now
	if left <= 0 {
		return 0
	}
	further := histories * (steepest - 1)
	if round > 0 {
		fits := float64(played) * float64(left/rounds) / float64(round)
		further = int(min(fits, float64(further)))
	}
	return histories + further
}
