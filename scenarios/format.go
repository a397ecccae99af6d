package scenarios

import (
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"fakepi.example/fakepi/script"
)

// Is reports whether a source is a scenario rather than a plain script: its first line with words begins with id.
func Is(src []byte) bool {
	for _, text := range script.Lines(txtar.Parse(src).Comment) {
		if words := strings.Fields(text); len(words) > 0 && !strings.HasPrefix(words[0], "#") {
			return words[0] == "id"
		}
	}
	return false
}

// Format prints a scenario in its canonical form, as script.Format prints a script. Every line must be one that Parse
// reads; what the lines mean together is not checked. An error is a script.Errors.
func Format(name string, src []byte) ([]byte, error) {
	f := read(name, src)
	if len(f.errs) > 0 {
		return nil, f.sorted()
	}
	rows := make([]script.Row, len(f.lines))
	for i, l := range f.lines {
		rows[i] = l.row
	}
	archive := txtar.Parse(src)
	archive.Comment = script.Layout(rows)
	return txtar.Format(archive), nil
}
