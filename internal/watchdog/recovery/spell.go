package recovery

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Spell writes a command as a person can give it to a shell (bash), whatever its words hold. Nothing in it can drive a
// terminal (WDC-SAFE-002).
func Spell(command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = spellWord(w)
	}
	return strings.Join(words, " ")
}

func spellWord(w string) string {
	switch {
	case w != "" && strings.IndexFunc(w, special) < 0:
		return w
	case utf8.ValidString(w) && !strings.ContainsFunc(w, control):
		return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for _, c := range []byte(w) {
		switch {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}

func control(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }

// special reports whether a shell could read more into a character than the character.
func special(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("_@%+=:,./-", r)
}
