package requirements

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// ErrSet is wrapped by every error about a requirement set.
var ErrSet = errors.New("requirement set")

type fileForm struct {
	Version   int                     `yaml:"version"`
	Profiles  map[Profile]ProfileInfo `yaml:"profiles"`
	Sources   map[string]string       `yaml:"sources"`
	Changelog []Change                `yaml:"changelog"`
	Retired   []Retired               `yaml:"retired"`
	Areas     []areaForm              `yaml:"areas"`
}

type areaForm struct {
	Area         string            `yaml:"area"`
	Title        string            `yaml:"title"`
	Requirements []requirementForm `yaml:"requirements"`
}

type requirementForm struct {
	ID      string  `yaml:"id"`
	Profile Profile `yaml:"profile"`
	Level   Level   `yaml:"level"`
	Text    string  `yaml:"text"`
	Also    []Part  `yaml:"also"`
	Source  string  `yaml:"source"`
}

// Parse reads a set; file names it in errors, which wrap ErrSet. A set that breaks its own rules is refused: an id that
// is malformed, doubled, out of order or retired, an unknown level, profile or source, a sentence without an end.
func Parse(file string, src []byte) (*Set, error) {
	var form fileForm
	if err := yaml.UnmarshalWithOptions(src, &form, yaml.Strict()); err != nil {
		if e, ok := errors.AsType[yaml.Error](err); ok && e.GetToken() != nil {
			pos := e.GetToken().Position
			return nil, fmt.Errorf("%w: %s:%d:%d: %s", ErrSet, file, pos.Line, pos.Column, e.GetMessage())
		}
		return nil, fmt.Errorf("%w: %s: %w", ErrSet, file, err)
	}
	set := &Set{
		Version: form.Version, Profiles: form.Profiles, Sources: form.Sources, Changelog: form.Changelog, Retired: form.Retired,
	}
	for _, a := range form.Areas {
		area := Area{Code: a.Area, Title: a.Title}
		for _, r := range a.Requirements {
			area.Requirements = append(area.Requirements, Requirement{
				ID: r.ID, Area: a.Area, Part: Part{r.Profile, r.Level, r.Text}, Also: r.Also, Source: r.Source,
			})
		}
		set.Areas = append(set.Areas, area)
	}
	if err := set.check(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrSet, file, err)
	}
	return set, nil
}

func (s *Set) check() error {
	if n := len(s.Changelog); n == 0 || s.Changelog[n-1].Version != s.Version {
		return fmt.Errorf("version %d is not the last of the changelog; tell there what it changes", s.Version)
	}
	for _, p := range Profiles() {
		if s.Profiles[p].Name == "" {
			return fmt.Errorf("profile %s is not described under profiles", p)
		}
	}
	seen := map[string]bool{}
	for _, r := range s.Retired {
		seen[r.ID] = true
	}
	for _, area := range s.Areas {
		last := ""
		for _, r := range area.Requirements {
			if seen[r.ID] {
				return fmt.Errorf("%s: the id is taken; use the next free number of its area", r.ID)
			}
			if r.ID <= last {
				return fmt.Errorf("%s: stands after %s; add requirements at the end of their area", r.ID, last)
			}
			if err := s.checkRequirement(r); err != nil {
				return fmt.Errorf("%s: %w", r.ID, err)
			}
			seen[r.ID], last = true, r.ID
		}
	}
	return nil
}

var idForm = regexp.MustCompile(`^WDC-([A-Z]+)-[0-9]{3}$`)

func (s *Set) checkRequirement(r Requirement) error {
	if m := idForm.FindStringSubmatch(r.ID); m == nil || m[1] != r.Area {
		return fmt.Errorf("want an id of the form WDC-%s-NNN", r.Area)
	}
	key, _, _ := strings.Cut(r.Source, " ")
	if s.Sources[key] == "" {
		return fmt.Errorf("source %q is not described under sources", key)
	}
	seen := map[Profile]bool{}
	for _, p := range append([]Part{r.Part}, r.Also...) {
		switch {
		case !slices.Contains(Profiles(), p.Profile):
			return fmt.Errorf("unknown profile %q; known: %v", p.Profile, Profiles())
		case seen[p.Profile]:
			return fmt.Errorf("two parts for profile %s", p.Profile)
		case p.Level != Must && p.Level != Should:
			return fmt.Errorf("unknown level %q; known: %s, %s", p.Level, Must, Should)
		case !strings.HasSuffix(p.Text, "."):
			return fmt.Errorf("the text %q does not end with a full stop", p.Text)
		}
		seen[p.Profile] = true
	}
	return nil
}
