package canary

import (
	"fmt"
	"path/filepath"
	"time"

	"fakepi.example/internal/watchdog/live/clocks"
	"fakepi.example/watchdog"
)

// Judged is a line of verdicts.jsonl: a verdict that has changed, what the person was told, or a command that a watchdog that
// may act would have carried out.
type Judged struct {
	At     float64              `json:"t_ms"`
	Name   watchdog.VerdictName `json:"verdict,omitempty"`
	Status watchdog.Status      `json:"status,omitempty"`
	Since  float64              `json:"since_ms,omitempty"`
	Told   watchdog.CommandKind `json:"told,omitempty"`  // the command that told the person
	Would  watchdog.CommandKind `json:"would,omitempty"` // the command that was refused
	Act    watchdog.CommandKind `json:"act,omitempty"`   // that a proposal asks leave for
	Cause  watchdog.Cause       `json:"cause,omitzero"`
	Text   string               `json:"text,omitempty"` // for people; only with contents
}

// Decided records what the watchdog made of it.
func (r *Recorder) Decided(now watchdog.Instant, d *watchdog.Decision) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range d.Verdicts {
		v := &d.Verdicts[i]
		j := Judged{At: r.at(now), Name: v.Name, Status: v.Status, Since: r.at(watchdog.Instant{Mono: v.Since}), Cause: v.Cause}
		if err := r.append(VerdictsFile, j); err != nil {
			return err
		}
	}
	for i := range d.Commands {
		c := &d.Commands[i]
		if looks(c.Kind) {
			continue
		}
		j := Judged{At: r.at(now), Act: c.Act, Cause: c.Cause}
		if tells(c.Kind) {
			j.Told = c.Kind
		} else {
			j.Would = c.Kind
		}
		if r.options.Contents {
			j.Text = c.Text
		}
		if err := r.append(VerdictsFile, j); err != nil {
			return err
		}
	}
	return nil
}

// looks reports whether a command only looks.
func looks(k watchdog.CommandKind) bool {
	return k == watchdog.CmdProbe || k == watchdog.CmdInspect || k == watchdog.CmdHeartbeat
}

func tells(k watchdog.CommandKind) bool {
	return k == watchdog.CmdNotify || k == watchdog.CmdEscalate || k == watchdog.CmdPropose
}

// The kinds of marks.
const (
	MarkRight      = "right"
	MarkFalseAlarm = "false alarm"
	MarkMissed     = "missed"
	MarkNote       = "note"
)

// Marks lists the kinds of marks.
func Marks() []string { return []string{MarkRight, MarkFalseAlarm, MarkMissed, MarkNote} }

// Mark is a line of marks.jsonl: what a person says of a moment.
type Mark struct {
	At   float64   `json:"t_ms"`
	Wall time.Time `json:"at"`
	Kind string    `json:"kind"`
	Text string    `json:"text,omitempty"`
}

// AddMark marks this moment in the recording of a folder, which may be written by another process meanwhile.
func AddMark(dir, kind, text string) (Mark, error) {
	m, err := ReadMeta(dir)
	if err != nil {
		return Mark{}, err
	}
	if m.Complete || m.Code != nil || m.Signal != nil {
		return Mark{}, fmt.Errorf("%s has ended: its moments are past", dir)
	}
	now, err := clocks.Now()
	if err != nil {
		return Mark{}, err
	}
	if now.BootID != m.BootID {
		return Mark{}, fmt.Errorf("%s was recorded before this host was started, and its moments are past", dir)
	}
	mark := Mark{At: milliseconds(now.Mono - m.Mono), Wall: now.Wall, Kind: kind, Text: text}
	line, err := encode(mark)
	if err != nil {
		return Mark{}, err
	}
	return mark, appendTo(filepath.Join(dir, MarksFile), line)
}
