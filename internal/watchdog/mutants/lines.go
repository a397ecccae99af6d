package mutants

import (
	"fakepi.example/fakepi/native"
	"fakepi.example/watchdog"
)

// edit returns what stands in the place of a line: the line itself, another one, several with LF between them, or nil
// for none. The line is without its LF and valid during the call only; s is what the skim reads from it.
type edit func(line []byte, s *native.Skimmed) []byte

// lines rewrites the lines of one stream of every worker. Each generation of a worker has its own edit.
func lines(stream watchdog.Stream, fresh func() edit) lie {
	return observations(func() sight {
		v := views{stream: stream, fresh: fresh, of: map[source]*view{}}
		return v.see
	})
}

// always is the same edit for all, one without a memory.
func always(e edit) func() edit { return func() edit { return e } }

// verbatim changes no line.
func verbatim(line []byte, _ *native.Skimmed) []byte { return line }

// views are what the watchdog is shown of one stream of all workers.
type views struct {
	stream watchdog.Stream
	fresh  func() edit
	of     map[source]*view
}

// view shows whole lines of its own making at offsets of its own. What is read of a line whose end has not come is held
// back. A line that is too long is left out: the engine does not read one either.
type view struct {
	splitter    native.Splitter
	skim        native.Skimmed
	edit        edit
	seen, shown int64 // where the stream ends, and where the watchdog believes that it does
}

func (v *views) view(o *watchdog.Observation) *view {
	at := sourceOf(o)
	if v.of[at] == nil {
		v.of[at] = &view{edit: v.fresh()}
	}
	return v.of[at]
}

// see is a sight.
func (v *views) see(o watchdog.Observation, show func(watchdog.Observation)) {
	switch b := o.Body.(type) {
	case watchdog.Bytes:
		if b.Stream == v.stream {
			o.Body = v.view(&o).bytes(b)
		}
	case watchdog.Closed:
		if b.Stream == v.stream {
			v.flush(o, show)
		}
	case watchdog.File:
		if b.Stream == v.stream {
			w := v.view(&o)
			*w = view{edit: w.edit}
		}
	case watchdog.Gap:
		if b.Stream == v.stream {
			v.view(&o).splitter.Reset(0)
		}
	case watchdog.Inspect:
		if b.Stream == v.stream && b.Offset >= 0 {
			w := v.view(&o)
			b.Offset += w.shown - w.seen
			o.Body = b
		}
	}
	show(o)
}

// flush shows a last line without its LF, when the stream closes.
func (v *views) flush(o watchdog.Observation, show func(watchdog.Observation)) {
	w := v.view(&o)
	w.splitter.Close()
	if data := w.rewrite(nil); len(data) > 0 {
		o.Body = w.emit(v.stream, data)
		show(o)
	}
}

// add shows a line that the worker never wrote.
func (v *views) add(o watchdog.Observation, line string, show func(watchdog.Observation)) {
	o.Body = v.view(&o).emit(v.stream, []byte(line+"\n"))
	show(o)
}

func (w *view) bytes(b watchdog.Bytes) watchdog.Bytes {
	w.shown += b.Offset - w.seen // what a gap has dropped
	w.seen = b.Offset + int64(len(b.Data))
	return w.emit(b.Stream, w.rewrite(b.Data))
}

func (w *view) emit(stream watchdog.Stream, data []byte) watchdog.Bytes {
	b := watchdog.Bytes{Stream: stream, Offset: w.shown, Data: data}
	w.shown += int64(len(data))
	return b
}

func (w *view) rewrite(chunk []byte) []byte {
	var out []byte
	w.splitter.Feed(chunk)
	for line, ok := w.splitter.Next(); ok; line, ok = w.splitter.Next() {
		if line.Oversize {
			continue
		}
		native.Skim(line.Data, &w.skim)
		if text := w.edit(line.Data, &w.skim); text != nil {
			out = append(append(out, text...), '\n')
		}
	}
	return out
}
