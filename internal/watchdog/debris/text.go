package debris

import (
	"fmt"
	"hash/fnv"
	"strings"
	"unicode"
)

// Printable makes a text of worker origin fit for a person's terminal: control and format characters, and what is no
// text at all, become the replacement character (WDC-SAFE-002).
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
}

// Sizes of an id, in bytes.
const (
	maxID  = 128 // that is kept
	idHead = 24  // of one that is cleaned
)

// Bound shortens an id or a name to 128 bytes. A longer one ends in a digest of the whole, so that it stays itself: the
// call ids of some providers have hundreds of bytes.
func Bound(id string) string {
	if len(id) <= maxID {
		return id
	}
	end := digest(id)
	return id[:maxID-len(end)] + end
}

// ID makes an id or a name of worker origin fit to stand in a text that a model reads. It is bounded, and stays as it is
// if it has only letters, digits and the signs of ids. Any other could speak to the reader (WDC-SAFE-003): of it the first
// such bytes stay, and a digest of the whole, so that two ids stay two.
func ID(id string) string {
	id = Bound(id)
	n := 0
	for n < len(id) && idByte(id[n]) {
		n++
	}
	if n == len(id) {
		return id
	}
	return id[:min(n, idHead)] + digest(id)
}

// digest is "~" and 16 hex digits that stand for a text.
func digest(s string) string {
	h := fnv.New64a()
	h.Write([]byte(s))
	return fmt.Sprintf("~%016x", h.Sum64())
}

func idByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.:/|+=@~#", c) >= 0
}
