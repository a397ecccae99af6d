package world

import (
	"bytes"

	"fakepi.example/watchdog"
)

// renamed is what a worker writes in the scenario's own dialect. Each record begins with its type.
func (w *World) renamed(stream watchdog.Stream, data []byte) []byte {
	if len(w.cfg.Renames) == 0 || stream != watchdog.StreamOut {
		return data
	}
	var out []byte
	for line := range bytes.Lines(data) {
		out = append(out, w.rename(line)...)
	}
	return out
}

func (w *World) rename(line []byte) []byte {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`))
	if !ok {
		return line
	}
	for _, r := range w.cfg.Renames {
		if tail, ok := bytes.CutPrefix(rest, []byte(r.From+`"`)); ok {
			return append([]byte(`{"type":"`+r.To+`"`), tail...)
		}
	}
	return line
}
