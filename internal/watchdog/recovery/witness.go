package recovery

import "fakepi.example/fakepi/native"

// Witness reads a worker's output for the calls whose end is told there. The session may not have them: Pi writes a result
// down after it has printed it, and tells the model of the successor that there was none (WDC-SIDE-005).
type Witness struct {
	lines native.Splitter
	ended map[string]bool
}

// See takes the next bytes of the output.
func (w *Witness) See(data []byte) {
	w.lines.Feed(data)
	for line, ok := w.lines.Next(); ok; line, ok = w.lines.Next() {
		var s native.Skimmed
		if native.Skim(line.Data, &s); s.Kind == native.KindToolEnd {
			if w.ended == nil {
				w.ended = map[string]bool{}
			}
			w.ended[string(s.ToolCallID)] = true
		}
	}
}

// Ended reports whether the end of a call was seen.
func (w *Witness) Ended(call string) bool { return w != nil && w.ended[call] }
