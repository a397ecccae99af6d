// Package redact takes the contents out of what a worker printed, was sent or wrote into its session file, and leaves the
// shape: which records came, with which members, how long each text is, which of them are equal, and every time.
//
// What is kept is listed (vocabulary.go); whatever is not is replaced, so that a member that nobody has thought of leaks
// nothing. Running text becomes as many x, so that pieces still add up to the whole. Every other text becomes letters drawn
// from it with the key: equal texts stay equal, others become different, and nobody who has not the key can try texts out.
// Lengths are counted in UTF-16 units, as Pi counts.
package redact

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"regexp"
	"strings"
	"time"
	"unicode"

	"fakepi.example/fakepi/native"
)

// Redactor redacts one recording.
type Redactor struct {
	Key   []byte // of this recording alone; who throws it away can never bring a text back
	Names bool   // keep the names of models, providers and tools: limits by model or tool need them
}

// Line redacts one line without its line feed. A line that is no JSON object is running text.
func (r *Redactor) Line(line []byte) []byte {
	value, err := native.ParseValue(line)
	object, ok := value.(native.Object)
	if err != nil || !ok {
		return []byte(x(string(line)))
	}
	return native.AppendValue(nil, r.object(object, ""))
}

// object redacts an object that stands in the member within.
func (r *Redactor) object(o native.Object, within string) native.Object {
	kind := o.Text("type")
	out := make(native.Object, 0, len(o))
	for _, m := range o {
		key := m.Key
		switch {
		case !knownMembers[key]:
			m.Key, m.Value = r.letters(key), r.free(m.Value)
		case freeMembers[key]:
			m.Value = r.free(m.Value)
		case key == "name" && kind != "toolCall":
			m.Value = r.free(m.Value)
		default:
			m.Value = r.value(m.Value, key)
		}
		out = append(out, m)
	}
	return out
}

// value redacts the value of a known member.
func (r *Redactor) value(v native.Value, key string) native.Value {
	switch v := v.(type) {
	case native.String:
		return native.String(r.text(string(v), key))
	case native.Array:
		out := make(native.Array, len(v))
		for i := range v {
			out[i] = r.value(v[i], key)
		}
		return out
	case native.Object:
		return r.object(v, key)
	case native.Number:
		if numbers[key] {
			return v
		}
		return r.number(v)
	}
	return v
}

// text redacts the text of a known member.
func (r *Redactor) text(s, key string) string {
	switch {
	case wordMembers[key] && words[s]:
		return s
	case toolMembers[key] && (tools[s] || r.Names), nameMembers[key] && r.Names:
		return s
	case timeMembers[key]:
		if _, err := time.Parse(time.RFC3339, s); err == nil {
			return s
		}
	case errorMembers[key]:
		return errorText(s)
	case runningMembers[key]:
		return x(s)
	}
	return r.letters(s)
}

// free redacts a value of which nothing is known: names of members too.
func (r *Redactor) free(v native.Value) native.Value {
	switch v := v.(type) {
	case native.String:
		return native.String(r.letters(string(v)))
	case native.Number:
		return r.number(v)
	case native.Array:
		out := make(native.Array, len(v))
		for i := range v {
			out[i] = r.free(v[i])
		}
		return out
	case native.Object:
		out := make(native.Object, len(v))
		for i, m := range v {
			m.Key, m.Value = r.letters(m.Key), r.free(m.Value)
			out[i] = m
		}
		return out
	}
	return v
}

// drawn is how many letters of a text are drawn from it; the rest are x.
const drawn = 32

// letters replaces a text by as many letters, which depend on all of it.
func (r *Redactor) letters(s string) string {
	n := units(s)
	sum := r.sum("text", s)
	out := bytes.Repeat([]byte{'x'}, n)
	for i := range min(n, drawn) {
		out[i] = 'a' + sum[i]%26
	}
	return string(out)
}

// number replaces a number by one that depends on it. 0 and 1 stay: they say no more than a truth value.
func (r *Redactor) number(v native.Number) native.Value {
	if v == 0 || v == 1 {
		return v
	}
	sum := r.sum("number", string(native.AppendNumber(nil, float64(v))))
	return native.Number(2 + binary.LittleEndian.Uint64(sum[:])%999_999)
}

func (r *Redactor) sum(kind, s string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, r.Key)
	mac.Write([]byte(kind + "\x00" + s))
	return [sha256.Size]byte(mac.Sum(nil))
}

// x replaces each unit of running text, so that pieces of it add up to what the whole becomes.
func x(s string) string { return strings.Repeat("x", units(s)) }

// units counts UTF-16 units; a byte that is no UTF-8 counts as one.
func units(s string) int {
	n := 0
	for _, c := range s {
		n++
		if c > 0xffff {
			n++
		}
	}
	return n
}

var (
	instants   = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)`)
	epochs     = regexp.MustCompile(`\b1[5-9]\d{8}(\d{3})?\b`)
	errorToken = regexp.MustCompile(`[\pL\pN_]+`)
	span       = regexp.MustCompile(`^\d{1,3}(h|m|s|ms|d)$`)
	count      = regexp.MustCompile(`^\d{1,3}$`)
	unit       = regexp.MustCompile(`^ (?:milliseconds?|seconds?|minutes?|hours?|days?|ms|[smhd])\b`)
	beforeCode = regexp.MustCompile(`(?i)(?:^|\b(?:status|code|http) )$`)
)

// errorText keeps of an error what says of which class it is and when it ends: the words of providers for that, statuses and
// spans, and times.
func errorText(s string) string {
	keep := append(instants.FindAllStringIndex(s, -1), epochs.FindAllStringIndex(s, -1)...)
	kept := func(from, to int) bool {
		for _, k := range keep {
			if from >= k[0] && to <= k[1] {
				return true
			}
		}
		return false
	}
	var out strings.Builder
	at := 0
	for _, where := range errorToken.FindAllStringIndex(s, -1) {
		from, end := where[0], where[1]
		out.WriteString(punctuation(s[at:from]))
		token := s[from:end]
		if kept(from, end) || errorWords[strings.ToLower(token)] || span.MatchString(token) ||
			count.MatchString(token) && (unit.MatchString(s[end:]) || len(token) == 3 && beforeCode.MatchString(s[:from])) {
			out.WriteString(token)
		} else {
			out.WriteString(x(token))
		}
		at = end
	}
	out.WriteString(punctuation(s[at:]))
	return out.String()
}

// punctuation keeps what stands between words.
func punctuation(s string) string {
	return strings.Map(func(c rune) rune {
		if c < 0x80 && (unicode.IsPunct(c) || unicode.IsSymbol(c) || c == ' ' || c == '\n') {
			return c
		}
		return 'x'
	}, s)
}
