package journal

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"fakepi.example/watchdog"
)

// form writes or reads the members of JSON objects, always in one order and without spaces. One description of a type,
// its method members, serves both ways, so the two cannot drift apart; and it costs a tenth of encoding/json, which counts
// where exploration replays journals by the hundred thousand. A member whose value is zero is left out. Strings must be
// UTF-8, else what is read would differ from what was written.
type form struct {
	text    []byte // written so far, or left to read
	reading bool
	inner   bool // the open object has a member already
	err     error
}

func (f *form) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// lit writes a fixed text, or skips it.
func (f *form) lit(text string) {
	switch {
	case f.err != nil:
	case !f.reading:
		f.text = append(f.text, text...)
	case len(f.text) >= len(text) && string(f.text[:len(text)]) == text:
		f.text = f.text[len(text):]
	default:
		f.fail("want %s, got %.20q", text, f.text)
	}
}

// begin opens an object, end closes it.
func (f *form) begin() { f.lit("{"); f.inner = false }
func (f *form) end()   { f.lit("}"); f.inner = true }

// member reports whether the value of a member is to be written or read next.
func (f *form) member(name string, zero bool) bool {
	switch {
	case f.err != nil:
		return false
	case f.reading:
		return f.next(name)
	case zero:
		return false
	}
	if f.inner {
		f.text = append(f.text, ',')
	}
	f.text = append(append(append(f.text, '"'), name...), '"', ':')
	f.inner = true
	return true
}

// next skips the name of the next member if it is this one.
func (f *form) next(name string) bool {
	rest := f.text
	if f.inner {
		if len(rest) == 0 || rest[0] != ',' {
			return false
		}
		rest = rest[1:]
	}
	n := len(name) + len(`"":`)
	if len(rest) < n || rest[0] != '"' || string(rest[1:n-2]) != name || rest[n-2] != '"' || rest[n-1] != ':' {
		return false
	}
	f.text, f.inner = rest[n:], true
	return true
}

func integer[T ~int | ~int64](f *form, name string, v *T) {
	if f.member(name, *v == 0) {
		number(f, v)
	}
}

func number[T ~int | ~int64](f *form, v *T) {
	if !f.reading {
		f.text = strconv.AppendInt(f.text, int64(*v), 10)
		return
	}
	n, err := strconv.ParseInt(string(f.digits()), 10, 64)
	if err != nil || int64(T(n)) != n {
		f.fail("no whole number at %.20q", f.text)
	}
	*v = T(n)
}

// digits takes the bytes that a number may consist of.
func (f *form) digits() []byte {
	n := 0
	for n < len(f.text) && (f.text[n] >= '0' && f.text[n] <= '9' || f.text[n] == '-' || f.text[n] == '.') {
		n++
	}
	taken := f.text[:n]
	f.text = f.text[n:]
	return taken
}

func (f *form) bool(name string, v *bool) {
	if f.member(name, !*v) {
		f.lit("true")
		*v = f.err == nil
	}
}

func (f *form) string(name string, v *string) {
	if f.member(name, *v == "") {
		f.quoted(v)
	}
}

func (f *form) quoted(v *string) {
	if f.reading {
		*v = string(f.unquote())
		return
	}
	if plain(*v) {
		f.text = append(append(append(f.text, '"'), *v...), '"')
		return
	}
	if !utf8.ValidString(*v) {
		f.fail("%.40q is not UTF-8", *v)
		return
	}
	quoted, _ := json.Marshal(*v) // a string in UTF-8 has a JSON form
	f.text = append(f.text, quoted...)
}

// plain reports whether a string stands for itself between quotes.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return true
}

// unquote takes a string. What it returns may be part of the text.
func (f *form) unquote() []byte {
	if len(f.text) == 0 || f.text[0] != '"' {
		f.fail("no string at %.20q", f.text)
		return nil
	}
	escaped := false
	for i := 1; i < len(f.text); i++ {
		switch f.text[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			quoted := f.text[:i+1]
			f.text = f.text[i+1:]
			if !escaped {
				return quoted[1:i]
			}
			var s string
			if err := json.Unmarshal(quoted, &s); err != nil {
				f.fail("%w", err)
			}
			return []byte(s)
		}
	}
	f.fail("a string without end")
	return nil
}

// word is a string of a vocabulary: a type that knows its words refuses others.
func word[T ~string](f *form, name string, v *T) {
	if !f.member(name, *v == "") {
		return
	}
	if !f.reading {
		s := string(*v)
		f.quoted(&s)
		return
	}
	text := f.unquote()
	read := new(T) // v itself would be moved to the heap, with the body that it is part of
	if known, ok := any(read).(encoding.TextUnmarshaler); !ok {
		*read = T(text)
	} else if err := known.UnmarshalText(text); err != nil {
		f.fail("%w", err)
	}
	*v = *read
}

func (f *form) ints(name string, v *[]int) {
	if !f.member(name, len(*v) == 0) {
		return
	}
	f.lit("[")
	for i := 0; f.err == nil; i++ {
		if f.reading {
			*v = append(*v, 0)
		}
		number(f, &(*v)[i])
		if f.reading && bytes.HasPrefix(f.text, []byte("]")) || !f.reading && i == len(*v)-1 {
			break
		}
		f.lit(",")
	}
	f.lit("]")
}

// raw is a JSON value in a form of its owner's.
func (f *form) raw(name string, v *[]byte) {
	if !f.member(name, len(*v) == 0) {
		return
	}
	if f.reading {
		dec := json.NewDecoder(bytes.NewReader(f.text))
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			f.fail("%s: %w", name, err)
			return
		}
		f.text = f.text[dec.InputOffset():]
		*v = value
		return
	}
	buf := bytes.NewBuffer(f.text)
	if err := json.Compact(buf, *v); err != nil { // no line ends inside a record
		f.fail("%s: %w", name, err)
		return
	}
	f.text = buf.Bytes()
}

// civil is a time in RFC 3339.
func (f *form) civil(name string, v *time.Time) {
	if !f.member(name, v.IsZero()) {
		return
	}
	if f.reading {
		if err := v.UnmarshalText(f.unquote()); err != nil {
			f.fail("%s: %w", name, err)
		}
		return
	}
	f.lit(`"`)
	text, err := v.AppendText(f.text)
	if err != nil {
		f.fail("%s: %w", name, err)
		return
	}
	f.text = text
	f.lit(`"`)
}

func (f *form) millis(name string, v *time.Duration) {
	if f.member(name, *v == 0) {
		f.duration(v)
	}
}

// duration is a number of milliseconds, exact to the nanosecond, as in the JSON forms of package watchdog.
func (f *form) duration(v *time.Duration) {
	if f.reading {
		d, err := parseMillis(f.digits())
		if err != nil {
			f.fail("%w", err)
		}
		*v = d
		return
	}
	whole, rest := int64(*v/time.Millisecond), int64(*v%time.Millisecond)
	if *v < 0 && whole == 0 {
		f.text = append(f.text, '-')
	}
	f.text = strconv.AppendInt(f.text, whole, 10)
	if rest == 0 {
		return
	}
	digits := strconv.AppendInt(f.text, int64(time.Millisecond)+max(rest, -rest), 10)
	digits[len(f.text)] = '.' // in the place of the leading 1
	f.text = bytes.TrimRight(digits, "0")
}

func parseMillis(text []byte) (time.Duration, error) {
	whole, frac, _ := bytes.Cut(text, []byte("."))
	if len(frac) > 6 {
		return 0, errors.New("a duration finer than a nanosecond")
	}
	var digits [40]byte
	n := append(append(append(digits[:0], whole...), frac...), "000000"[len(frac):]...)
	d, err := strconv.ParseInt(string(n), 10, 64)
	return time.Duration(d), err
}

// instant has the JSON form of watchdog.Instant.
func (f *form) instant(name string, v *watchdog.Instant) {
	if !f.member(name, false) {
		return
	}
	f.begin()
	if f.member("mono_ms", false) {
		f.duration(&v.Mono)
	}
	if f.member("boot_ms", false) {
		f.duration(&v.Boot)
	}
	f.civil("wall", &v.Wall)
	f.string("boot_id", &v.BootID)
	f.end()
}

func (f *form) cause(name string, v *watchdog.Cause) {
	if !f.member(name, *v == watchdog.Cause{}) {
		return
	}
	f.begin()
	word(f, "name", &v.Name)
	word(f, "phase", &v.Phase)
	word(f, "limit", &v.Limit)
	f.end()
}
