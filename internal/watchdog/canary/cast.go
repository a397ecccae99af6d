package canary

import (
	"unicode/utf8"

	"fakepi.example/watchdog"
)

// castHeader is the first line of terminal.cast: asciicast v2.
type castHeader struct {
	Version   int   `json:"version"`
	Width     int   `json:"width"`
	Height    int   `json:"height"`
	Timestamp int64 `json:"timestamp"` // seconds since 1970
}

// The size of a terminal that says none.
const (
	columns = 80
	rows    = 24
)

// draw records what a terminal worker has drawn.
func (r *Recorder) draw(at watchdog.Instant, data []byte) error {
	if r.files[CastFile] == nil {
		h := castHeader{Version: 2, Width: r.meta.Columns, Height: r.meta.Rows, Timestamp: r.meta.Epoch.Unix()}
		if h.Width == 0 || h.Height == 0 {
			h.Width, h.Height = columns, rows
		}
		if err := r.append(CastFile, h); err != nil {
			return err
		}
	}
	if r.options.Contents {
		data = r.wholeSigns(data)
	} else {
		data = r.terminal.Redact(data)
	}
	if len(data) == 0 {
		return nil
	}
	return r.append(CastFile, []any{r.at(at) / 1000, "o", string(data)})
}

// wholeSigns keeps a sign whose bytes are not complete for the next piece.
func (r *Recorder) wholeSigns(data []byte) []byte {
	data = append(r.torn, data...)
	r.torn = nil
	for n := 1; n <= min(utf8.UTFMax-1, len(data)); n++ {
		if tail := data[len(data)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				r.torn = append([]byte(nil), tail...)
				data = data[:len(data)-n]
			}
			break
		}
	}
	return data
}
