package conformance

import (
	"errors"
	"fmt"
	"hash/crc32"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/conformance/world"
	"fakepi.example/scenarios"
)

var (
	// ErrToken is wrapped by the error about a text that is no token: damaged, cut off, or never one.
	ErrToken = errors.New("no replay token")
	// ErrForeign is wrapped by the error about a token that was made for something else than it is played on: another
	// suite, matrix or subject.
	ErrForeign = errors.New("the token is of another suite or matrix")
)

// Token names one history: with the same suite and subject it is played again byte for byte. Its text is
//
//	SUITE:CASE:DIALECT:SEED:CHOICES:CHECKSUM
//
// where CHOICES lists the choices that are not the first way as PLACE=PICK=LABEL, counted from 0, or is 0 for the base
// history. The label, which may be missing, says what was chosen among, escaped as in the query of a URL. A history that
// lacks some of the case's steps has ~without=STEP.STEP@SOURCE behind CASE: their numbers in the timeline, counted from 0,
// and the CRC-32 of the scenario's file. One that was judged by a profile, and not by all, has ~profile=NAME before that.
type Token struct {
	Suite   string
	Case    string // a scenario's id, with "~twin" for its twin
	Profile string // of the run that made it; empty: all
	Without []int  // steps that are left out, rising
	Source  uint32 // of the file whose steps these are; 0 if all are played
	Dialect native.Dialect
	Seed    uint64
	Vector  []int
	Labels  []string // of the choices that are not the first way, in order; nil: not known
}

// String returns the text of the token.
func (t Token) String() string {
	body := t.body()
	return fmt.Sprintf("%s:%08x", body, crc32.ChecksumIEEE([]byte(body)))
}

func (t Token) body() string {
	var choices []string
	for i, pick := range t.Vector {
		if pick == 0 {
			continue
		}
		text := fmt.Sprintf("%d=%d", i, pick)
		if n := len(choices); n < len(t.Labels) && t.Labels[n] != "" {
			text += "=" + url.QueryEscape(t.Labels[n])
		}
		choices = append(choices, text)
	}
	if len(choices) == 0 {
		choices = []string{"0"}
	}
	return strings.Join([]string{t.Suite, t.Case + t.profile() + t.without(), string(t.Dialect), strconv.FormatUint(t.Seed, 10), strings.Join(choices, ",")}, ":")
}

// profileMark stands before the profile by which a history was judged.
const profileMark = "~profile="

func (t Token) profile() string {
	if t.Profile == "" {
		return ""
	}
	return profileMark + t.Profile
}

// parseProfile takes the profile from the case.
func (t *Token) parseProfile() error {
	id, profile, ok := strings.Cut(t.Case, profileMark)
	if !ok {
		return nil
	}
	if !slices.Contains(scenarios.Profiles(), profile) {
		return fmt.Errorf("%w: there is no profile %q", ErrToken, profile)
	}
	t.Case, t.Profile = id, profile
	return nil
}

// withoutMark stands before the steps that a history lacks.
const withoutMark = "~without="

func (t Token) without() string {
	if len(t.Without) == 0 {
		return ""
	}
	var steps []string
	for _, i := range t.Without {
		steps = append(steps, strconv.Itoa(i))
	}
	return fmt.Sprintf("%s%s@%08x", withoutMark, strings.Join(steps, "."), t.Source)
}

// parseWithout takes the steps that are left out from the case.
func (t *Token) parseWithout() error {
	id, text, ok := strings.Cut(t.Case, withoutMark)
	if !ok {
		return nil
	}
	steps, source, _ := strings.Cut(text, "@")
	sum, err := strconv.ParseUint(source, 16, 32)
	for step := range strings.SplitSeq(steps, ".") {
		i, wrong := strconv.Atoi(step)
		if n := len(t.Without); wrong != nil || i < 0 || n > 0 && i <= t.Without[n-1] {
			err = ErrToken
			break
		}
		t.Without = append(t.Without, i)
	}
	if err != nil {
		return fmt.Errorf("%w: %q is no list of steps", ErrToken, text)
	}
	t.Case, t.Source = id, uint32(sum)
	return nil
}

// ParseToken reads a token. The error wraps ErrToken if the text is damaged and ErrForeign if another version of the
// suite has made it; it says what would work.
func ParseToken(text string) (Token, error) {
	text = strings.TrimSpace(text)
	body, sum, ok := cutLast(text)
	parts := strings.Split(body, ":")
	if !ok || len(parts) != 5 {
		return Token{}, fmt.Errorf("%w: %q; a token has six parts with colons between, as a failure prints it behind replay", ErrToken, text)
	}
	if sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body))) {
		return Token{}, fmt.Errorf("%w: %q is damaged; copy the whole token as the failure printed it", ErrToken, text)
	}
	t := Token{Suite: parts[0], Case: parts[1], Dialect: native.Dialect(parts[2])}
	if t.Suite != Version {
		return Token{}, fmt.Errorf("%w: it was made by suite %s, this is %s; run the case again: piconform run --case %q", ErrForeign, t.Suite, Version, t.Case)
	}
	var err error
	if t.Seed, err = strconv.ParseUint(parts[3], 10, 64); err != nil {
		return Token{}, fmt.Errorf("%w: seed %q is no number", ErrToken, parts[3])
	}
	if err := t.parseWithout(); err != nil {
		return Token{}, err
	}
	if err := t.parseProfile(); err != nil {
		return Token{}, err
	}
	return t, t.parseChoices(parts[4])
}

func cutLast(text string) (before, after string, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}

// maxPlace is the largest place of a choice that a token may name.
const maxPlace = 1 << 20

func (t *Token) parseChoices(text string) error {
	if text == "0" {
		return nil
	}
	for choice := range strings.SplitSeq(text, ",") {
		left, rest, _ := strings.Cut(choice, "=")
		right, label, _ := strings.Cut(rest, "=")
		place, err1 := strconv.Atoi(left)
		pick, err2 := strconv.Atoi(right)
		label, err3 := url.QueryUnescape(label)
		if errors.Join(err1, err2, err3) != nil || place < len(t.Vector) || place > maxPlace || pick < 1 {
			return fmt.Errorf("%w: %q is no list of choices", ErrToken, text)
		}
		t.Vector = append(t.Vector, make([]int, place-len(t.Vector)+1)...)
		t.Vector[place] = pick
		t.Labels = append(t.Labels, label)
	}
	return nil
}

// misfit says which choice of a token is not among those that its history has now, or "".
func (t Token) misfit(taken []world.Choice) string {
	n := 0
	for place, pick := range t.Vector {
		if pick == 0 {
			continue
		}
		was := fmt.Sprintf("choice %d", place)
		if n < len(t.Labels) && t.Labels[n] != "" {
			was += fmt.Sprintf(" (%s)", t.Labels[n])
		}
		switch {
		case place >= len(taken):
			return was + fmt.Sprintf(" is gone: the history has %d choices", len(taken))
		case n < len(t.Labels) && t.Labels[n] != "" && t.Labels[n] != labelOf(&taken[place]):
			return was + fmt.Sprintf(" is gone: there is %q in its place", labelOf(&taken[place]))
		case pick >= taken[place].N:
			return was + fmt.Sprintf(" has %d ways, and no way %d", taken[place].N, pick)
		}
		n++
	}
	return ""
}

// maxLabel bounds the bytes of a label in a token: a subject may choose long keys.
const maxLabel = 48

func labelOf(c *world.Choice) string {
	label := c.Label()
	if len(label) > maxLabel {
		label = label[:maxLabel]
	}
	return strings.ToValidUTF8(label, "?")
}

// labels lists those of the choices of a vector that are not the first way.
func labels(vector []int, taken []world.Choice) []string {
	var list []string
	for place, pick := range vector {
		if pick != 0 {
			list = append(list, labelOf(&taken[place]))
		}
	}
	return list
}

// Equal reports whether two tokens name the same history, whatever they call its choices.
func (t Token) Equal(u Token) bool {
	return t.Suite == u.Suite && t.Case == u.Case && t.Profile == u.Profile && slices.Equal(t.Without, u.Without) && t.Dialect == u.Dialect && t.Seed == u.Seed && slices.Equal(t.Vector, u.Vector)
}

func (r *runner) token(c *matchCase, vector []int, taken []world.Choice) Token {
	t := Token{
		Suite: Version, Case: c.id, Profile: r.opts.Profile, Without: c.without, Dialect: r.opts.Dialect, Seed: r.opts.Seed,
		Vector: vector, Labels: labels(vector, taken),
	}
	if len(c.without) > 0 {
		t.Source = crc32.ChecksumIEEE(c.scenario.Source)
	}
	return t
}
