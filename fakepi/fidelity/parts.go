package fidelity

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Parts are what of a run is compared, in the common form.
func (r Run) Parts(c Case) []Part {
	n := NewNormal(r.Place.Home, r.Place.Work, c.Script.Snapshots)
	n.recorded = c.Script.Recorded != nil
	var parts []Part
	for i, pi := range r.Pis {
		prefix := fmt.Sprintf("Pi %d: ", r.First+i)
		stdout := pi.Stdout
		if c.Script.Unordered {
			stdout = ordered(stdout)
		}
		parts = append(parts,
			Part{prefix + "stdout", n.Stream(stdout)},
			Part{prefix + "stderr", textPart(n.Text(pi.Stderr))},
			Part{prefix + "exit", textPart(pi.Exit)},
			Part{prefix + "title", textPart(pi.Title)})
		for j, name := range slices.Sorted(maps.Keys(pi.Sessions)) { // by their times
			parts = append(parts, Part{fmt.Sprintf("%ssession %d: %s", prefix, j+1, anonymous(n.Text(name))), n.Entries(pi.Sessions[name])})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		records := textPart(n.Text(r.Files[name]))
		if strings.HasSuffix(name, ".jsonl") {
			records = n.Entries(recordsOf([]byte(r.Files[name])))
		}
		parts = append(parts, Part{"worktree: " + name, records})
	}
	return parts
}

var markedForm = regexp.MustCompile(idBegins + "[^" + idEnds + "]*" + idEnds)

// anonymous is a name without its ids.
func anonymous(name string) string { return markedForm.ReplaceAllString(name, "ID") }

func textPart(text string) []Record {
	var records []Record
	for line := range strings.Lines(text) {
		records = append(records, Record{Raw: []byte(line)})
	}
	return records
}
