package javascript

import (
	"bytes"
	"strings"

	"fakepi.example/fakepi/native"
)

// Salvage reads what it can of JSON that may have broken off, as Pi 0.73 does with the arguments of a call
// (docs/pi-formats.md, section 3.1): strings may have what JSON forbids, an open one counts as far as it goes, a key
// without a value does not, and what cannot be read at all is an empty object.
func Salvage(text []byte) native.Value {
	for _, t := range [][]byte{text, Repair(native.Pi073, text)} {
		if v, err := native.ParseValue(t); err == nil {
			return v
		}
	}
	s := salvager{text: bytes.TrimSpace(text)}
	if v, ok := s.value(); ok {
		return v
	}
	return native.Object{}
}

// maxDepth of nested values is where Pi's reader gives up too.
const maxDepth = 5000

type salvager struct {
	text  []byte
	at    int
	depth int
}

func (s *salvager) blank() {
	for s.at < len(s.text) && bytes.IndexByte([]byte(" \n\r\t"), s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *salvager) next(c byte) bool { return s.at < len(s.text) && s.text[s.at] == c }

// value reports false where there is none.
func (s *salvager) value() (native.Value, bool) {
	s.blank()
	s.depth++
	defer func() { s.depth-- }()
	switch {
	case s.at >= len(s.text), s.depth > maxDepth:
		return nil, false
	case s.next('"'):
		text, ok := s.str()
		return native.String(text), ok
	case s.next('{'):
		return s.object(), true
	case s.next('['):
		return s.array(), true
	}
	return s.scalar()
}

// str reads a string, an open one to its last whole character.
func (s *salvager) str() (string, bool) {
	start := s.at
	for s.at++; s.at < len(s.text) && !s.next('"'); s.at++ {
		if s.next('\\') {
			s.at++
		}
	}
	if s.at < len(s.text) {
		s.at++
		return unquote(s.text[start:s.at])
	}
	s.at = len(s.text)
	open := append(bytes.Clone(s.text[start:]), '"')
	if text, ok := unquote(open); ok {
		return text, ok
	}
	escape := bytes.LastIndexByte(open, '\\') // it broke off inside
	if escape < 0 {
		return "", false
	}
	return unquote(append(open[:escape], '"'))
}

func unquote(quoted []byte) (string, bool) {
	v, err := native.ParseValue(quoted)
	text, ok := v.(native.String)
	return string(text), err == nil && ok
}

func (s *salvager) object() native.Object {
	o := native.Object{}
	for s.at++; ; {
		s.blank()
		if s.at >= len(s.text) {
			return o
		}
		if s.next('}') {
			s.at++
			return o
		}
		if !s.next('"') {
			return o
		}
		key, ok := s.str()
		s.blank()
		s.at++ // the colon
		if !ok {
			return o
		}
		v, ok := s.value()
		if !ok {
			return o
		}
		o = append(o, native.Member{Key: key, Value: v})
		s.blank()
		if s.next(',') {
			s.at++
		}
	}
}

func (s *salvager) array() native.Array {
	a := native.Array{}
	for s.at++; ; {
		s.blank()
		if s.next(']') {
			s.at++
			return a
		}
		v, ok := s.value()
		if !ok {
			return a
		}
		a = append(a, v)
		s.blank()
		if s.next(',') {
			s.at++
		}
	}
}

// halves are the words of which the beginning is enough at the end of the text. JSON has no sign for the last three.
var halves = []struct {
	word  string
	value native.Value
}{
	{"null", native.Null{}}, {"true", native.Bool(true)}, {"false", native.Bool(false)},
	{"NaN", native.Null{}}, {"Infinity", native.Null{}}, {"-Infinity", native.Null{}},
}

// scalar reads a number or a word.
func (s *salvager) scalar() (native.Value, bool) {
	end := s.at
	for end < len(s.text) && bytes.IndexByte([]byte(",]} \n\r\t"), s.text[end]) < 0 {
		end++
	}
	word := string(s.text[s.at:end])
	last := end == len(s.text)
	s.at = end
	for _, h := range halves {
		if word == h.word || last && word != "" && word != "-" && strings.HasPrefix(h.word, word) {
			return h.value, true
		}
	}
	if v, err := native.ParseValue([]byte(word)); err == nil {
		return v, true
	}
	mantissa, _, _ := strings.Cut(word, "e")
	v, err := native.ParseValue([]byte(mantissa))
	return v, err == nil
}
