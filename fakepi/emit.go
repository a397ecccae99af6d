package fakepi

import (
	"fmt"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
)

// The streams of a worker. In is what its scripted client writes to it; what is sent by [Worker.Send] is not repeated.
const (
	Out     = "out"
	Err     = "err"
	In      = "in"
	Session = "session" // the session file
	PTY     = "pty"
)

// Output is one write of the worker, the end of one of its streams, an effect, or its exit.
type Output struct {
	At       time.Duration
	Stream   string // empty for an exit
	Data     []byte // whole lines unless the script says otherwise; never overwritten later; nil: progress that prints nothing
	Path     string // of stream session: the file
	Emptied  bool   // of stream session: what the file held is gone
	Closed   bool   // the stream ended
	Exit     *Exit
	Effect   *Effect       // what a tool does to the world; no stream
	Dir      string        // from here on the session works in this folder; no stream
	Setting  *Setting      // a change of Pi's settings, to be saved at once; no stream
	Record   native.Record // that Data holds, of a piece of a message only its type; nil: Data is no record, or not a whole one
	Progress bool          // it is progress in the sense of docs/verdicts.md
	Answer   bool          // of stdout in rpc mode: it answers or asks the client, and waits for no reader

	Suspended bool // the process gives its terminal back and stops itself, by SIGTSTP to its group; no stream
}

// Exit is how a process ended.
type Exit struct {
	Code   int    // -1 if ended by a signal
	Signal string // "SIGKILL"
}

// blockSize is how much output shares one allocation.
const blockSize = 16 << 10

// print writes an event, response or request of the worker as its mode shows it. Progress counts even where the mode
// shows nothing.
func (w *Worker) print(r native.Record, progress bool) {
	if w.silent() && !w.showsEnd() && (w.leaving() || isEvent(r)) {
		return
	}
	progress = w.moved(progress)
	switch w.mode {
	case script.ModeTUI:
		w.paint(r, progress)
	case script.ModePrint: // it prints its last reply, at the end
	default:
		before := len(w.out)
		w.write(Out, r, progress)
		if len(w.out) > before {
			w.out[len(w.out)-1].Answer = !isEvent(r)
		}
	}
}

// isEvent reports whether a record tells of the session, and neither answers nor asks the client.
func isEvent(r native.Record) bool {
	switch r.(type) {
	case *native.Response, *native.UIRequest:
		return false
	}
	return true
}

// printsLines reports whether records go to stdout as they are.
func (w *Worker) printsLines() bool { return w.mode == script.ModeRPC || w.mode == script.ModeJSON }

// moved notes progress. What comes because of an abort is none.
func (w *Worker) moved(progress bool) bool {
	if progress = progress && !w.aborting; progress {
		w.lastProgress = w.now
	}
	return progress
}

// write appends one line to a stream.
func (w *Worker) write(stream string, r native.Record, progress bool) {
	if stream == Session && w.session.unsaved {
		return
	}
	buf := w.room()
	start := len(buf)
	buf, err := w.rules.codec.Append(buf, r)
	if err != nil {
		panic(fmt.Sprintf("fakepi: %v", err)) // the dialect was chosen in newPlan and has every record used here
	}
	w.put(stream, w.kept(append(buf, '\n'), start), r, progress)
	if stream == Session {
		w.out[len(w.out)-1].Path = w.session.path
	}
}

// room returns the block in use, with room for a usual line. Written bytes stay: a full block is left to its readers.
func (w *Worker) room() []byte {
	if cap(w.buf)-len(w.buf) < 1024 {
		w.buf = make([]byte, 0, blockSize)
	}
	return w.buf
}

// kept is a line that was written behind the block in use. One that has outgrown the block stands alone, so that the
// next does not grow that array further.
func (w *Worker) kept(buf []byte, start int) []byte {
	if cap(buf) <= blockSize {
		w.buf = buf
	}
	return buf[start:len(buf):len(buf)]
}

// emit appends bytes that are no record to a stream.
func (w *Worker) emit(stream string, data []byte, progress bool) { w.put(stream, data, nil, progress) }

// put appends bytes to a stream. Of one that is closed only the progress is left, which nobody sees.
func (w *Worker) put(stream string, data []byte, r native.Record, progress bool) {
	if len(w.updates.list) > 0 {
		w.flushUpdates()
	}
	if w.closed(stream) {
		if !progress {
			return
		}
		data, r = nil, nil
	}
	w.out = append(w.out, Output{At: w.now, Stream: stream, Data: data, Record: r, Progress: progress})
}
