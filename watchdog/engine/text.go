package engine

import (
	"strings"
	"unicode"

	"fakepi.example/fakepi/native"
)

// shownName is an id or name as a person is to read it; records keep them escaped.
func shownName(raw string) string { return clean(native.Unescape([]byte(raw))) }

// clean makes a text of worker origin fit for a person's terminal: control and format characters, and what is no
// text at all, become the replacement character (WDC-SAFE-002).
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}
