package fidelity

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"

	"fakepi.example/fakepi/native"
)

// Accepted is a difference that is known and stays, with its reason. A pattern is the text itself, where * stands for any
// characters but a slash, and ** for any; one that is left out matches everything.
type Accepted struct {
	Dialect native.Dialect `yaml:"dialect"`
	Case    string         `yaml:"case"` // pattern of the case's name
	Part    string         `yaml:"part"` // patterns of the difference's fields
	Kind    string         `yaml:"kind"`
	Path    string         `yaml:"path"`
	Pi      string         `yaml:"pi"` // pattern of what the real Pi has; a must for whole lines
	Reason  string         `yaml:"reason"`
}

// ErrAccepted: the list of accepted differences cannot be used.
var ErrAccepted = errors.New("list of accepted differences")

// AcceptedList is the checked-in list. It counts what its entries are used for.
type AcceptedList struct {
	entries []Accepted
	matches []func(Case, Difference) bool
	used    []int
}

// ParseAccepted reads the list, in YAML. Each entry needs a dialect, a path and a reason.
func ParseAccepted(text []byte) (*AcceptedList, error) {
	l := &AcceptedList{}
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&l.entries); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrAccepted, err)
	}
	for i, e := range l.entries {
		if e.Dialect == "" || e.Path == "" || e.Reason == "" {
			return nil, fmt.Errorf("%w: entry %d needs a dialect, a path and a reason: %+v", ErrAccepted, i+1, e)
		}
		if e.Path == wholeLines && (e.Part == "" || strings.Trim(e.Pi, "*") == "") {
			return nil, fmt.Errorf("%w: entry %d accepts whole lines, so it needs their part and by pi what they say: %+v", ErrAccepted, i+1, e)
		}
		l.matches = append(l.matches, e.matcher())
	}
	l.used = make([]int, len(l.entries))
	return l, nil
}

func (e Accepted) matcher() func(Case, Difference) bool {
	name, part, kind, path, pi := pattern(e.Case), pattern(e.Part), pattern(e.Kind), pattern(e.Path), pattern(e.Pi)
	return func(c Case, d Difference) bool {
		return e.Dialect == c.Dialect && name.MatchString(c.Name()) && part.MatchString(d.Part) &&
			kind.MatchString(d.Kind) && path.MatchString(d.Path) && pi.MatchString(strings.TrimSuffix(d.Pi, "\n")) &&
			(d.Path != wholeLines || e.Path == wholeLines)
	}
}

func pattern(text string) *regexp.Regexp {
	if text == "" {
		text = "**"
	}
	quoted := regexp.QuoteMeta(text)
	quoted = strings.ReplaceAll(quoted, `\*\*`, `(?s:.*)`)
	quoted = strings.ReplaceAll(quoted, `\*`, `[^/]*`)
	return regexp.MustCompile(`^(?:` + quoted + `)$`) // of quoted text, it compiles
}

// Sort divides differences into those that the list accepts and the others. A difference of whole records, behind which
// nothing may have been compared, is accepted only by an entry that has the path lines(), the part, and what Pi's line says.
func (l *AcceptedList) Sort(c Case, all []Difference) (accepted, others []Difference) {
	for _, d := range all {
		if i := l.find(c, d); i >= 0 {
			l.used[i]++
			accepted = append(accepted, d)
		} else {
			others = append(others, d)
		}
	}
	return accepted, others
}

func (l *AcceptedList) find(c Case, d Difference) int {
	for i, match := range l.matches {
		if match(c, d) && (!d.Broken || l.entries[i].Path == wholeLines) {
			return i
		}
	}
	return -1
}

// Stale are the entries of a dialect that have accepted nothing.
func (l *AcceptedList) Stale(d native.Dialect) []Accepted {
	var stale []Accepted
	for i, e := range l.entries {
		if l.used[i] == 0 && e.Dialect == d {
			stale = append(stale, e)
		}
	}
	return stale
}
