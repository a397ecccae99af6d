package native

import "bytes"

const (
	// MaxLine is the longest line that is read whole (WDC-OBS-001).
	MaxLine = 20 << 20
	// idleBuffer is what a splitter keeps between lines.
	idleBuffer = 1 << 10
)

// Line is one line of a stream, without its LF and one CR before it.
type Line struct {
	Data     []byte // valid until the next call on the splitter
	Offset   int64  // of its first byte in the stream
	Oversize bool   // longer than the limit: Data is its head, to be taken as malformed
	Torn     bool   // the stream was closed before its LF
}

// Splitter cuts a byte stream into lines at LF alone: U+2028, NUL and invalid UTF-8 are
// ordinary bytes (WDC-OBS-001). Lines that lie whole in a chunk are parts of the chunk:
// nothing is copied or allocated. Between lines it holds at most 1 KiB.
//
//	s.Feed(chunk)
//	for line, ok := s.Next(); ok; line, ok = s.Next() { ... }
//
// The zero Splitter begins at offset 0 with the limit [MaxLine].
type Splitter struct {
	limit  int
	chunk  []byte // not yet looked at
	buf    []byte // head of a line whose end has not come
	spent  bool   // buf was handed out
	skip   bool   // inside an oversize line
	closed bool
	offset int64 // of the first byte not yet returned as part of a line
}

// NewSplitter returns a splitter of lines up to limit bytes, for a stream that begins at
// offset.
func NewSplitter(limit int, offset int64) *Splitter {
	return &Splitter{limit: limit, offset: offset}
}

// Feed gives the next bytes of the stream, once Next has returned false for the last
// ones. The chunk may be reused after Next has returned false again.
func (s *Splitter) Feed(chunk []byte) { s.chunk = chunk }

// Close ends the stream: what is left is a torn line.
func (s *Splitter) Close() { s.closed = true }

// Reset begins anew at offset, after a gap in the stream or its truncation. A torn tail
// is dropped.
func (s *Splitter) Reset(offset int64) {
	*s = Splitter{limit: s.limit, offset: offset}
}

// Offset returns where the next line begins: up to there everything has been returned.
func (s *Splitter) Offset() int64 { return s.offset }

// Pending returns how many bytes of an unfinished line are held.
func (s *Splitter) Pending() int {
	if s.spent {
		return 0
	}
	return len(s.buf)
}

// Next returns the next line.
func (s *Splitter) Next() (Line, bool) {
	s.release()
	if s.skip && !s.skipLine() {
		return Line{}, false
	}
	limit := s.limit
	if limit <= 0 {
		limit = MaxLine
	}
	end := bytes.IndexByte(s.chunk, '\n')
	size := len(s.buf) + len(s.chunk)
	if end >= 0 {
		size = len(s.buf) + end
	}
	switch {
	case size > limit:
		return s.oversize(limit), true
	case end >= 0:
		return s.whole(end), true
	}
	s.buf = append(s.buf, s.chunk...)
	s.chunk = nil
	if !s.closed || len(s.buf) == 0 {
		return Line{}, false
	}
	s.spent = true
	line := Line{Data: s.buf, Offset: s.offset, Torn: true}
	s.offset += int64(len(s.buf))
	return line, true
}

// release forgets a line that was handed out of the buffer.
func (s *Splitter) release() {
	if !s.spent {
		return
	}
	s.spent = false
	if s.buf = s.buf[:0]; cap(s.buf) > idleBuffer {
		s.buf = nil
	}
}

// whole returns the line whose LF is at end of the chunk.
func (s *Splitter) whole(end int) Line {
	data := s.chunk[:end]
	s.chunk = s.chunk[end+1:]
	if len(s.buf) > 0 {
		s.buf = append(s.buf, data...)
		s.spent = true
		data = s.buf
	}
	line := Line{Data: bytes.TrimSuffix(data, []byte{'\r'}), Offset: s.offset}
	s.offset += int64(len(data)) + 1
	return line
}

// oversize returns the head of a line that is too long; its rest is skipped.
func (s *Splitter) oversize(limit int) Line {
	data := s.chunk[:limit-len(s.buf)]
	s.chunk = s.chunk[len(data):]
	if len(s.buf) > 0 {
		s.buf = append(s.buf, data...)
		s.spent = true
		data = s.buf
	}
	s.skip = true
	line := Line{Data: data, Offset: s.offset, Oversize: true}
	s.offset += int64(len(data))
	return line
}

// skipLine steps to the end of an oversize line; false if that has not come.
func (s *Splitter) skipLine() bool {
	end := bytes.IndexByte(s.chunk, '\n')
	if end < 0 {
		s.offset += int64(len(s.chunk))
		s.chunk = nil
		return false
	}
	s.offset += int64(end) + 1
	s.chunk = s.chunk[end+1:]
	s.skip = false
	return true
}
