package fidelity

import (
	"fmt"
	"strconv"
	"strings"

	"fakepi.example/fakepi/native"
)

// Part is one of the things that are compared: a stream, a session file, an exit status.
type Part struct {
	Name    string // as in "2nd Pi, stdout"
	Records []Record
}

// Difference is where the two runs differ.
type Difference struct {
	Part   string
	Line   int    // in the part, from 1
	Kind   string // of the real Pi's record, or of the fake's where the real Pi has none
	Path   string // in the record, as message/content/0/text; "lines()": the records as a whole
	Pi     string // the whole line, or the value; empty: none
	Fake   string
	Act    int    // of the client, when the line came
	Source string // line of the worker's half that was being played; empty: unknown
	Broken bool   // what follows in this part was not compared
}

// Compare returns the differences of two runs in their common form, in order. A part in which the kinds of the records
// differ is compared up to there.
func Compare(pi, fake []Part) []Difference {
	var all []Difference
	m := newMatcher()
	for i := range max(len(pi), len(fake)) {
		switch {
		case i >= len(pi):
			all = append(all, Difference{Part: fake[i].Name, Fake: "is there", Broken: true})
		case i >= len(fake):
			all = append(all, Difference{Part: pi[i].Name, Pi: "is there", Broken: true})
		case pi[i].Name != fake[i].Name:
			return append(all, Difference{Part: pi[i].Name, Pi: pi[i].Name, Fake: fake[i].Name, Broken: true})
		default:
			all = append(all, m.part(pi[i], fake[i])...)
		}
	}
	return all
}

// matcher compares values. It pairs the ids of the two runs as it meets them, and from then on wants the one wherever the
// other is: the same as numbering them as they are first seen, but that a missing line does not shift those behind it.
type matcher struct{ fakes, pis map[string]string }

func newMatcher() *matcher { return &matcher{fakes: map[string]string{}, pis: map[string]string{}} }

func (m *matcher) part(pi, fake Part) []Difference {
	var all []Difference
	for i := range max(len(pi.Records), len(fake.Records)) {
		r, f := at(pi.Records, i), at(fake.Records, i)
		d := Difference{Part: pi.Name, Line: i + 1, Kind: r.Kind, Act: max(r.Act, f.Act)}
		if r.Kind != f.Kind || (r.Value == nil) != (f.Value == nil) || r.Value == nil && !m.same(string(r.Raw), string(f.Raw)) {
			if d.Kind == "" {
				d.Kind = f.Kind
			}
			d.Path, d.Pi, d.Fake = wholeLines, string(r.Raw), string(f.Raw)
			if d.Broken = r.Value != nil || f.Value != nil || r.Raw == nil || f.Raw == nil; d.Broken {
				return append(all, d)
			}
			all = append(all, d) // of two lines of text the next can be compared
			continue
		}
		for _, v := range m.values("", r.Value, f.Value) {
			d.Path, d.Pi, d.Fake = v.path, v.pi, v.fake
			all = append(all, d)
		}
	}
	return all
}

// wholeLines is the path of a difference of whole records.
const wholeLines = "lines()"

// at is a record, or nothing behind the last.
func at(records []Record, i int) Record {
	if i < len(records) {
		return records[i]
	}
	return Record{}
}

// valueDiff is where two values differ.
type valueDiff struct{ path, pi, fake string }

func (m *matcher) values(path string, pi, fake native.Value) []valueDiff {
	switch r := pi.(type) {
	case native.Object:
		if f, ok := fake.(native.Object); ok {
			return m.objects(path, r, f)
		}
	case native.Array:
		if f, ok := fake.(native.Array); ok && len(f) == len(r) {
			var all []valueDiff
			for i := range r {
				all = append(all, m.values(join(path, strconv.Itoa(i)), r[i], f[i])...)
			}
			return all
		}
	}
	if a, b := text(pi), text(fake); !m.same(a, b) {
		return []valueDiff{{path, a, b}}
	}
	return nil
}

// objects compares the values of the keys that both have, and the keys with their order.
func (m *matcher) objects(path string, pi, fake native.Object) []valueDiff {
	var all []valueDiff
	var realKeys, fakeKeys []string
	for _, r := range pi {
		realKeys = append(realKeys, r.Key)
		if other := fake.Get(r.Key); other != nil {
			all = append(all, m.values(join(path, r.Key), r.Value, other)...)
		}
	}
	for _, f := range fake {
		fakeKeys = append(fakeKeys, f.Key)
	}
	if a, b := fmt.Sprint(realKeys), fmt.Sprint(fakeKeys); a != b {
		all = append(all, valueDiff{join(path, "keys()"), a, b})
	}
	return all
}

// same reports whether two texts differ in nothing but ids, which are used alike.
func (m *matcher) same(pi, fake string) bool {
	a, b := strings.Split(pi, idBegins), strings.Split(fake, idBegins)
	if len(a) != len(b) || a[0] != b[0] {
		return false
	}
	for i := 1; i < len(a); i++ {
		piID, piRest, _ := strings.Cut(a[i], idEnds)
		fakeID, fakeRest, _ := strings.Cut(b[i], idEnds)
		if piRest != fakeRest || !m.pair(piID, fakeID) {
			return false
		}
	}
	return true
}

// pair reports whether two ids stand for each other, and lets new ones do so.
func (m *matcher) pair(pi, fake string) bool {
	f, knownPi := m.fakes[pi]
	r, knownFake := m.pis[fake]
	if !knownPi && !knownFake {
		m.fakes[pi], m.pis[fake] = fake, pi
		return true
	}
	return knownPi && knownFake && f == fake && r == pi
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "/" + key
}

func text(v native.Value) string { return string(native.AppendValue(nil, v)) }
