package fakepi_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
)

// A dialog that the script has in a run opens in that run only: not where it has failed because its prompt cannot be saved,
// nor where somebody has ended it. Others open whatever became of the runs before.
func TestDialogsOfRunsThatAreGone(t *testing.T) {
	const (
		inTool  = "0s prompt \"x\"\n+1s tool bash \"x\" runs 9s\n+2s asks confirm \"Go on?\"\n+9s says \"a\"\n+0s settles"
		inReply = "0s prompt \"x\"\n+1s says \"a\"\n+2s asks confirm \"Go on?\"\n+1s settles"
		between = "0s prompt \"x\"\n+1s says \"a\"\n+0s settles\n+2s asks confirm \"Go on?\"\n+9s prompt \"y\"\n+0s settles"
		handled = "0s prompt \"x\" handled\n+3s asks confirm \"Go on?\""
		before  = "0s asks confirm \"Go on?\"\n+9s prompt \"x\"\n+0s settles"
	)
	tests := []struct {
		name, src   string
		full        bool // the prompt cannot be saved
		command     string
		pi16, pi073 bool // whether the dialog opens
		reason      string
	}{
		{"saved", inTool, false, "", true, true, ""},
		{"unsaved, in a tool", inTool, true, "", false, true, "Pi 0.73 goes on without a file"},
		{"unsaved, in a reply", inReply, true, "", false, true, ""},
		{"unsaved, between runs", between, true, "", true, true, "it is not of the run that failed"},
		{"unsaved, handled", handled, true, "", true, true, "the prompt is not saved at all"},
		{"unsaved, at the start", before, true, "", true, true, ""},
		{"aborted", inTool, false, `{"type":"abort"}`, false, false, "the call that asks has ended"},
		{"another session", inTool, false, `{"type":"new_session"}`, false, false, "so it has here"},
		{"aborted, between runs", between, false, `{"type":"abort"}`, true, true, ""},
	}
	for _, tt := range tests {
		for _, lang := range tongues {
			w := newWorker(t, tt.src, in(lang.dialect), func(c *fakepi.Config) {
				c.Driven = true
				if tt.full {
					c.Savable = func(string, bool) error { return errors.New("ENOSPC: no space left on device") }
				}
			})
			out := w.Send(0, []byte(`{"type":"prompt","message":"x"}`), nil)
			out = play(w, 2*time.Second, out)
			if tt.command != "" {
				out = w.Send(2*time.Second, []byte(tt.command), out)
			}
			want := tt.pi16
			if lang.version == "0.73.1" {
				want = tt.pi073
			}
			if got := strings.Contains(text(play(w, time.Minute, out)), "extension_ui_request"); got != want {
				t.Errorf("%s, %s: got a dialog: %v, want %v: %s", lang.dialect, tt.name, got, want, tt.reason)
			}
		}
	}
}
