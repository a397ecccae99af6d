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
	Real   string // the whole line, or the value; empty: none
	Fake   string
	Act    int    // of the client, when the line came
	Source string // line of the worker's half that was being played; empty: unknown
	Broken bool   // what follows in this part was not compared
}

// Compare returns the differences of two runs in their common form, in order. A part in which the kinds of the records
// differ is compared up to there.
func Compare(real, fake []Part) []Difference {
	var all []Difference
	m := newMatcher()
	for i := range max(len(real), len(fake)) {
		switch {
		case i >= len(real):
			all = append(all, Difference{Part: fake[i].Name, Fake: "is there", Broken: true})
		case i >= len(fake):
			all = append(all, Difference{Part: real[i].Name, Real: "is there", Broken: true})
		case real[i].Name != fake[i].Name:
			return append(all, Difference{Part: real[i].Name, Real: real[i].Name, Fake: fake[i].Name, Broken: true})
		default:
			all = append(all, m.part(real[i], fake[i])...)
		}
	}
	return all
}

// matcher compares values. It pairs the ids of the two runs as it meets them, and from then on wants the one wherever the
// other is: the same as numbering them as they are first seen, but that a missing line does not shift those behind it.
type matcher struct{ fakes, reals map[string]string }

func newMatcher() *matcher { return &matcher{fakes: map[string]string{}, reals: map[string]string{}} }

func (m *matcher) part(real, fake Part) []Difference {
	var all []Difference
	for i := range max(len(real.Records), len(fake.Records)) {
		r, f := at(real.Records, i), at(fake.Records, i)
		d := Difference{Part: real.Name, Line: i + 1, Kind: r.Kind, Act: max(r.Act, f.Act)}
		if r.Kind != f.Kind || (r.Value == nil) != (f.Value == nil) || r.Value == nil && !m.same(string(r.Raw), string(f.Raw)) {
			if d.Kind == "" {
				d.Kind = f.Kind
			}
			d.Path, d.Real, d.Fake, d.Broken = wholeLines, string(r.Raw), string(f.Raw), true
			return append(all, d)
		}
		for _, v := range m.values("", r.Value, f.Value) {
			d.Path, d.Real, d.Fake = v.path, v.real, v.fake
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
type valueDiff struct{ path, real, fake string }

func (m *matcher) values(path string, real, fake native.Value) []valueDiff {
	switch r := real.(type) {
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
	if a, b := text(real), text(fake); !m.same(a, b) {
		return []valueDiff{{path, a, b}}
	}
	return nil
}

// objects compares the values of the keys that both have, and the keys with their order.
func (m *matcher) objects(path string, real, fake native.Object) []valueDiff {
	var all []valueDiff
	var realKeys, fakeKeys []string
	for _, r := range real {
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
func (m *matcher) same(real, fake string) bool {
	a, b := strings.Split(real, idBegins), strings.Split(fake, idBegins)
	if len(a) != len(b) || a[0] != b[0] {
		return false
	}
	for i := 1; i < len(a); i++ {
		realID, realRest, _ := strings.Cut(a[i], idEnds)
		fakeID, fakeRest, _ := strings.Cut(b[i], idEnds)
		if realRest != fakeRest || !m.pair(realID, fakeID) {
			return false
		}
	}
	return true
}

// pair reports whether two ids stand for each other, and lets new ones do so.
func (m *matcher) pair(real, fake string) bool {
	f, knownReal := m.fakes[real]
	r, knownFake := m.reals[fake]
	if !knownReal && !knownFake {
		m.fakes[real], m.reals[fake] = fake, real
		return true
	}
	return knownReal && knownFake && f == fake && r == real
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "/" + key
}

func text(v native.Value) string { return string(native.AppendValue(nil, v)) }
