package main

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// modelSearch finds models by a text, as Pi does.
type modelSearch struct {
	is16    bool
	levels  []string // thinking levels that can stand behind a model
	lenient bool     // another word behind it is left away with a warning
}

// foundModel is what was found.
type foundModel struct {
	models  []native.Model // several: Pi 1.6 cannot tell which is meant
	level   string
	warning string
}

// find finds a model in a list, or reports that there is none.
func (s *modelSearch) find(text string, pool []native.Model) (foundModel, bool) {
	if models := s.match(text, pool); len(models) > 0 {
		return foundModel{models: models}, true
	}
	base, word, ok := cutLast(text, ":")
	level := slices.Contains(s.levels, word)
	if !ok || !level && !s.lenient {
		return foundModel{}, false
	}
	f, ok := s.find(base, pool)
	switch {
	case !level:
		f.level, f.warning = "", `Invalid thinking level "`+word+`" in pattern "`+text+`". Using default instead.`
	case f.warning == "":
		f.level = word
	}
	return f, ok
}

// match finds what a text names as a whole, or else a part of.
func (s *modelSearch) match(text string, pool []native.Model) []native.Model {
	if !s.is16 {
		if m := exactly(text, pool); m != nil && (strings.Contains(text, "/") || len(sameID(text, pool)) == 1) {
			return []native.Model{*m}
		}
		return best(partly(text, pool))
	}
	if models := named(text, pool); len(models) > 0 {
		return models
	}
	found := best(partly(text, pool))
	if len(found) > 0 {
		found = slices.DeleteFunc(partly(text, pool), func(m native.Model) bool { return m.ID != found[0].ID })
	}
	return found
}

// named finds what a text names as a whole, for Pi 1.6: a provider in front of it is the one that is meant.
func named(text string, pool []native.Model) []native.Model {
	provider, rest, split := splitProvider(text, pool)
	if split {
		of := ofProvider(pool, provider)
		for _, models := range [][]native.Model{sameID(rest, of), sameID(text, of), best(partly(rest, of))} {
			if len(models) > 0 {
				return models[:1]
			}
		}
	}
	models := sameID(text, pool)
	if len(models) > 0 && !slices.ContainsFunc(models, func(m native.Model) bool { return m.Provider != models[0].Provider }) {
		return models[:1]
	}
	return models
}

// exactly finds the first model with an id, or with a provider and an id.
func exactly(text string, models []native.Model) *native.Model {
	for i := range models {
		if m := &models[i]; strings.EqualFold(m.ID, text) || strings.EqualFold(m.Provider+"/"+m.ID, text) {
			return m
		}
	}
	return nil
}

func sameID(id string, models []native.Model) []native.Model {
	return filtered(models, func(m native.Model) bool { return strings.EqualFold(m.ID, id) })
}

// partly finds the models of whose id or name a text is a part.
func partly(text string, models []native.Model) []native.Model {
	text = strings.ToLower(text)
	return filtered(models, func(m native.Model) bool {
		return strings.Contains(strings.ToLower(m.ID), text) || strings.Contains(strings.ToLower(m.Name), text)
	})
}

func ofProvider(models []native.Model, provider string) []native.Model {
	return filtered(models, func(m native.Model) bool { return provider == "" || m.Provider == provider })
}

func filtered(models []native.Model, is func(native.Model) bool) (out []native.Model) {
	for _, m := range models {
		if is(m) {
			out = append(out, m)
		}
	}
	return out
}

// dated is an id that names a version by its date.
var dated = regexp.MustCompile(`-\d{8}$`)

// best is the one of several models that Pi takes: one without a date, and of those the last.
func best(models []native.Model) []native.Model {
	if aliases := filtered(models, func(m native.Model) bool { return !dated.MatchString(m.ID) }); len(aliases) > 0 {
		models = aliases
	}
	if len(models) == 0 {
		return nil
	}
	last := slices.MinFunc(models, func(a, b native.Model) int { return byLetters(b.ID, a.ID) })
	return []native.Model{last}
}

// splitProvider takes a provider that there is, and the slash behind it, from the front of a text. It may have slashes of
// its own, so the longest counts.
func splitProvider(text string, models []native.Model) (provider, rest string, ok bool) {
	for _, m := range models {
		n := len(m.Provider)
		if len(m.Provider) > len(provider) && len(text) > n+1 && text[n] == '/' && strings.EqualFold(text[:n], m.Provider) {
			provider, rest, ok = m.Provider, strings.TrimSpace(text[n+1:]), true
		}
	}
	return provider, rest, ok
}

// scopeOf finds the models between which a session changes, by --models or the setting enabledModels; patterns may have
// *, ? and []. What Pi warns of comes with them.
func scopeOf(s modelSearch, patterns []string, models []native.Model) (scope []fakepi.ScopedModel, warnings []string) {
	s.lenient = true
	for _, pattern := range patterns {
		f, ok := s.scoped(pattern, models)
		if !ok {
			f.warning = `No models match pattern "` + pattern + `"`
		}
		if f.warning != "" {
			warnings = append(warnings, f.warning)
		}
		if providers := providersOf(f.models); len(providers) > 1 && !strings.ContainsAny(pattern, globs) {
			warnings = append(warnings, `Pattern "`+pattern+`" matches several providers: `+strings.Join(providers, ", ")+
				". Use provider/id to choose one.")
		}
		for _, m := range f.models {
			same := func(o fakepi.ScopedModel) bool { return o.Provider == m.Provider && o.ID == m.ID }
			if !slices.ContainsFunc(scope, same) {
				scope = append(scope, fakepi.ScopedModel{Provider: m.Provider, ID: m.ID, Level: f.level})
			}
		}
	}
	return scope, warnings
}

// globs are the characters of a pattern that stand for others.
const globs = "*?["

func providersOf(models []native.Model) (providers []string) {
	for _, m := range models {
		if !slices.Contains(providers, m.Provider) {
			providers = append(providers, m.Provider)
		}
	}
	slices.SortFunc(providers, byLetters)
	return providers
}

func (s *modelSearch) scoped(pattern string, models []native.Model) (foundModel, bool) {
	if !strings.ContainsAny(pattern, globs) {
		return s.find(pattern, models)
	}
	f := foundModel{}
	if base, word, ok := cutLast(pattern, ":"); ok && slices.Contains(s.levels, word) {
		pattern, f.level = base, word
	}
	glob := strings.ToLower(pattern)
	f.models = filtered(models, func(m native.Model) bool {
		id := strings.ToLower(m.ID)
		ofAll, _ := path.Match(glob, strings.ToLower(m.Provider)+"/"+id) // a pattern that is none matches nothing
		own, _ := path.Match(glob, id)
		return ofAll || own
	})
	return f, len(f.models) > 0
}
