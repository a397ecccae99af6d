package native

import (
	"bytes"
	"math"
	"time"
	"unicode"
)

// The readers below consume one value and always set their destination: to nothing, if
// the value has another type. They return false only if the line is malformed.

func (k *skimmer) at(c byte) bool { return k.i < len(k.b) && k.b[k.i] == c }

// members reads the object at the cursor; a value of another type is skipped.
func (k *skimmer) members(in scope) bool {
	if !k.at('{') {
		return k.skip()
	}
	for more, ok := k.open('}'); ; more, ok = k.next('}') {
		if !ok || !more {
			return ok
		}
		key, ok := k.key()
		if k.slowKey {
			key = k.word(key)
		}
		if !ok || !k.member(in, key) {
			return false
		}
	}
}

// word unescapes a key or word; one too long to be known stays as it is.
func (k *skimmer) word(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 || len(raw) > len(k.names) {
		return raw
	}
	return appendUnescaped(k.names[:0], raw)
}

// name reads a word of a closed set, as it is and unescaped; nil for another type.
func (k *skimmer) name() (raw, name []byte, ok bool) {
	if ok = k.text(&raw); raw == nil {
		return nil, nil, ok
	}
	return raw, k.word(raw), ok
}

func (k *skimmer) text(dst *[]byte) bool {
	*dst = nil
	if !k.at('"') {
		return k.skip()
	}
	raw, ok := k.str()
	*dst = raw
	return ok
}

func (k *skimmer) textLen(n *int) bool {
	var raw []byte
	ok := k.text(&raw)
	*n = len(raw)
	return ok
}

// spokenLen is textLen without the white space in front, so that a blank text has none.
func (k *skimmer) spokenLen(n *int) bool {
	var raw []byte
	ok := k.text(&raw)
	*n = len(trimBlank(raw))
	return ok
}

var blankEscapes = [][]byte{[]byte(`\n`), []byte(`\t`), []byte(`\r`), []byte(`\f`), []byte(`\u000b`)}

func trimBlank(raw []byte) []byte {
	for {
		rest := bytes.TrimLeftFunc(raw, unicode.IsSpace)
		for _, e := range blankEscapes {
			rest = bytes.TrimPrefix(rest, e)
		}
		if len(rest) == len(raw) {
			return raw
		}
		raw = rest
	}
}

func (k *skimmer) raw(dst *[]byte) bool {
	start := k.i
	ok := k.skip()
	*dst = k.b[start:k.i]
	return ok
}

// quoted is raw for strings only, object for objects only.
func (k *skimmer) quoted(dst *[]byte) bool { return k.rawIf('"', dst) }
func (k *skimmer) object(dst *[]byte) bool { return k.rawIf('{', dst) }

func (k *skimmer) rawIf(first byte, dst *[]byte) bool {
	if !k.at(first) {
		*dst = nil
		return k.skip()
	}
	return k.raw(dst)
}

func (k *skimmer) flag(dst, has *bool) bool {
	var t Tri
	ok := k.tri(&t)
	*dst = t == Yes
	if has != nil {
		*has = t != Unspecified
	}
	return ok
}

func (k *skimmer) tri(dst *Tri) bool {
	switch {
	case k.at('t'):
		*dst = Yes
	case k.at('f'):
		*dst = No
	default:
		*dst = Unspecified
	}
	return k.skip()
}

// numeric returns the text of the number at the cursor, nil for a value of another type.
func (k *skimmer) numeric() (raw []byte, ok bool) {
	if k.at('-') || k.i < len(k.b) && k.b[k.i]-'0' < 10 {
		return k.number()
	}
	return nil, k.skip()
}

func (k *skimmer) integer(dst *int64) bool {
	var has bool
	return k.integerIf(dst, &has)
}

// integerIf reads an integer as the codecs do: a double without a fraction, up to 2^53.
func (k *skimmer) integerIf(dst *int64, has *bool) bool {
	*dst, *has = 0, false
	if n, end := shortInt(k.b, k.i); end > k.i {
		*dst, *has, k.i = n, true, end
		return true
	}
	raw, ok := k.numeric()
	if raw == nil {
		return ok
	}
	if *dst, *has = parseInt(raw); *has {
		return true
	}
	f := parseFloat(raw)
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
		*dst, *has = int64(f), true
	}
	return true
}

// take steps over text that is expected here.
func (k *skimmer) take(text string) bool {
	end := k.i + len(text)
	if end > len(k.b) || string(k.b[k.i:end]) != text {
		return false
	}
	k.i = end
	return true
}

// short reads a plain integer; fraction steps over a number.
func (k *skimmer) short(dst *int64) bool {
	n, end := shortInt(k.b, k.i)
	ok := end > k.i
	*dst, k.i = n, end
	return ok
}

func (k *skimmer) fraction() bool {
	_, ok := k.number()
	return ok
}

// shortInt reads an integer of up to 15 digits that ends with a comma or a brace, as
// nearly all do; else end is i.
func shortInt(b []byte, i int) (n int64, end int) {
	for end = i; end < len(b) && end-i < 15 && b[end]-'0' < 10; end++ {
		n = n*10 + int64(b[end]-'0')
	}
	if end == i || end == len(b) || b[end] != ',' && b[end] != '}' || b[i] == '0' && end > i+1 {
		return 0, i
	}
	return n, end
}

func (k *skimmer) count(dst *int) bool {
	var n int64
	ok := k.integer(&n)
	*dst = int(n)
	return ok
}

func (k *skimmer) float(dst *float64) bool {
	*dst = 0
	raw, ok := k.numeric()
	if raw != nil {
		*dst = parseFloat(raw)
	}
	return ok
}

// duration reads a number of units; it is bounded, never negative.
func (k *skimmer) duration(dst *time.Duration, has *bool, unit time.Duration) bool {
	*dst, *has = 0, false
	raw, ok := k.numeric()
	if raw != nil {
		*dst, *has = Duration(parseFloat(raw), unit), true
	}
	return ok
}

// Duration is n units of time, not below zero and at most about 290 years.
func Duration(n float64, unit time.Duration) time.Duration {
	d := n * float64(unit)
	switch {
	case !(d > 0):
		return 0
	case d >= math.MaxInt64:
		return math.MaxInt64
	}
	return time.Duration(d)
}
