package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// sought is a word of a search, or a phrase between quotes.
type sought struct {
	text   string // in lower case
	phrase bool
}

// search lists the sessions that have all words of a text, the most relevant first unless they keep their order. "re:"
// begins a regular expression.
func search(all []sessionInfo, typed string, inOrder, is16 bool) []sessionInfo {
	fits := func(i sessionInfo) (float64, bool) { return i.fits(soughtIn(typed), is16) }
	if pattern, ok := strings.CutPrefix(strings.TrimSpace(typed), "re:"); ok {
		re, err := regexp.Compile("(?i)" + strings.TrimSpace(pattern))
		if err != nil || strings.TrimSpace(pattern) == "" {
			return nil
		}
		fits = func(i sessionInfo) (float64, bool) { return i.fitsPattern(re, is16) }
	}
	type scored struct {
		sessionInfo
		score float64
	}
	var found []scored
	for _, i := range all {
		if score, ok := fits(i); ok {
			found = append(found, scored{i, score})
		}
	}
	if !inOrder {
		slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	}
	var listed []sessionInfo
	for _, s := range found {
		listed = append(listed, s.sessionInfo)
	}
	return listed
}

// soughtIn takes a text apart. A quote that is not closed is a character like others.
func soughtIn(typed string) []sought {
	typed = strings.ToLower(strings.TrimSpace(typed))
	parts := strings.Split(typed, `"`)
	if len(parts)%2 == 0 {
		parts = []string{typed}
	}
	var list []sought
	for n, part := range parts {
		switch {
		case n%2 == 0:
			for _, word := range strings.Fields(part) {
				list = append(list, sought{text: word})
			}
		case strings.TrimSpace(part) != "":
			list = append(list, sought{text: squeezed(part), phrase: true})
		}
	}
	return list
}

// squeezed has one space for each run of them.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

// The tiers of what 1.6 finds: in the name, in what stands in the session, or scattered. A tier weighs more than every
// score in it.
const tierWeight = 1_000_000

// fits scores a session that has all words; less is better.
func (i *sessionInfo) fits(words []sought, is16 bool) (score float64, ok bool) {
	for _, w := range words {
		one, ok := i.fitsAnywhere(w)
		if is16 {
			one, ok = i.fitsField(w)
		}
		if !ok {
			return 0, false
		}
		score += one
	}
	return score, true
}

// text is all of a session that can be searched for.
func (i *sessionInfo) text() string {
	return strings.ToLower(i.id + " " + i.name + " " + strings.Join(i.said, " ") + " " + i.cwd)
}

// fitsAnywhere is how 0.73 searches: in one text, where a word may be scattered.
func (i *sessionInfo) fitsAnywhere(w sought) (float64, bool) {
	if !w.phrase {
		return scattered(w.text, i.text(), false)
	}
	at := strings.Index(squeezed(i.text()), w.text)
	return float64(at) * 0.1, at >= 0
}

// fitsField is how 1.6 searches: in each field by itself, in the messages only for what stands there.
func (i *sessionInfo) fitsField(w sought) (float64, bool) {
	fields := []string{i.name, i.id, strings.Join(i.said, " "), i.cwd}
	for n, field := range fields {
		field = strings.ToLower(field)
		if w.phrase {
			field = squeezed(field)
		}
		if !strings.Contains(field, w.text) {
			continue
		}
		if n > 0 {
			return tierWeight, true
		}
		return scattered(w.text, field, true)
	}
	best, found := 0.0, false
	for _, field := range []string{i.name, i.cwd} {
		if score, ok := scattered(w.text, strings.ToLower(field), true); ok && !w.phrase && (!found || score < best) {
			best, found = score, true
		}
	}
	return 2*tierWeight + best, found
}

// fitsPattern scores a session that a regular expression fits.
func (i *sessionInfo) fitsPattern(re *regexp.Regexp, is16 bool) (float64, bool) {
	if !is16 {
		at := re.FindStringIndex(i.id + " " + i.name + " " + strings.Join(i.said, " ") + " " + i.cwd)
		if at == nil {
			return 0, false
		}
		return float64(at[0]) * 0.1, true
	}
	if i.name != "" && re.MatchString(i.name) {
		return 0, true
	}
	return tierWeight, re.MatchString(i.id) || re.MatchString(strings.Join(i.said, " ")) || re.MatchString(i.cwd)
}

// scattered scores a word whose characters stand in a text in their order: by the first place of each, and by each place
// where the word stands whole, if that counts.
func scattered(word, text string, whole bool) (score float64, ok bool) {
	var places []int
	for at, r := 0, 0; r < len(word); r++ {
		n := strings.IndexByte(text[at:], word[r])
		if n < 0 {
			return 0, false
		}
		places = append(places, at+n)
		at += n + 1
	}
	score = scoreOf(text, places)
	for at := 0; whole && word != ""; at++ {
		n := strings.Index(text[at:], word)
		if n < 0 {
			break
		}
		at += n
		for r := range places {
			places[r] = at + r
		}
		score = min(score, scoreOf(text, places))
	}
	if word == text {
		score -= 100
	}
	return score, true
}

// scoreOf prefers characters that stand together, at the beginning of words, and early.
func scoreOf(text string, places []int) (score float64) {
	last, together := -1, 0
	for _, at := range places {
		switch {
		case at == last+1:
			together++
			score -= float64(5 * together)
		default:
			together = 0
			if last >= 0 {
				score += float64(2 * (at - last - 1))
			}
		}
		if at == 0 || strings.ContainsRune(" \t\n-_./:", rune(text[at-1])) {
			score -= 10
		}
		score += float64(at) * 0.1
		last = at
	}
	return score
}
