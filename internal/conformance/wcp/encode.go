package wcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"fakepi.example/watchdog"
)

// A tick is by far the most frequent message, and pieces of streams by far the most frequent observations. These are
// written without reflection, in the form that the contract fixes; TestEncodingIsTheContracts holds the two equal.

// appendTick appends a tick without its line feed.
func appendTick(b []byte, now watchdog.Instant, seen []watchdog.Observation) ([]byte, error) {
	b = append(b, `{"type":"tick","now":`...)
	b = appendInstant(b, now)
	b = append(b, `,"seen":[`...)
	for i := range seen {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendObservation(b, &seen[i]); err != nil {
			return nil, err
		}
	}
	return append(b, "]}"...), nil
}

func appendObservation(b []byte, o *watchdog.Observation) ([]byte, error) {
	piece, ok := o.Body.(watchdog.Bytes)
	if !ok {
		return appendJSON(b, o)
	}
	b = append(b, `{"n":`...)
	b = strconv.AppendInt(b, int64(o.N), 10)
	b = append(b, `,"at":`...)
	b = appendInstant(b, o.At)
	if o.Worker != "" {
		b = append(b, `,"worker":`...)
		b = appendText(b, []byte(o.Worker))
	}
	if o.Generation != 0 {
		b = append(b, `,"generation":`...)
		b = strconv.AppendInt(b, int64(o.Generation), 10)
	}
	b = append(b, `,"kind":"bytes","bytes":{"stream":"`...)
	b = append(b, piece.Stream...)
	b = append(b, `","offset":`...)
	b = strconv.AppendInt(b, piece.Offset, 10)
	b = append(b, `,"data":`...)
	return append(appendBlob(b, piece.Data), "}}"...), nil
}

func appendInstant(b []byte, at watchdog.Instant) []byte {
	b = append(b, `{"mono_ms":`...)
	b = appendMillis(b, at.Mono)
	b = append(b, `,"boot_ms":`...)
	b = appendMillis(b, at.Boot)
	if !at.Wall.IsZero() {
		b = append(b, `,"wall":"`...)
		b = append(at.Wall.AppendFormat(b, time.RFC3339Nano), '"')
	}
	if at.BootID != "" {
		b = append(b, `,"boot_id":`...)
		b = appendText(b, []byte(at.BootID))
	}
	return append(b, '}')
}

func appendMillis(b []byte, d time.Duration) []byte {
	whole, rest := d/time.Millisecond, d%time.Millisecond
	if d < 0 && whole == 0 {
		b = append(b, '-')
	}
	b = strconv.AppendInt(b, int64(whole), 10)
	if rest != 0 {
		b = fmt.Appendf(b, ".%06d", max(rest, -rest))
		b = bytes.TrimRight(b, "0")
	}
	return b
}

func appendBlob(b, data []byte) []byte {
	if utf8.Valid(data) {
		return append(appendText(append(b, `{"text":`...), data), '}')
	}
	b = append(b, `{"base64":"`...)
	b = base64.StdEncoding.AppendEncode(b, data)
	return append(b, `"}`...)
}

// appendText appends valid UTF-8 as a JSON string. U+2028 and U+2029 are escaped, at which some readers end a line.
func appendText(b, text []byte) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i, c := range text {
		if c == 0xe2 && len(text) > i+2 && text[i+1] == 0x80 && text[i+2]&^1 == 0xa8 {
			b = append(append(b, text[from:i]...), '\\', 'u', '2', '0', '2', hex[text[i+2]&15])
			from = i + 3
		}
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, text[from:]...), '"')
}

// appendJSON appends the JSON form of any value, without HTML escapes.
func appendJSON(b []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
