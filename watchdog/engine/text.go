package engine

import (
	"strings"
	"unicode"
)

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
