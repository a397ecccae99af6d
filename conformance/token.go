package conformance

import (
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"fakepi.example/fakepi/native"
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
// where CHOICES lists the choices that are not the first way as PLACE=PICK, counted from 0, or is 0 for the base history.
type Token struct {
	Suite   string
	Case    string // a scenario's id, with "~twin" for its twin
	Dialect native.Dialect
	Seed    uint64
	Vector  []int
}

// String returns the text of the token.
func (t Token) String() string {
	body := t.body()
	return fmt.Sprintf("%s:%08x", body, crc32.ChecksumIEEE([]byte(body)))
}

func (t Token) body() string {
	var choices []string
	for i, pick := range t.Vector {
		if pick != 0 {
			choices = append(choices, fmt.Sprintf("%d=%d", i, pick))
		}
	}
	if len(choices) == 0 {
		choices = []string{"0"}
	}
	return strings.Join([]string{t.Suite, t.Case, string(t.Dialect), strconv.FormatUint(t.Seed, 10), strings.Join(choices, ",")}, ":")
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
	if t.Vector, err = parseChoices(parts[4]); err != nil {
		return Token{}, err
	}
	return t, nil
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

func parseChoices(text string) ([]int, error) {
	if text == "0" {
		return nil, nil
	}
	var vector []int
	for choice := range strings.SplitSeq(text, ",") {
		left, right, _ := strings.Cut(choice, "=")
		place, err1 := strconv.Atoi(left)
		pick, err2 := strconv.Atoi(right)
		if err1 != nil || err2 != nil || place < len(vector) || place > maxPlace || pick < 1 {
			return nil, fmt.Errorf("%w: %q is no list of choices", ErrToken, text)
		}
		vector = append(vector, make([]int, place-len(vector)+1)...)
		vector[place] = pick
	}
	return vector, nil
}

// Equal reports whether two tokens name the same history.
func (t Token) Equal(u Token) bool {
	return t.Suite == u.Suite && t.Case == u.Case && t.Dialect == u.Dialect && t.Seed == u.Seed && slices.Equal(t.Vector, u.Vector)
}

func (r *runner) token(c *matchCase, vector []int) Token {
	return Token{Suite: Version, Case: c.id, Dialect: r.opts.Dialect, Seed: r.opts.Seed, Vector: vector}
}
