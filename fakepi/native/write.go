package native

import (
	"math"
	"strconv"
	"time"
)

const hexDigits = "0123456789abcdef"

// plain marks the ASCII bytes that JSON.stringify copies as they are; 0xED is left out
// because it may begin a lone surrogate.
var plain = func() (t [256]bool) {
	for c := 0x20; c < 0x100; c++ {
		t[c] = c != '"' && c != '\\' && c != 0xED
	}
	return t
}()

// AppendString writes s, in WTF-8, as JSON.stringify does: raw UTF-8 but for quotes,
// backslashes, C0 controls and lone surrogates. Bytes that are no WTF-8 are copied.
func AppendString[S ~string | ~[]byte](dst []byte, s S) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		if plain[s[i]] {
			i++
			continue
		}
		if s[i] == 0xED && !isSurrogate(s[i:]) {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		var n int
		dst, n = appendEscaped(dst, s[i:])
		i += n
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// appendEscaped writes the character at the head of s, which is not plain, and returns
// how many bytes of s it took.
func appendEscaped[S ~string | ~[]byte](dst []byte, s S) ([]byte, int) {
	switch c := s[0]; c {
	case '"', '\\':
		return append(dst, '\\', c), 1
	case '\b':
		return append(dst, '\\', 'b'), 1
	case '\t':
		return append(dst, '\\', 't'), 1
	case '\n':
		return append(dst, '\\', 'n'), 1
	case '\f':
		return append(dst, '\\', 'f'), 1
	case '\r':
		return append(dst, '\\', 'r'), 1
	case 0xED:
		return appendSurrogate(dst, s)
	default:
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15]), 1
	}
}

func isSurrogate[S ~string | ~[]byte](s S) bool {
	return len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2] >= 0x80 && s[2] <= 0xBF
}

// surrogate decodes the three bytes of a surrogate.
func surrogate[S ~string | ~[]byte](s S) rune {
	return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F)
}

// appendSurrogate writes a lone surrogate as an escape, and a high and a low one that
// meet (deltas joined in Go) as the one character JavaScript would see.
func appendSurrogate[S ~string | ~[]byte](dst []byte, s S) ([]byte, int) {
	hi := surrogate(s)
	if hi < 0xDC00 && len(s) >= 6 && isSurrogate(s[3:]) {
		if lo := surrogate(s[3:]); lo >= 0xDC00 {
			return append(dst, string(joinSurrogates(hi, lo))...), 6
		}
	}
	return append(dst, '\\', 'u', 'd', hexDigits[hi>>8&15], hexDigits[hi>>4&15], hexDigits[hi&15]), 3
}

func joinSurrogates(hi, lo rune) rune {
	return 0x10000 + (hi-0xD800)<<10 + (lo - 0xDC00)
}

// AppendNumber writes f as JavaScript prints a number: the shortest digits that read
// back as f, an exponent only below 1e-6 and from 1e21. Infinities and NaN are null.
func AppendNumber(dst []byte, f float64) []byte {
	abs := math.Abs(f)
	switch {
	case f == math.Trunc(f) && abs < 1<<53:
		return strconv.AppendInt(dst, int64(f), 10) // also -0, which prints as 0
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	case abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-2] == '0' && dst[n-3] == '-' { // Go writes e-07 for e-7
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// AppendValue writes v as JSON.stringify does.
func AppendValue(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case Bool:
		return strconv.AppendBool(dst, bool(v))
	case Number:
		return AppendNumber(dst, float64(v))
	case String:
		return AppendString(dst, v)
	case Array:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendValue(dst, e)
		}
		return append(dst, ']')
	case Object:
		return appendObject(dst, v)
	default:
		return append(dst, "null"...)
	}
}

func appendObject(dst []byte, o Object) []byte {
	dst = append(dst, '{')
	first := true
	for _, m := range o {
		if m.Value == nil {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(AppendString(dst, m.Key), ':')
		dst = AppendValue(dst, m.Value)
	}
	return append(dst, '}')
}

// isoLayout is Date.prototype.toISOString.
const isoLayout = "2006-01-02T15:04:05.000Z"

// AppendISO writes an epoch time in ms as Pi stamps headers and entries.
func AppendISO(dst []byte, ms int64) []byte {
	return time.UnixMilli(ms).UTC().AppendFormat(dst, isoLayout)
}
