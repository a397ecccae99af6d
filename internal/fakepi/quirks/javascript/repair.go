package javascript

import (
	"bytes"

	"fakepi.example/fakepi/native"
)

// Repair escapes, in strings, control characters and backslashes that begin no escape, as a dialect's Pi does before it reads
// the arguments of a call. A text that is JSON stays.
func Repair(d native.Dialect, text []byte) []byte {
	if ParseError(d, text) == "" {
		return text
	}
	var out []byte
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			quoted = !quoted
			out = append(out, c)
		case quoted && c < ' ':
			escaped := native.AppendString(nil, string(c))
			out = append(out, escaped[1:len(escaped)-1]...)
		case quoted && c == '\\':
			n := escapeLength(text[i:])
			if n == 1 && !(d == native.Pi073 && bytes.HasPrefix(text[i:], []byte(`\u`))) {
				out = append(out, c)
			}
			out = append(out, text[i:i+n]...)
			i += n - 1
		default:
			out = append(out, c)
		}
	}
	return out
}

// escapeLength is the length of the escape with which text begins; 1: it is none.
func escapeLength(text []byte) int {
	switch {
	case len(text) < 2:
		return 1
	case bytes.IndexByte([]byte(`"\/bfnrtu`), text[1]) < 0:
		return 1
	case text[1] != 'u':
		return 2
	case len(text) >= 6 && isHex(text[2]) && isHex(text[3]) && isHex(text[4]) && isHex(text[5]):
		return 6
	}
	return 1
}
