package fakepi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi"
)

// happened tells what of a suspension can be seen: the terminal given back, the process that stops itself, the terminal
// taken again, texts that are drawn, and how the process ended.
func happened(outs []fakepi.Output) string {
	var words []string
	for _, o := range outs {
		data := ""
		if o.Stream == fakepi.PTY {
			data = string(o.Data)
		}
		for _, seen := range [][2]string{{"\x1b[?2004l", "given"}, {"\x1b[?2004h", "taken"}, {"Second", "Second"}} {
			if strings.Contains(data, seen[0]) {
				words = append(words, seen[1])
			}
		}
		switch {
		case o.Suspended:
			words = append(words, "suspended")
		case o.Exit != nil:
			words = append(words, token(&o))
		}
	}
	return strings.Join(words, " ")
}

// ctrl+z suspends both versions, SIGTSTP alone Pi 1.6 too; what happens meanwhile is drawn when SIGCONT comes.
func TestSuspend(t *testing.T) {
	const (
		src    = "0s prompt \"\"\n+100ms says \"First\"\n+5s says \" Second\"\n+0s settles"
		dialog = "0s prompt \"\"\n+100ms tool bash \"make\" runs never as=t\n@t asks select \"Allow?\" \"Allow\" \"Block\""
	)
	ctrlZ, cont := sent{at: 3 * time.Second, line: "\x1a"}, sent{at: time.Minute, signal: "SIGCONT"}
	stop := sent{at: 3 * time.Second, signal: "SIGTSTP"}
	interrupt := sent{at: 4 * time.Second, signal: "SIGINT"}
	tests := []struct {
		reason         string
		src            string
		sent           []sent
		want16, want73 string
	}{
		{"ctrl+z in a reply", src, []sent{ctrlZ, cont}, "taken given suspended taken Second", "taken given suspended taken Second"},
		{"SIGTSTP in a reply", src, []sent{stop, cont}, "taken given suspended taken Second", "taken Second"},
		{"SIGINT is ignored meanwhile", src, []sent{ctrlZ, interrupt, cont}, "taken given suspended taken Second", "taken given suspended taken Second"},
		{"it is suspended once", src, []sent{ctrlZ, stop, cont}, "taken given suspended taken Second", "taken given suspended taken Second"},
		{"SIGCONT alone", src, []sent{cont}, "taken Second", "taken Second"},
		{"a dialog has no ctrl+z", dialog, []sent{ctrlZ}, "taken", "taken"},
		{"but the process SIGTSTP", dialog, []sent{stop, cont}, "taken given suspended taken", "taken"},
	}
	for _, tt := range tests {
		for i, d := range dialects {
			want := []string{tt.want16, tt.want73}[i]
			w := newWorker(t, tt.src, interactive(d))
			outs := driveUntil(w, append(keysAt("hi\r"), tt.sent...), 2*time.Minute)
			if diff := cmp.Diff(want, happened(outs)); diff != "" {
				t.Errorf("%s, %s: -want +got\n%s", d, tt.reason, diff)
			}
		}
	}
}
