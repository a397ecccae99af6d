package native

import "unicode/utf8"

// DecodeUTF8 is text as Node reads it: each ill-formed sequence, as far as it could have been the beginning of a
// well-formed one, is a U+FFFD. A surrogate is ill-formed. Well-formed text is returned as it is.
func DecodeUTF8(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	out := make([]byte, 0, len(text)+2)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			n = illFormed(text)
		}
		out = utf8.AppendRune(out, r)
		text = text[n:]
	}
	return out
}

// illFormed is how many bytes at the head of a text are one ill-formed sequence.
func illFormed(text []byte) int {
	more, least, most := 0, byte(0x80), byte(0xBF) // what may follow the first byte, and the bounds of the second
	switch c := text[0]; {
	case c >= 0xC2 && c <= 0xDF:
		more = 1
	case c == 0xE0:
		more, least = 2, 0xA0
	case c == 0xED:
		more, most = 2, 0x9F
	case c > 0xE0 && c <= 0xEF:
		more = 2
	case c == 0xF0:
		more, least = 3, 0x90
	case c > 0xF0 && c < 0xF4:
		more = 3
	case c == 0xF4:
		more, most = 3, 0x8F
	}
	n := 1
	for n <= more && n < len(text) && text[n] >= least && text[n] <= most {
		n++
		least, most = 0x80, 0xBF
	}
	return n
}
