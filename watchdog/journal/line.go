package journal

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"hash/crc32"
)

// A line ends in `,"sum":"8f2c01ab"}`, and its line end.
const (
	sumName = `,"sum":"`
	sumSize = len(sumName) + 2*crc32.Size + len(`"}`)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendSum(to, of []byte) []byte {
	sum := crc32.Checksum(of, castagnoli)
	to = append(to, sumName...)
	to = hex.AppendEncode(to, []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return append(to, '"', '}')
}

// line is a record whose data is not read yet.
type line struct {
	Record
	offset  int64
	kind    Kind
	data    []byte
	version int
}

// appendLine writes a record behind f.text, with its line end.
func appendLine(f *form, r Record) {
	start := len(f.text)
	kind := r.Body.Kind()
	envelope(f, &r, &kind)
	if f.member("data", false) {
		f.begin()
		r.Body.members(f)
		f.end()
	}
	f.text = append(appendSum(f.text, f.text[start:]), '\n')
}

// readLine checks a line without its line end and reads all but its data.
func readLine(text []byte) (line, error) {
	var l line
	if len(text) < sumSize {
		return l, fmt.Errorf("a line of %d bytes is no record", len(text))
	}
	summed := text[:len(text)-sumSize]
	var buf [sumSize]byte
	if want := appendSum(buf[:0], summed); !bytes.Equal(text[len(summed):], want) {
		return l, fmt.Errorf("the line ends in %q, its checksum would be %q", text[len(summed):], want)
	}
	f := form{text: summed, reading: true}
	envelope(&f, &l.Record, &l.kind)
	if f.member("data", false) {
		l.data = f.text
	} else {
		f.fail("no data at %.20q", f.text)
	}
	return l, f.err
}

// envelope is what all records have, up to their data.
func envelope(f *form, r *Record, kind *Kind) {
	f.begin()
	integer(f, "seq", &r.Seq)
	integer(f, "n", &r.N)
	f.instant("at", &r.At)
	word(f, "kind", kind)
}

// body reads a line's data in the form of the current version.
func (l *line) body() (Body, error) {
	empty, ok := bodies[l.kind]
	if !ok {
		return nil, fmt.Errorf("kind %q is not known", l.kind)
	}
	f := form{text: l.data, reading: true}
	f.begin()
	b := empty.members(&f)
	f.end()
	if f.err == nil && len(f.text) > 0 {
		f.fail("more after the end of the data: %.20q", f.text)
	}
	return b, f.err
}

// torn reports whether bytes without a line end can be what a crash left of a write. They cannot if they hold a whole
// record and something after it: then a line end was changed, and records would be lost that were promised.
func torn(tail []byte) bool {
	for from := 0; ; {
		at := bytes.Index(tail[from:], []byte(sumName))
		if at < 0 {
			return true
		}
		end := from + at + sumSize
		if end >= len(tail) {
			return true
		}
		if _, err := readLine(tail[:end]); err == nil {
			return false
		}
		from += at + 1
	}
}
