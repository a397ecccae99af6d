package world

import (
	"bytes"

	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// renamed is what a worker writes in the scenario's own dialect. Each record begins with its type; one that has another
// name is foreign.
func (w *World) renamed(o *Output) []byte {
	if len(w.cfg.Renames) == 0 || o.Stream != watchdog.StreamOut {
		return o.Data
	}
	var out []byte
	for line := range bytes.Lines(o.Data) {
		as, foreign := w.rename(line)
		if out = append(out, as...); foreign {
			o.Record = trace.Record{Foreign: true}
		}
	}
	return out
}

func (w *World) rename(line []byte) (as []byte, foreign bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if !ok {
		return line, false
	}
	for _, r := range w.cfg.Renames {
		if tail, ok := bytes.CutPrefix(rest, []byte(r.From+`"`)); ok {
			return append([]byte(`{"type":"`+r.To+`"`), tail...), true
		}
	}
	return line, false
}
