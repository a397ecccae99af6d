// Package recording reads recorded runs of Pi: a folder with events.rec.jsonl, meta.json
// and mostly a session file.
package recording

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"fakepi.example/fakepi/native"
)

// The files of a recorded run.
const (
	EventsFile = "events.rec.jsonl"
	MetaFile   = "meta.json"
)

// ErrFormat: a file is not in the recording format. errors.As finds a [*Error].
var ErrFormat = errors.New("not the recording format")

// Error tells where a file is wrong and what to do about it.
type Error struct {
	File   string
	Line   int // from 1
	Column int // byte in the line, from 1
	Reason string
	Remedy string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s; %s", e.File, e.Line, e.Column, e.Reason, e.Remedy)
}

func (e *Error) Unwrap() error { return ErrFormat }

// Dir is where a line came from.
type Dir string

const (
	Out Dir = "out" // Pi's stdout
	Err Dir = "err" // its stderr
	In  Dir = "in"  // what was sent to its stdin
	EOF Dir = "eof" // a stream was closed: Line is out, err or in
)

// Event is one line of events.rec.jsonl.
type Event struct {
	At   time.Duration // since the start of the recording
	Dir  Dir
	Line []byte // as it was on the stream, without its LF
	N    int    // line number in the file, from 1
}

// Read reads a recording; name is used in errors. A last line that is torn is left out.
// The error is a [*Error], or the reader's own.
func Read(r io.Reader, name string) ([]Event, error) {
	var events []Event
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return events, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		torn := err == io.EOF
		if line = bytes.TrimSpace(line); len(line) > 0 {
			e, bad := parse(line)
			if bad == nil {
				e.N = n
				events = append(events, e)
			} else if !torn {
				bad.File, bad.Line = name, n
				return events, bad
			}
		}
		if torn {
			return events, nil
		}
	}
}

// ReadFile is [Read] of a file.
func ReadFile(path string) ([]Event, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path)
}

const remedy = `want {"t_ms":number,"dir":"out"|"in"|"err"|"eof","line":string}`

func parse(line []byte) (Event, *Error) {
	v, err := native.ParseValue(line)
	if err != nil {
		bad := &Error{Column: 1, Reason: err.Error(), Remedy: remedy}
		if syntax, ok := errors.AsType[*native.SyntaxError](err); ok {
			bad.Column = syntax.Offset + 1
		}
		return Event{}, bad
	}
	o, _ := v.(native.Object)
	at, okAt := o.Get("t_ms").(native.Number)
	text, okLine := o.Get("line").(native.String)
	dir, _ := o.Get("dir").(native.String)
	e := Event{At: native.Duration(float64(at), time.Millisecond), Dir: Dir(dir), Line: streamBytes(string(text))}
	switch {
	case !okAt:
		return e, &Error{Column: 1, Reason: `no number "t_ms"`, Remedy: remedy}
	case !okLine:
		return e, &Error{Column: 1, Reason: `no string "line"`, Remedy: remedy}
	case e.Dir != Out && e.Dir != Err && e.Dir != In && e.Dir != EOF:
		return e, &Error{Column: 1, Reason: fmt.Sprintf("unknown dir %q", dir), Remedy: remedy}
	}
	return e, nil
}

// streamBytes undoes how the recorder wrote bytes that are no UTF-8: as the lone
// surrogates DC80..DCFF, one a byte.
func streamBytes(s string) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) && s[i] == 0xED && (s[i+1] == 0xB2 || s[i+1] == 0xB3) {
			out = append(out, (s[i+1]&3)<<6|s[i+2]&0x3F)
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return out
}
