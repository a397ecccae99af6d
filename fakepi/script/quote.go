package script

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	surrogateMin = 0xD800
	surrogateMax = 0xDFFF
)

var escapes = map[byte]byte{
	'n': '\n', 't': '\t', 'r': '\r', '"': '"', '\\': '\\', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', 'e': 0x1b,
}

// quoted reads a quoted string. Its escapes are Go's, \e for ESC, and \u{N...} for the character of a hexadecimal
// number; the number of a lone surrogate gives its three bytes in WTF-8, as the native package has them.
func (x *lexer) quoted() (string, *Error) {
	open := x.pos
	var b strings.Builder
	for x.skip(1); x.rest != ""; {
		switch c := x.rest[0]; c {
		case '"':
			x.skip(1)
			return b.String(), nil
		case '\\':
			if err := x.escape(&b); err != nil {
				return "", err
			}
		default:
			r, size := utf8.DecodeRuneInString(x.rest)
			if r == utf8.RuneError && size == 1 {
				return "", x.fail(fmt.Sprintf("the byte %#02x is no UTF-8", c), fmt.Sprintf("write it as \\x%02x", c))
			}
			b.WriteString(x.rest[:size])
			x.skip(size)
		}
	}
	return "", &Error{Pos: open, Msg: "the string has no end", Hint: `close it with " on the same line; a line break is \n`}
}

// escape reads one escape, from its backslash on.
func (x *lexer) escape(b *strings.Builder) *Error {
	if len(x.rest) == 1 {
		return x.fail("a backslash stands at the end", `write \\ for a backslash`)
	}
	c := x.rest[1]
	if v, ok := escapes[c]; ok {
		b.WriteByte(v)
		x.skip(2)
		return nil
	}
	if c != 'x' && c != 'u' {
		return x.fail("unknown escape", `known are \n \t \r \e \a \b \f \v \\ \" \xNN \u{N}`)
	}
	digits, size, ok := hexDigits(x.rest)
	n, err := strconv.ParseUint(digits, 16, 32)
	if !ok || err != nil || n > unicode.MaxRune {
		return x.fail("this escape is cut short or out of range", `write \xNN, \uNNNN or \u{N} with N up to 10ffff`)
	}
	switch {
	case c == 'x':
		b.WriteByte(byte(n))
	case n >= surrogateMin && n <= surrogateMax:
		b.Write([]byte{0xED, byte(0x80 | n>>6&0x3F), byte(0x80 | n&0x3F)})
	default:
		b.WriteRune(rune(n))
	}
	x.skip(size)
	return nil
}

// hexDigits returns the digits of the \x, \u or \u{} escape at the start of s, and the length of that escape.
func hexDigits(s string) (digits string, size int, ok bool) {
	if strings.HasPrefix(s, `\u{`) {
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return "", 0, false
		}
		return s[3:end], end + 1, true
	}
	size = 4
	if s[1] == 'u' {
		size = 6
	}
	if len(s) < size {
		return "", 0, false
	}
	return s[2:size], size, true
}

// Quote writes a string so that it is read back as it is. Printable characters stand for themselves.
func Quote(s string) string {
	b := []byte{'"'}
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			if lone, ok := loneSurrogate(s); ok {
				b, size = fmt.Appendf(b, `\u{%x}`, lone), 3
			} else {
				b = fmt.Appendf(b, `\x%02x`, s[0])
			}
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == 0x1b:
			b = append(b, `\e`...)
		case !unicode.IsPrint(r):
			b = fmt.Appendf(b, `\u{%x}`, r)
		default:
			b = append(b, s[:size]...)
		}
		s = s[size:]
	}
	return string(append(b, '"'))
}

// loneSurrogate decodes the WTF-8 form of a surrogate at the start of s.
func loneSurrogate(s string) (rune, bool) {
	if len(s) < 3 || s[0] != 0xED || s[1]&0xE0 != 0xA0 || s[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), true
}
