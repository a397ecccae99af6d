package fidelity

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"fakepi.example/fakepi/native"
)

// race runs a case with the kill and without, and asserts what the kill has left (rule 9).
func (r *Result) race(ctx context.Context, s Subjects, dir string) error {
	c := r.Case
	whole := c
	whole.Stop = ""
	unhurt, err := s.fake(ctx, whole, filepath.Join(dir, "full"))
	if err != nil {
		return err
	}
	pi, fake, err := s.both(ctx, c, filepath.Join(dir, "real"), filepath.Join(dir, "fake"))
	if err != nil {
		return err
	}
	r.Pi, r.Fake = pi.run, fake
	r.checkRace("pi", unhurt, pi.run)
	r.checkRace("fake", unhurt, fake)
	r.Differences = append(r.Differences, newMatcher().part(exitPart(pi.run), exitPart(fake))...)
	return nil
}

func exitPart(run Run) Part { return Part{"Pi 1: exit", textPart(run.Pis[0].Exit)} }

func (r *Result) checkRace(who string, whole, killed Run) {
	c := r.Case
	a, b := whole.Parts(c), killed.Parts(c)
	find := func(parts []Part, suffix string) Part {
		for _, p := range parts {
			if strings.HasSuffix(p.Name, suffix) {
				return p
			}
		}
		return Part{Name: "session file"}
	}
	stdout, file := find(b, "stdout"), find(b, ".jsonl")
	stdout.Name, file.Name = who+": "+stdout.Name, who+": "+file.Name
	r.Lines += len(stdout.Records)
	r.Entries += len(file.Records)
	r.Differences = append(r.Differences,
		CheckRace(c.Dialect, find(a, "stdout"), stdout, find(a, ".jsonl"), file, killed.Pis[0].Seen)...)
}

// Bounds of a race (rule 9): a kill on an event lets so many more lines out, and the session file may lack or have one
// entry more.
const raceLines = 4

// CheckRace asserts that what a Pi left that was killed on a record is one of the states that the race allows. whole is
// the same run without the kill, on the last of seen lines of which the client had sent it; all in the common form. It
// returns a difference for each part that is none of them.
func CheckRace(d native.Dialect, whole, killed Part, wholeFile, file Part, seen int) []Difference {
	var all []Difference
	n := len(killed.Records)
	if n < seen || n > seen+raceLines || n > len(whole.Records) {
		all = append(all, Difference{Part: killed.Name, Line: n, Broken: true,
			Pi: fmt.Sprintf("%d to %d lines", seen, seen+raceLines), Fake: fmt.Sprintf("%d lines", n)})
	}
	prefix := Part{Name: killed.Name, Records: whole.Records[:min(n, len(whole.Records))]}
	all = append(all, newMatcher().part(prefix, killed)...)

	// What is written with the last line may be missing: an entry, or with the one that begins it the whole file.
	low := min(onDisk(d, whole.Records[:seen])-1, onDisk(d, whole.Records[:max(seen-1, 0)]))
	high := onDisk(d, whole.Records[:min(seen+raceLines, len(whole.Records))]) + 1
	if m := messages(file.Records); m < low || m > high {
		all = append(all, Difference{Part: file.Name, Line: len(file.Records), Broken: true,
			Pi: fmt.Sprintf("%d to %d messages", max(low, 0), high), Fake: fmt.Sprintf("%d messages", m)})
	}
	prefix = Part{Name: file.Name, Records: wholeFile.Records[:min(len(file.Records), len(wholeFile.Records))]}
	return append(all, newMatcher().part(prefix, file)...)
}

// onDisk is how many messages the session file has when these lines have been printed, but for the one of which the order
// against stdout depends on the dialect (docs/pi-formats.md, section 8).
func onDisk(d native.Dialect, lines []Record) int {
	n, begun := 0, d != native.Pi073
	for _, r := range lines {
		if r.is("message_end") {
			n++
		}
		begun = begun || r.Kind == "message_end(assistant)"
	}
	if !begun {
		return 0
	}
	return n
}

func messages(entries []Record) int {
	n := 0
	for _, r := range entries {
		if r.is("message") {
			n++
		}
	}
	return n
}
