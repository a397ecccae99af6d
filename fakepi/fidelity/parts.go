package fidelity

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fakepi.example/fakepi/native"
)

// Parts are what of a run is compared, in the common form.
func (r Run) Parts(c Case) []Part {
	n := NewNormal(r.Place.Home, r.Place.Work, c.Script.Snapshots || c.Dialect != native.Pi073 && false)
	var parts []Part
	for i, pi := range r.Pis {
		prefix := fmt.Sprintf("Pi %d: ", i+1)
		parts = append(parts,
			Part{prefix + "stdout", n.Stream(pi.Stdout)},
			Part{prefix + "stderr", textPart(n.Text(pi.Stderr))},
			Part{prefix + "exit", textPart(pi.Exit)})
		for _, name := range slices.Sorted(maps.Keys(pi.Sessions)) {
			parts = append(parts, Part{prefix + n.Text(name), n.Entries(pi.Sessions[name])})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		parts = append(parts, Part{"worktree: " + name, textPart(n.Text(r.Files[name]))})
	}
	return parts
}

func textPart(text string) []Record {
	var records []Record
	for line := range strings.Lines(text) {
		records = append(records, Record{Raw: []byte(line)})
	}
	return records
}

// short is the part of a long line around a byte.
func short(s string, around int) string {
	const width = 300
	from := max(0, around-width/2)
	to := min(len(s), from+width)
	out := s[from:to]
	if from > 0 {
		out = "..." + out
	}
	if to < len(s) {
		out += "..."
	}
	return out
}
