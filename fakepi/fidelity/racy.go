package fidelity

import (
	"fmt"

	"fakepi.example/fakepi/native"
)

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
			Real: fmt.Sprintf("%d to %d lines", seen, seen+raceLines), Fake: fmt.Sprintf("%d lines", n)})
	}
	prefix := Part{Name: killed.Name, Records: whole.Records[:min(n, len(whole.Records))]}
	all = append(all, newMatcher().part(prefix, killed)...)

	low := onDisk(d, whole.Records[:seen]) - 1
	high := onDisk(d, whole.Records[:min(seen+raceLines, len(whole.Records))]) + 1
	if m := messages(file.Records); m < low || m > high {
		all = append(all, Difference{Part: file.Name, Line: len(file.Records), Broken: true,
			Real: fmt.Sprintf("%d to %d messages", max(low, 0), high), Fake: fmt.Sprintf("%d messages", m)})
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
