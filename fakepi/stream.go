package fakepi

import (
	"bytes"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

// stream is a text, a thinking block or the arguments of a call on their way.
type stream struct {
	kind   blockKind
	pieces provider.Pieces
	start  time.Duration
	head   []byte // the line of a chunk up to its text; nil until the first
}

func (s *stream) active() bool { return s.pieces.More() }

// at is when the next chunk comes.
func (s *stream) at() time.Duration { return s.start + s.pieces.At() }

func newStream(kind blockKind, text string, over script.Span, n int, now time.Duration) stream {
	return stream{kind: kind, pieces: provider.Cut(text, over.D, n, kind == blockCall), start: now}
}

// sayChunk prints the next chunk of the stream.
func (w *Worker) sayChunk() {
	s := &w.stream
	text := s.pieces.Next()
	if s.head != nil && w.reply.open && w.openBlockOf(s.kind) >= 0 && !w.leaving() {
		w.fastChunk(text)
		return
	}
	w.chunk(s.kind, text)
	s.head = w.chunkHead()
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
	b := &w.reply.blocks[w.openBlockOf(w.stream.kind)]
	b.text = append(b.text, text...)
	buf := w.room()
	start := len(buf)
	buf = append(buf, w.stream.head...)
	buf = native.AppendString(buf, text)
	w.put(Out, w.kept(append(buf, chunkTail+"\n"...), start), anyUpdate, w.moved(true))
}

// anyUpdate stands for every piece of a message whose bytes are made without a record.
var anyUpdate = &native.MessageUpdate{}
