package canary

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"fakepi.example/watchdog"
)

// Format is the version of the form of a recording.
const Format = 1

// ErrForeign is wrapped by the error about a folder that is no recording of this program.
var ErrForeign = errors.New("no recording of piwatch canary")

// Meta is what meta.json says. Its first members are those of any recorded run of Pi, as package recording reads them.
type Meta struct {
	Version   string          `json:"pi_version"`
	Worker    string          `json:"scenario"` // its id
	Mode      watchdog.Mode   `json:"mode"`
	Code      *int            `json:"exit_code,omitempty"`
	Signal    *string         `json:"signal,omitempty"`
	ExitedAt  float64         `json:"exit_t_ms,omitempty"`
	SpawnedAt float64         `json:"spawn_t_ms"`
	EpochMS   float64         `json:"t0_epoch_ms"`
	Format    int             `json:"format"`
	Agent     string          `json:"agent,omitempty"`
	Source    watchdog.Source `json:"source,omitempty"`
	Model     string          `json:"model,omitempty"`
	Columns   int             `json:"columns,omitempty"` // of a terminal
	Rows      int             `json:"rows,omitempty"`
	Redacted  bool            `json:"redacted"`
	Names     bool            `json:"names"`
	Epoch     time.Time       `json:"begun,omitzero"`          // civil time at 0
	Mono      time.Duration   `json:"begun_mono_ns,omitempty"` // of the host at 0
	BootID    string          `json:"begun_boot,omitempty"`    // of the host
	LeftOut   []string        `json:"left_out,omitempty"`      // what is not here, and why
	Complete  bool            `json:"complete"`                // the recorder has seen the end
}

// exited notes the end of the worker.
func (m *Meta) exited(e watchdog.Exited, at float64) {
	m.ExitedAt = at
	if e.Signal != "" {
		m.Signal = &e.Signal
		return
	}
	m.Code = &e.Code
}

// ReadMeta reads the meta.json of a recording. Other recorded runs of Pi name no format, but a mode; they can be read as well.
func ReadMeta(dir string) (Meta, error) {
	var m Meta
	path := filepath.Join(dir, MetaFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return m, fmt.Errorf("%w: %w", ErrForeign, err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%w: %s: %w", ErrForeign, path, err)
	}
	switch {
	case m.Format == 0 && m.Mode == "":
		return m, fmt.Errorf("%w: %s names neither a format nor a mode", ErrForeign, path)
	case m.Format > Format:
		return m, fmt.Errorf("%w: %s has format %d, and this program reads up to %d; update it", ErrForeign, path, m.Format, Format)
	}
	return m, nil
}
