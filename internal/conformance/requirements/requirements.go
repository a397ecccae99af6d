// Package requirements holds the frozen set of what a watchdog of coding-agent workers must do.
//
// The set is one data file, requirements.yaml. Scenarios, invariants, mutants and reports name its requirements by id
// (WDC-AREA-NNN). Ids are opaque: never renumbered, and never used again for something else.
package requirements

import (
	_ "embed"
	"fmt"
	"slices"
)

// Level says what missing a requirement means: a MUST fails, a SHOULD warns.
type Level string

// The levels.
const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
)

// Profile is the letter of a group of requirements that a subject is certified for as a whole.
type Profile string

// The profiles. Core is compulsory.
const (
	Core     Profile = "C" // verdicts and notices, one incarnation
	Recovery Profile = "R" // stopping, evidence, resuming
	Durable  Profile = "D" // the watchdog's own restart
	Gated    Profile = "G" // the owner's approval
	Fleet    Profile = "F" // many workers
	Explain  Profile = "E" // causes and evidence
	Realtime Profile = "T" // an installed black box in real time
)

// Profiles lists the profiles in the order in which a report shows them.
func Profiles() []Profile {
	return []Profile{Core, Explain, Recovery, Durable, Gated, Fleet, Realtime}
}

// Part is what a requirement asks for in one profile. Its sentence is "A watchdog LEVEL TEXT".
type Part struct {
	Profile Profile `yaml:"profile"`
	Level   Level   `yaml:"level"`
	Text    string  `yaml:"text"`
}

// Sentence is the part as a whole sentence.
func (p Part) Sentence() string { return fmt.Sprintf("A watchdog %s %s", p.Level, p.Text) }

// Requirement is one line of the set.
type Requirement struct {
	ID     string
	Area   string // "STALL"
	Part          // what it asks for in its own profile
	Also   []Part // what it asks for in others
	Source string // a key of Set.Sources, and references
}

// In returns the requirement as one profile sees it, and false if it asks for nothing there.
func (r Requirement) In(p Profile) (Requirement, bool) {
	for _, part := range append([]Part{r.Part}, r.Also...) {
		if part.Profile == p {
			r.Part, r.Also = part, nil
			return r, true
		}
	}
	return Requirement{}, false
}

// Area groups requirements by subject.
type Area struct {
	Code         string // "STALL"
	Title        string
	Requirements []Requirement
}

// ProfileInfo names a profile.
type ProfileInfo struct {
	Name  string `yaml:"name"`
	About string `yaml:"about"`
}

// Change tells what one version of the set changed.
type Change struct {
	Version int      `yaml:"version"`
	Changes []string `yaml:"changes"`
}

// Retired is a requirement that was dropped; its id stays taken.
type Retired struct {
	ID      string `yaml:"id"`
	Version int    `yaml:"version"` // the first without it
	Reason  string `yaml:"reason"`
}

// Set is one version of the requirements.
type Set struct {
	Version   int
	Profiles  map[Profile]ProfileInfo
	Sources   map[string]string // what a requirement's source stands for
	Areas     []Area
	Changelog []Change // oldest first
	Retired   []Retired
}

//go:embed requirements.yaml
var embedded []byte

// Load returns the set that this version of the program was built with.
func Load() (*Set, error) { return Parse("requirements.yaml", embedded) }

// All returns every requirement, in the order of the file.
func (s *Set) All() []Requirement {
	var all []Requirement
	for _, a := range s.Areas {
		all = append(all, a.Requirements...)
	}
	return all
}

// Lookup finds a requirement by id.
func (s *Set) Lookup(id string) (Requirement, bool) {
	all := s.All()
	i := slices.IndexFunc(all, func(r Requirement) bool { return r.ID == id })
	if i < 0 {
		return Requirement{}, false
	}
	return all[i], true
}

// ByProfile returns what one profile asks for: each requirement with the profile's own level and text.
func (s *Set) ByProfile(p Profile) []Requirement {
	var found []Requirement
	for _, r := range s.All() {
		if part, ok := r.In(p); ok {
			found = append(found, part)
		}
	}
	return found
}
