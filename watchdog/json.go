package watchdog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrJSON is wrapped by every error about the JSON form of a type of this package: broken JSON, a member that the type
// does not have, a value of another type, a word outside its vocabulary.
var ErrJSON = errors.New("bad JSON")

// jsonError says where in a nested value the error is.
type jsonError struct {
	path string // "observation: instant"
	err  error
}

func (e *jsonError) Error() string   { return ErrJSON.Error() + ": " + e.path + ": " + e.err.Error() }
func (e *jsonError) Unwrap() []error { return []error{ErrJSON, e.err} }

// badJSON names the value that err was found in; around an inner value's error it lengthens the path.
func badJSON(what string, err error) error {
	if inner, ok := errors.AsType[*jsonError](err); ok {
		return &jsonError{path: what + ": " + inner.path, err: inner.err}
	}
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("a JSON %s does not fit", mismatch.Value)
		if mismatch.Field != "" {
			err = fmt.Errorf("%s: %w", mismatch.Field, err)
		}
	}
	return &jsonError{path: what, err: err}
}

// encode writes without HTML escaping, so that a caller who wants none gets none.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// millis is a duration in JSON: a number of milliseconds, exact to the nanosecond.
type millis time.Duration

// MarshalJSON implements json.Marshaler.
func (m millis) MarshalJSON() ([]byte, error) {
	const perMilli = int64(time.Millisecond)
	whole, rest := int64(m)/perMilli, int64(m)%perMilli
	var out []byte
	if m < 0 && whole == 0 {
		out = append(out, '-')
	}
	out = strconv.AppendInt(out, whole, 10)
	if rest != 0 {
		frac := fmt.Sprintf(".%06d", max(rest, -rest))
		out = append(out, strings.TrimRight(frac, "0")...)
	}
	return out, nil
}

// UnmarshalJSON implements json.Unmarshaler. Digits beyond the nanosecond, as floating-point arithmetic leaves them, are
// rounded.
func (m *millis) UnmarshalJSON(data []byte) error {
	d, err := parseMillis(string(data))
	if err != nil {
		return err
	}
	*m = millis(d)
	return nil
}

func parseMillis(text string) (time.Duration, error) {
	refused := fmt.Errorf("%.40s is no number of milliseconds within 292 years", text)
	whole, frac, _ := strings.Cut(text, ".")
	if len(frac) > 6 || strings.ContainsAny(text, "eE") {
		f, err := strconv.ParseFloat(text, 64)
		ns := math.Round(f * float64(time.Millisecond))
		if err != nil || !(math.Abs(ns) < math.MaxInt64) {
			return 0, refused
		}
		return time.Duration(ns), nil
	}
	ns, err := strconv.ParseInt(whole+frac+"000000"[len(frac):], 10, 64)
	if err != nil {
		return 0, refused
	}
	return time.Duration(ns), nil
}

// blob is a byte string in JSON: {"text": ...} where it is valid UTF-8, else {"base64": ...}.
type blob []byte

type blobJSON struct {
	Text   *string `json:"text,omitempty"`
	Base64 []byte  `json:"base64,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (b blob) MarshalJSON() ([]byte, error) {
	if utf8.Valid(b) {
		text := string(b)
		return encode(blobJSON{Text: &text})
	}
	return encode(blobJSON{Base64: b})
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *blob) UnmarshalJSON(data []byte) error {
	var j blobJSON
	if err := decode("data", data, &j); err != nil {
		return err
	}
	if (j.Text == nil) == (j.Base64 == nil) {
		return badJSON("data", errors.New(`want exactly one of "text" and "base64"`))
	}
	*b = j.Base64
	if j.Text != nil {
		*b = blob(*j.Text)
	}
	return nil
}
