package native

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// MaxDepth bounds the nesting of a line; a deeper one is malformed, for the decoder and
// for [Skim] alike. (get_tree nests two levels per session entry.)
const MaxDepth = 10000

// SyntaxError tells where a line stops being JSON.
type SyntaxError struct {
	Offset int // byte offset into the line
	Want   string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not JSON: want %s at byte %d", e.Want, e.Offset)
}

func (e *SyntaxError) Unwrap() error { return ErrSyntax }

// ParseValue reads one JSON value as JSON.parse does: of equal keys the last value wins
// at the first one's place, array indices come first, numbers are doubles. Unlike
// JSON.parse it keeps invalid UTF-8 as it is.
func ParseValue(text []byte) (Value, error) {
	p := parser{scanner{b: text}}
	p.space()
	v, ok := p.value()
	if ok {
		p.space()
		if p.i == len(text) {
			return v, nil
		}
		p.want = "the end"
	}
	return nil, &SyntaxError{Offset: p.i, Want: p.want}
}

// parser builds values on top of the scanner that [Skim] uses, so both accept the same
// lines.
type parser struct{ scanner }

func (p *parser) value() (Value, bool) {
	if p.i >= len(p.b) {
		return nil, p.fail("a value")
	}
	switch c := p.b[p.i]; c {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		raw, ok := p.str()
		return String(Unescape(raw)), ok
	case 't':
		return Bool(true), p.literal("true")
	case 'f':
		return Bool(false), p.literal("false")
	case 'n':
		return Null{}, p.literal("null")
	default:
		raw, ok := p.number()
		if !ok {
			return nil, false
		}
		return Number(parseFloat(raw)), true
	}
}

func (p *parser) array() (Value, bool) {
	list := Array{}
	for more, ok := p.open(']'); ; more, ok = p.next(']') {
		if !ok {
			return nil, false
		}
		if !more {
			return list, true
		}
		v, ok := p.value()
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
}

func (p *parser) object() (Value, bool) {
	o := Object{}
	for more, ok := p.open('}'); ; more, ok = p.next('}') {
		if !ok {
			return nil, false
		}
		if !more {
			return indicesFirst(dedupe(o)), true
		}
		raw, ok := p.key()
		if !ok {
			return nil, false
		}
		v, ok := p.value()
		if !ok {
			return nil, false
		}
		o = append(o, Member{Key: Unescape(raw), Value: v})
	}
}

// dedupe gives each key its last value, at its first place.
func dedupe(o Object) Object {
	if len(o) < 16 {
		return dedupeSmall(o)
	}
	at := make(map[string]int, len(o))
	out := o[:0]
	for _, m := range o {
		if i, seen := at[m.Key]; seen {
			out[i].Value = m.Value
			continue
		}
		at[m.Key] = len(out)
		out = append(out, m)
	}
	return out
}

func dedupeSmall(o Object) Object {
	out := o[:0]
	for _, m := range o {
		if i := out.index(m.Key); i >= 0 {
			out[i].Value = m.Value
			continue
		}
		out = append(out, m)
	}
	return out
}

// indicesFirst sorts array-index keys to the front, as every JavaScript object has them.
func indicesFirst(o Object) Object {
	if !slices.ContainsFunc(o, func(m Member) bool { return arrayIndex(m.Key) >= 0 }) {
		return o
	}
	slices.SortStableFunc(o, func(a, b Member) int {
		x, y := arrayIndex(a.Key), arrayIndex(b.Key)
		switch {
		case x < 0 && y < 0:
			return 0
		case x < 0:
			return 1
		case y < 0:
			return -1
		}
		return int(x - y)
	})
	return o
}

// arrayIndex returns the value of a canonical array index (0 to 2^32-2), or -1.
func arrayIndex(key string) int64 {
	if len(key) == 0 || len(key) > 10 || key[0] < '0' || key[0] > '9' || key[0] == '0' && len(key) > 1 {
		return -1
	}
	n, err := strconv.ParseInt(key, 10, 64)
	if err != nil || n > 1<<32-2 {
		return -1
	}
	return n
}

// Unescape returns the WTF-8 string whose JSON text between the quotes is raw. The text
// must be valid, as the fields of [Skimmed] are.
func Unescape(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	return string(appendUnescaped(make([]byte, 0, len(raw)), raw))
}

func appendUnescaped(dst, raw []byte) []byte {
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			dst = append(dst, raw[i])
			i++
			continue
		}
		c := raw[i+1]
		if c != 'u' {
			dst = append(dst, escapeValue(c))
			i += 2
			continue
		}
		r := hexRune(raw[i+2:])
		i += 6
		if r >= 0xD800 && r < 0xDC00 && len(raw) >= i+6 && raw[i] == '\\' && raw[i+1] == 'u' {
			if lo := hexRune(raw[i+2:]); lo >= 0xDC00 && lo < 0xE000 {
				r = joinSurrogates(r, lo)
				i += 6
			}
		}
		dst = appendRune(dst, r)
	}
	return dst
}

func escapeValue(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// appendRune is utf8.AppendRune that keeps surrogates (WTF-8).
func appendRune(dst []byte, r rune) []byte {
	if r >= 0xD800 && r < 0xE000 {
		return append(dst, 0xED, 0x80|byte(r>>6&0x3F), 0x80|byte(r&0x3F))
	}
	return utf8.AppendRune(dst, r)
}

func hexRune(b []byte) rune {
	return rune(hexValue(b[0]))<<12 | rune(hexValue(b[1]))<<8 | rune(hexValue(b[2]))<<4 | rune(hexValue(b[3]))
}

func hexValue(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	}
	return c - 'a' + 10
}
