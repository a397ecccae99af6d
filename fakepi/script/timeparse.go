package script

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// What bounds a sum of durations, so that none overflows.
const (
	maxTerm  = 10_000 * time.Hour
	maxTerms = 16
)

// ParseTime reads a time: [anchor] {("+"|"-") term}, where the anchor is "@label", "@label.end" or a duration from the
// script's start ("0s").
func ParseTime(tok Token) (Time, *Error) {
	if tok.Key != "" || tok.Quoted || !looksLikeTime(tok.Text) {
		return Time{}, &Error{
			Pos: tok.Pos, Msg: fmt.Sprintf("%s is no time", tok),
			Hint: "a line begins with a time: 0s, +2s, @label+1m or @label.end-1s",
		}
	}
	p := timeParser{rest: tok.Text, pos: tok.Pos}
	var t Time
	if label, ok := p.anchor(); ok {
		t.Label, t.End = strings.CutSuffix(label, ".end")
		if !isName(t.Label) {
			return t, &Error{
				Pos: tok.Pos, Msg: fmt.Sprintf("@%s names no label", label),
				Hint: "write @label or @label.end; a label is a lower-case letter, then letters, digits and _",
			}
		}
	} else {
		t.Absolute = p.rest[0] != '+' && p.rest[0] != '-'
	}
	var err *Error
	t.Terms, err = p.terms(t.Absolute)
	return t, err
}

func looksLikeTime(s string) bool {
	return s != "" && strings.ContainsRune("@+-0123456789", rune(s[0]))
}

// parseSpan reads "never" or terms of which the first needs no sign.
func parseSpan(tok Token, text string, pos Pos) (Span, *Error) {
	if text == "never" {
		return Span{Never: true}, nil
	}
	if tok.Quoted || text == "" {
		return Span{}, &Error{Pos: pos, Msg: fmt.Sprintf("%s is no duration", tok), Hint: durationHint}
	}
	p := timeParser{rest: text, pos: pos}
	terms, err := p.terms(text[0] != '+' && text[0] != '-')
	if err != nil {
		return Span{}, err
	}
	s := Span{Terms: terms}
	s.D, _ = sum(terms, nil)
	return s, nil
}

const durationHint = "write a duration from 0s to 10000h, like 400ms, 90s or 2h, a limit like first_token, or a sum like tool-1s"

// timeParser reads the parts of one word. pos is the place of rest.
type timeParser struct {
	rest string
	pos  Pos
}

// anchor takes a leading @label.
func (p *timeParser) anchor() (string, bool) {
	after, ok := strings.CutPrefix(p.rest, "@")
	if !ok {
		return "", false
	}
	p.take(1)
	return p.take(wordLen(after)), true
}

// take drops the next n bytes and returns them.
func (p *timeParser) take(n int) string {
	s := p.rest[:n]
	p.rest = p.rest[n:]
	p.pos.Col += len([]rune(s))
	return s
}

// wordLen is the length of what stands before the next sign.
func wordLen(s string) int {
	if i := strings.IndexAny(s, "+-"); i >= 0 {
		return i
	}
	return len(s)
}

func (p *timeParser) terms(unsigned bool) ([]Term, *Error) {
	var terms []Term
	for p.rest != "" {
		var t Term
		if !unsigned {
			t.Minus = p.take(1) == "-"
		}
		unsigned = false
		if len(terms) == maxTerms {
			return nil, &Error{Pos: p.pos, Msg: "the sum has too many parts", Hint: fmt.Sprintf("at most %d are allowed", maxTerms)}
		}
		pos := p.pos
		if err := t.read(pos, p.take(wordLen(p.rest))); err != nil {
			return nil, err
		}
		terms = append(terms, t)
	}
	return terms, nil
}

var durationForm = regexp.MustCompile(`^([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+$`)

func (t *Term) read(pos Pos, word string) *Error {
	if isName(word) {
		t.Limit = word
		return nil
	}
	d, err := time.ParseDuration(word)
	switch {
	case d > maxTerm, err != nil && durationForm.MatchString(word): // which overflows
		return &Error{Pos: pos, Msg: word + " is too long", Hint: durationHint}
	case err != nil || d < 0:
		return &Error{Pos: pos, Msg: fmt.Sprintf("%q is no duration", word), Hint: durationHint}
	}
	t.D = d
	return nil
}

// sum adds terms up. The name of a limit that limits does not hold is returned.
func sum(terms []Term, limits map[string]time.Duration) (d time.Duration, unknown string) {
	for _, t := range terms {
		v := t.D
		if t.Limit != "" {
			limit, ok := limits[t.Limit]
			if !ok {
				unknown = t.Limit
			}
			v = limit
		}
		if t.Minus {
			v = -v
		}
		d += v
	}
	return d, unknown
}

// String writes the time as ParseTime reads it.
func (t Time) String() string {
	var b strings.Builder
	if t.Label != "" {
		b.WriteString("@" + t.Label)
		if t.End {
			b.WriteString(".end")
		}
	}
	writeTerms(&b, t.Terms, t.Absolute)
	return b.String()
}

// String writes the span as a script does.
func (s Span) String() string {
	if s.Never {
		return "never"
	}
	var b strings.Builder
	writeTerms(&b, s.Terms, len(s.Terms) > 0 && !s.Terms[0].Minus)
	return b.String()
}

func writeTerms(b *strings.Builder, terms []Term, unsigned bool) {
	for i, t := range terms {
		switch {
		case t.Minus:
			b.WriteByte('-')
		case i > 0 || !unsigned:
			b.WriteByte('+')
		}
		if t.Limit != "" {
			b.WriteString(t.Limit)
		} else {
			b.WriteString(FormatDuration(t.D))
		}
	}
}

// FormatDuration writes a duration shortly: without the units that are zero ("1m", "1h30m"), and in seconds below two
// minutes where minutes are not whole ("90s").
func FormatDuration(d time.Duration) string {
	if d < 0 {
		return "-" + FormatDuration(-d)
	}
	if d < time.Second || d >= 2*time.Minute || d == time.Minute {
		s := d.String()
		if strings.HasSuffix(s, "m0s") {
			s = strings.TrimSuffix(s, "0s")
		}
		if strings.HasSuffix(s, "h0m") {
			s = strings.TrimSuffix(s, "0m")
		}
		return s
	}
	return strings.TrimSuffix(fmt.Sprintf("%d", d/time.Second)+fraction(d%time.Second), ".") + "s"
}

// fraction writes the part of a second below the point, without zeros at its end.
func fraction(d time.Duration) string {
	return "." + strings.TrimRight(fmt.Sprintf("%09d", d), "0")
}
