package fidelity

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/fidelity/realpi"
	"fakepi.example/internal/fakepi/model"
)

// Subjects are the two that are compared.
type Subjects struct {
	Pi   realpi.Pi
	Gate string // path of the extension that asks before bash runs
	// Starts has room for as many Pis as may be starting at once: that is what takes the processor, the rest is waiting.
	Starts chan struct{}
	Fake   Fake
}

// Result is what the comparison of a case came to.
type Result struct {
	Case        Case
	Differences []Difference
	Err         error // the comparison could not be made
	Lines       int   // compared, of streams
	Entries     int   // of session files
	Requests    int   // of the model
	Took        time.Duration
	Pi, Fake    Run
}

// Judge runs a case with both in folders below dir, and compares them.
func Judge(ctx context.Context, s Subjects, c Case, dir string) Result {
	began := time.Now()
	r := Result{Case: c}
	if c.Script.Racy {
		r.Err = r.race(ctx, s, dir)
	} else {
		r.Err = r.compare(ctx, s, dir)
	}
	r.Took = time.Since(began)
	return r
}

func (r *Result) compare(ctx context.Context, s Subjects, dir string) error {
	c := r.Case
	fakeDir := filepath.Join(dir, "fake")
	pi, fake, err := s.both(ctx, c, filepath.Join(dir, "real"), fakeDir)
	if err != nil {
		return err
	}
	r.Pi, r.Fake = pi.run, fake
	parts, others := Even(c.Script.Maybe, pi.run.Parts(c), fake.Parts(c))
	r.add(parts, others)
	if c.Dialect == native.Pi073 && !c.Script.Snapshots {
		r.snapshots("pi", pi.run)
		r.snapshots("fake", fake)
	}
	r.locate(parts)
	if !c.Script.Resumes {
		return nil
	}
	resumed, err := s.resume(ctx, c, fakeDir, fake, pi)
	if err == nil {
		r.add(pi.resumed(c), resumed.resumed(c))
	}
	return err
}

// both runs the two side by side: fakepi mostly waits. The names of the folders, which a model counts, are of one length.
func (s Subjects) both(ctx context.Context, c Case, piDir, fakeDir string) (pi piRun, fake Run, err error) {
	var piErr, fakeErr error
	var both sync.WaitGroup
	both.Go(func() { pi, piErr = s.real(ctx, c, piDir) })
	both.Go(func() { fake, fakeErr = s.fake(ctx, c, fakeDir) })
	both.Wait()
	return pi, fake, errors.Join(piErr, fakeErr)
}

// add compares parts and counts them.
func (r *Result) add(pi, fake []Part) {
	for _, p := range pi {
		switch {
		case strings.HasSuffix(p.Name, "stdout"):
			r.Lines += len(p.Records)
		case strings.HasSuffix(p.Name, ".jsonl"):
			r.Entries += len(p.Records)
		case strings.HasSuffix(p.Name, "requests"):
			r.Requests += len(p.Records)
		}
	}
	r.Differences = append(r.Differences, Compare(pi, fake)...)
}

// snapshots checks rule 2.
func (r *Result) snapshots(who string, run Run) {
	for i, pi := range run.Pis {
		for _, wrong := range Snapshots(pi.Stdout) {
			r.Differences = append(r.Differences, Difference{
				Part: fmt.Sprintf("Pi %d: snapshots of %s", i+1, who), Pi: "deltas <= snapshot <= final text", Fake: wrong,
			})
		}
	}
}

// locate finds the line of the worker's half that was being played when each difference came: that of the reply.
func (r *Result) locate(parts []Part) {
	for i := range r.Differences {
		d := &r.Differences[i]
		for _, p := range parts {
			if p.Name == d.Part && strings.HasSuffix(p.Name, "stdout") {
				d.Source = r.source(p, d.Line)
			}
		}
	}
}

// source is where the reply stands that a line of stdout belongs to.
func (r *Result) source(stdout Part, line int) string {
	var pi int
	if _, err := fmt.Sscanf(stdout.Name, "Pi %d: ", &pi); err != nil {
		return ""
	}
	replies, err := model.Compile(r.Case.section(pi), r.Case.Script.Worker.Files)
	n := 0
	for _, l := range stdout.Records[:min(line, len(stdout.Records))] {
		if l.Kind == "message_start(assistant)" {
			n++
		}
	}
	if err != nil || n == 0 || n > len(replies) {
		return ""
	}
	return replies[n-1].Source
}
