package fidelity

import "strings"

// Even is rule 9 for records that a race lets out or not: of a kind, those that one stdout has more than the other, its last,
// do not count. Both lists have the same stdouts in the same order. Without a kind nothing is left out.
func Even(kind string, a, b []Part) (_, _ []Part) {
	if kind == "" {
		return a, b
	}
	kept := map[string]int{}
	for _, p := range a {
		kept[p.Name] = count(kind, p.Records)
	}
	for _, p := range b {
		kept[p.Name] = min(kept[p.Name], count(kind, p.Records))
	}
	return first(kind, kept, a), first(kind, kept, b)
}

func count(kind string, records []Record) int {
	n := 0
	for _, r := range records {
		if r.is(kind) {
			n++
		}
	}
	return n
}

// first keeps of a kind so many records in each stdout.
func first(kind string, kept map[string]int, parts []Part) []Part {
	out := make([]Part, len(parts))
	for i, p := range parts {
		if out[i] = p; !strings.HasSuffix(p.Name, "stdout") {
			continue
		}
		out[i].Records = nil
		n := 0
		for _, r := range p.Records {
			if r.is(kind) {
				n++
			}
			if !r.is(kind) || n <= kept[p.Name] {
				out[i].Records = append(out[i].Records, r)
			}
		}
	}
	return out
}
