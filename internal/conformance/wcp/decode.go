package wcp

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"fakepi.example/watchdog"
)

// fastTick reads a tick as appendTick writes it, if it holds nothing but pieces of streams. It reports false for every other
// line, which is then read with encoding/json: it may give up on anything, and must never read anything differently.
func fastTick(line []byte, t *tick) bool {
	r := reader{rest: line, ok: true}
	r.skip(`{"type":"tick","now":`)
	now := r.instant()
	r.skip(`,"seen":[`)
	seen := t.Seen[:0]
	for r.ok && !r.have("]") {
		if len(seen) > 0 {
			r.skip(",")
		}
		o := r.piece()
		if !r.ok {
			return false
		}
		seen = append(seen, o)
	}
	r.skip("}")
	if !r.ok || len(r.rest) > 0 {
		return false
	}
	t.Type, t.Now, t.Seen = typeTick, now, seen
	return true
}

// reader reads a line from its beginning on; once something is not as expected, ok is false.
type reader struct {
	rest []byte
	ok   bool
}

func (r *reader) have(text string) bool {
	if r.ok && len(r.rest) >= len(text) && string(r.rest[:len(text)]) == text {
		r.rest = r.rest[len(text):]
		return true
	}
	return false
}

func (r *reader) skip(text string) { r.ok = r.have(text) }

// number cuts off what can belong to a number that is not negative.
func (r *reader) number() []byte {
	n := 0
	for n < len(r.rest) && (r.rest[n] >= '0' && r.rest[n] <= '9' || r.rest[n] == '.') {
		n++
	}
	text := r.rest[:n]
	r.rest = r.rest[n:]
	return text
}

func (r *reader) int() int {
	n, ok := fastInt(r.number())
	r.ok = r.ok && ok
	return n
}

func (r *reader) millis() time.Duration {
	d, ok := fastMillis(r.number())
	r.ok = r.ok && ok
	return d
}

// text reads a string without its first quote. It knows the short escapes and those below 0x20.
func (r *reader) text() []byte {
	end := bytes.IndexByte(r.rest, '"')
	if end >= 0 && bytes.IndexByte(r.rest[:end], '\\') < 0 {
		text := r.rest[:end]
		r.rest = r.rest[end+1:]
		return slices.Clone(text)
	}
	var text []byte
	for i := 0; i < len(r.rest); i++ {
		switch c := r.rest[i]; {
		case c == '"':
			r.rest = r.rest[i+1:]
			return text
		case c < ' ':
			r.ok = false
			return nil
		case c != '\\':
			text = append(text, c)
		default:
			c, n := unescape(r.rest[i:])
			if n == 0 {
				r.ok = false
				return nil
			}
			text = append(text, c)
			i += n - 1
		}
	}
	r.ok = false
	return nil
}

// unescape reads an escape, and returns its length, 0 for one that appendText does not write.
func unescape(text []byte) (c byte, n int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch text[1] {
	case '"', '\\':
		return text[1], 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		if len(text) < 6 {
			return 0, 0
		}
		code, err := strconv.ParseUint(string(text[2:6]), 16, 8)
		if err != nil || code >= ' ' {
			return 0, 0
		}
		return byte(code), 6
	}
	return 0, 0
}

func (r *reader) instant() watchdog.Instant {
	var at watchdog.Instant
	r.skip(`{"mono_ms":`)
	at.Mono = r.millis()
	r.skip(`,"boot_ms":`)
	at.Boot = r.millis()
	if r.have(`,"wall":"`) {
		wall, err := time.Parse(time.RFC3339Nano, string(r.text()))
		r.ok = r.ok && err == nil
		at.Wall = wall
	}
	if r.have(`,"boot_id":"`) {
		at.BootID = string(r.text())
	}
	r.skip("}")
	return at
}

// piece reads an observation of a piece of a stream.
func (r *reader) piece() watchdog.Observation {
	var o watchdog.Observation
	r.skip(`{"n":`)
	o.N = r.int()
	r.skip(`,"at":`)
	o.At = r.instant()
	if r.have(`,"worker":"`) {
		o.Worker = string(r.text())
	}
	if r.have(`,"generation":`) {
		o.Generation = r.int()
	}
	r.skip(`,"kind":"bytes","bytes":{"stream":"`)
	var piece watchdog.Bytes
	switch piece.Stream = watchdog.Stream(r.text()); piece.Stream {
	case watchdog.StreamOut, watchdog.StreamErr, watchdog.StreamIn, watchdog.StreamSession, watchdog.StreamPTY:
	default:
		r.ok = false
	}
	r.skip(`,"offset":`)
	piece.Offset = int64(r.int())
	r.skip(`,"data":{"text":"`)
	piece.Data = r.text()
	r.skip("}}}")
	o.Body = piece
	return o
}
