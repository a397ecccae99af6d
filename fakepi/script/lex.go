package script

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line is one line of a source, cut into tokens.
type Line struct {
	Pos     Pos // of its start
	Indent  bool
	Tokens  []Token
	Comment string // from "#" on, without trailing space; empty if none
}

// Token is a word, a quoted string, or an option key=value whose value is one of them.
type Token struct {
	Pos    Pos
	Key    string // of an option; empty else
	Text   string // of the word; the value of the string
	Quoted bool
	ValPos Pos // of the value
}

func (t Token) String() string {
	s := t.Text
	if t.Quoted {
		s = Quote(s)
	}
	if t.Key != "" {
		return t.Key + "=" + s
	}
	return s
}

// Refuse is an error about the token: it and msg make a sentence.
func (t Token) Refuse(msg, hint string) *Error {
	return &Error{Pos: t.Pos, Msg: fmt.Sprintf("%s %s", t, msg), Hint: hint}
}

// OneOf checks the word against those known for what it is to be, and names the nearest.
func (t Token) OneOf(what string, known []string) *Error {
	if slices.Contains(known, t.Text) {
		return nil
	}
	return &Error{Pos: t.ValPos, Msg: fmt.Sprintf("%q is no %s", t.Text, what), Hint: Suggest(t.Text, known)}
}

// Lex cuts a source into lines and tokens. A comment begins with a "#" at the start of a line or after a space.
func Lex(file string, src []byte) ([]Line, error) {
	var lines []Line
	var errs Errors
	for i, text := range Lines(src) {
		line, err := LexLine(Pos{File: file, Line: i + 1, Col: 1}, text)
		if err != nil {
			errs = append(errs, err)
		}
		lines = append(lines, line)
	}
	return lines, errs.err()
}

// Lines cuts a source at its line ends, which may be those of Windows; a byte order mark before the first line is none of its
// text.
func Lines(src []byte) []string {
	text := strings.TrimPrefix(strings.TrimSuffix(string(src), "\n"), "\ufeff")
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i, s := range lines {
		lines[i] = strings.TrimSuffix(s, "\r")
	}
	return lines
}

// LexLine cuts one line.
func LexLine(pos Pos, text string) (Line, *Error) {
	x := lexer{rest: text, pos: pos}
	return x.line()
}

// lexer cuts one line. rest is what is left of it, pos the place of rest.
type lexer struct {
	rest string
	pos  Pos
}

func (x *lexer) line() (Line, *Error) {
	line := Line{Pos: x.pos}
	line.Indent = x.space()
	for x.rest != "" {
		if x.rest[0] == '#' {
			line.Comment = strings.TrimRight(x.rest, " \t")
			return line, nil
		}
		tok, err := x.token()
		if err != nil {
			return line, err
		}
		line.Tokens = append(line.Tokens, tok)
		if !x.space() && x.rest != "" {
			return line, x.fail("a space is missing here", "put one between two words")
		}
	}
	return line, nil
}

// space skips blanks and reports whether there were some.
func (x *lexer) space() bool {
	n := len(x.rest) - len(strings.TrimLeft(x.rest, " \t"))
	x.skip(n)
	return n > 0
}

// skip drops the next n bytes.
func (x *lexer) skip(n int) {
	x.pos.Col += utf8.RuneCountInString(x.rest[:n])
	x.rest = x.rest[n:]
}

func (x *lexer) fail(msg, hint string) *Error { return &Error{Pos: x.pos, Msg: msg, Hint: hint} }

func (x *lexer) token() (Token, *Error) {
	tok := Token{Pos: x.pos}
	if key, _, ok := strings.Cut(x.rest, "="); ok && isName(key) {
		tok.Key = key
		x.skip(len(key) + 1)
	}
	tok.ValPos = x.pos
	if strings.HasPrefix(x.rest, `"`) {
		value, err := x.quoted()
		tok.Text, tok.Quoted = value, true
		return tok, err
	}
	end := strings.IndexAny(x.rest, " \t\"")
	if end < 0 {
		end = len(x.rest)
	}
	tok.Text = x.rest[:end]
	if tok.Text == "" {
		return tok, x.fail(fmt.Sprintf("%s has no value", tok.Key), "write it right after the =, without a space")
	}
	for _, r := range tok.Text {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return tok, x.fail(fmt.Sprintf("a word holds the character %q", r), "put it in quotes, as \\xNN or \\u{N}")
		}
		x.skip(utf8.RuneLen(r))
	}
	return tok, nil
}

// isName reports whether s is a name: a lower-case letter, then letters, digits and "_".
func isName(s string) bool {
	for i, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z':
		case i > 0 && ('A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'):
		default:
			return false
		}
	}
	return s != ""
}
