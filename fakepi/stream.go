package fakepi

import (
	"bytes"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// stream is a text, a thinking block or the arguments of a call on their way, in chunks over a span: the first at
// once, the last at its end.
type stream struct {
	kind  blockKind
	text  string
	words bool // a chunk is a word; otherwise the chunks are equally long
	off   int  // bytes said, modulo the text
	chars int  // of the text
	i, n  int  // chunks said, of all
	start time.Duration
	over  time.Duration
	head  []byte // the line of a chunk up to its text; nil until the first
}

func (s *stream) active() bool { return s.i < s.n }

// at is when the next chunk comes.
func (s *stream) at() time.Duration {
	if s.n == 1 {
		return s.start
	}
	gaps := time.Duration(s.n - 1)
	i := time.Duration(s.i)
	return s.start + s.over/gaps*i + s.over%gaps*i/gaps
}

// newStream divides a text: one chunk, one a word where it takes time, or n. A text of fewer characters than chunks is
// said again from its start.
func newStream(kind blockKind, text string, over script.Span, n int, now time.Duration) stream {
	s := stream{kind: kind, text: text, chars: chars(text), start: now, over: over.D, n: n}
	switch {
	case text == "":
		s.n = 0
	case n == 0 && over.D > 0:
		s.words = true
		s.n = countWords(text)
	case n == 0:
		s.n = 1
	case kind == blockCall: // arguments are not said twice
		s.n = min(n, s.chars)
	}
	return s
}

// take cuts the next chunk.
func (s *stream) take() string {
	rest := s.text[s.off:]
	var cut int
	switch {
	case s.words:
		cut = wordEnd(rest)
	case s.n > s.chars:
		cut = charEnd(rest, 1)
	default:
		cut = charEnd(rest, (s.i+1)*s.chars/s.n-s.i*s.chars/s.n)
	}
	s.i++
	if s.off += cut; s.off == len(s.text) && s.active() {
		s.off = 0
	}
	return rest[:cut]
}

// chars counts characters: bytes that continue none.
func chars(s string) int {
	n := 0
	for i := range len(s) {
		if s[i]&0xC0 != 0x80 {
			n++
		}
	}
	return n
}

// charEnd is where the n-th character of s ends.
func charEnd(s string, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		for i++; i < len(s) && s[i]&0xC0 == 0x80; i++ {
		}
	}
	return i
}

// wordEnd is where the first word of s ends, with the spaces before it, as tokens have them; the last word takes the
// spaces behind it too.
func wordEnd(s string) int {
	i := skip(s, 0, true)
	i = skip(s, i, false)
	if skip(s, i, true) == len(s) {
		return len(s)
	}
	return i
}

func skip(s string, i int, space bool) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t') == space {
		i++
	}
	return i
}

func countWords(s string) int {
	n := 0
	for s != "" {
		s = s[wordEnd(s):]
		n++
	}
	return n
}

// sayChunk prints the next chunk of the stream.
func (w *Worker) sayChunk() {
	s := &w.stream
	text := s.take()
	if s.head != nil && w.sameBlock(s.kind) && !w.leaving() {
		w.fastChunk(text)
		return
	}
	w.chunk(s.kind, text)
	s.head = w.chunkHead()
}

func (w *Worker) sameBlock(kind blockKind) bool {
	n := len(w.reply.blocks)
	return w.reply.open && n > 0 && w.reply.blocks[n-1].kind == kind
}

// chunkTail ends the line of a chunk, after its text.
const chunkTail = `}}`

// chunkHead takes the line just printed apart, so that the next chunk of this block costs no encoding of what does not
// change. It is nil where the mode prints no such lines.
func (w *Worker) chunkHead() []byte {
	if w.rules.snapshots || len(w.out) == 0 || w.out[len(w.out)-1].Stream != Out || w.mode == script.ModePrint {
		return nil
	}
	line := w.out[len(w.out)-1].Data
	end := bytes.LastIndex(line, []byte(`"delta":`))
	if end < 0 {
		return nil
	}
	return line[: end+len(`"delta":`) : end+len(`"delta":`)]
}

// fastChunk is chunk for a block that is open: the same bytes, from the head of the line before.
func (w *Worker) fastChunk(text string) {
	b := &w.reply.blocks[len(w.reply.blocks)-1]
	b.text = append(b.text, text...)
	buf := w.room()
	start := len(buf)
	buf = append(buf, w.stream.head...)
	buf = native.AppendString(buf, text)
	w.buf = append(buf, chunkTail+"\n"...)
	w.emit(Out, w.buf[start:len(w.buf):len(w.buf)], w.moved(true))
}
