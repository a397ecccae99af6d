package javascript

import (
	"fmt"
	"strconv"
	"unicode/utf16"

	"fakepi.example/fakepi/native"
)

// ParseError is what the engine of a dialect's Pi says of a text that is no JSON; empty: it is JSON. A newer engine also
// tells the line and the column.
func ParseError(d native.Dialect, text []byte) string {
	p := &jsonScanner{text: utf16.Encode([]rune(string(text))), columns: d == native.Pi16}
	p.space()
	if p.value() {
		p.space()
		if p.at < len(p.text) {
			p.fail("Unexpected non-whitespace character after JSON")
		}
	}
	return p.problem
}

// jsonScanner reads a text by the grammar of JSON up to the first mistake.
type jsonScanner struct {
	text    []uint16
	at      int
	columns bool
	problem string
}

// fail notes the mistake with its place.
func (p *jsonScanner) fail(what string) bool {
	if p.problem != "" {
		return false
	}
	p.problem = what + " in JSON at position " + strconv.Itoa(p.at)
	if what == "Unexpected non-whitespace character after JSON" {
		p.problem = what + " at position " + strconv.Itoa(p.at)
	}
	if p.columns {
		line, column := 1, 1
		for i := 0; i < p.at; i++ {
			if c := p.text[i]; c == '\n' || c == '\r' {
				line, column = line+1, 0
				if c == '\r' && i+1 < p.at && p.text[i+1] == '\n' {
					i++
				}
			}
			column++
		}
		p.problem += fmt.Sprintf(" (line %d column %d)", line, column)
	}
	return false
}

// unexpected is a mistake that V8 tells by the character itself.
func (p *jsonScanner) unexpected() bool {
	if p.problem != "" {
		return false
	}
	if p.at >= len(p.text) {
		p.problem = "Unexpected end of JSON input"
		return false
	}
	switch c := p.text[p.at]; {
	case c == '"':
		return p.fail("Unexpected string")
	case c >= '0' && c <= '9' || c == '-':
		return p.fail("Unexpected number")
	}
	p.problem = p.token()
	return false
}

// token quotes the character and the text around it.
func (p *jsonScanner) token() string {
	const context = 10
	whole := string(utf16.Decode(p.text))
	switch whole {
	case "NaN", "Infinity", "undefined", "[object Object]":
		return `"` + whole + `" is not valid JSON`
	}
	from, to := 0, len(p.text)
	before, after := "", ""
	if to > 2*context {
		if p.at >= context {
			from, before = p.at-context, "..."
		}
		if p.at < to-context {
			to, after = p.at+context, "..."
		}
	}
	return fmt.Sprintf(`Unexpected token '%s', %s"%s"%s is not valid JSON`,
		wtf8(p.text[p.at:p.at+1]), before, wtf8(p.text[from:to]), after)
}

// wtf8 is a piece of a text, whose ends may divide a character.
func wtf8(units []uint16) string {
	var escaped []byte
	for _, u := range units {
		escaped = fmt.Appendf(escaped, `\u%04x`, u)
	}
	return native.Unescape(escaped)
}

func (p *jsonScanner) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *jsonScanner) peek() uint16 {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// value reads a value and reports whether there was one. What is open stands in a list: a hostile text nests without end.
func (p *jsonScanner) value() bool {
	var open []byte // the closing brackets that are awaited
	for {
		switch p.peek() {
		case '{', '[':
			closing := p.opening()
			if closing == 0 {
				break
			}
			if closing == '}' && !p.key("Expected property name or '}'") {
				return false
			}
			open = append(open, closing)
			continue
		default:
			if !p.scalar() {
				return false
			}
		}
		if !p.behind(&open) {
			return false
		}
		if len(open) == 0 {
			return true
		}
	}
}

// opening reads an opening bracket, and gives the closing one; 0 if that follows at once, and is read.
func (p *jsonScanner) opening() byte {
	closing := byte(']')
	if p.peek() == '{' {
		closing = '}'
	}
	p.at++
	p.space()
	if p.peek() == uint16(closing) {
		p.at++
		return 0
	}
	return closing
}

// behind reads what follows a value: brackets that close and, where one stays open, all up to the next value.
func (p *jsonScanner) behind(open *[]byte) bool {
	for len(*open) > 0 {
		last := len(*open) - 1
		closing := (*open)[last]
		p.space()
		switch p.peek() {
		case uint16(closing):
			p.at++
			*open = (*open)[:last]
		case ',':
			p.at++
			p.space()
			return closing == ']' || p.key("Expected double-quoted property name")
		default:
			if closing == ']' {
				return p.expected("Expected ',' or ']' after array element")
			}
			return p.expected("Expected ',' or '}' after property value")
		}
	}
	return true
}

// key reads a property's name and its colon; wanted is the mistake where no name stands.
func (p *jsonScanner) key(wanted string) bool {
	if p.peek() != '"' {
		return p.expected(wanted)
	}
	if !p.quoted() {
		return false
	}
	p.space()
	if p.peek() != ':' {
		return p.expected("Expected ':' after property name")
	}
	p.at++
	p.space()
	return true
}

// scalar reads a value that holds no others.
func (p *jsonScanner) scalar() bool {
	switch c := p.peek(); {
	case c == '"':
		return p.quoted()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case c == 't':
		return p.word("true")
	case c == 'f':
		return p.word("false")
	case c == 'n':
		return p.word("null")
	}
	return p.unexpected()
}

// word reads true, false or null; it fails at its first wrong letter.
func (p *jsonScanner) word(word string) bool {
	for i := range len(word) {
		if p.peek() != uint16(word[i]) {
			return p.unexpected()
		}
		p.at++
	}
	return true
}

// expected is a mistake that V8 tells by what should be there, at the end of the text too.
func (p *jsonScanner) expected(what string) bool { return p.fail(what) }

func (p *jsonScanner) quoted() bool {
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return true
		case c < ' ':
			return p.fail("Bad control character in string literal")
		case c == '\\':
			if !p.escape() {
				return false
			}
		}
	}
	return p.fail("Unterminated string")
}

// escape reads what follows a backslash, and leaves the last character of it.
func (p *jsonScanner) escape() bool {
	p.at++
	switch p.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			p.at++
			if !isHex(p.peek()) {
				return p.fail("Bad Unicode escape")
			}
		}
		return true
	}
	if p.at >= len(p.text) {
		return p.unexpected()
	}
	return p.fail("Bad escaped character")
}

func isHex[C byte | uint16](c C) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (p *jsonScanner) digits() bool {
	from := p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	return p.at > from
}

func (p *jsonScanner) number() bool {
	if p.peek() == '-' {
		p.at++
		if c := p.peek(); c < '0' || c > '9' {
			return p.fail("No number after minus sign")
		}
	}
	if p.peek() == '0' {
		p.at++
		if c := p.peek(); c >= '0' && c <= '9' {
			return p.fail("Unexpected number")
		}
	} else {
		p.digits()
	}
	if p.peek() == '.' {
		p.at++
		if !p.digits() {
			return p.fail("Unterminated fractional number")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if !p.digits() {
			return p.fail("Exponent part is missing a number")
		}
	}
	return true
}
