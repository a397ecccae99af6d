package fidelity

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Parts are what of a run is compared, in the common form.
func (r Run) Parts(c Case) []Part {
	n := NewNormal(r.Place.Home, r.Place.Work, c.Script.Snapshots)
	var parts []Part
	for i, pi := range r.Pis {
		prefix := fmt.Sprintf("Pi %d: ", r.First+i)
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
