package fakepi_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// What a SIGKILL leaves (docs/pi-formats.md, section 8): the last record on stdout and the entries of the session file.
// Both are those of the real Pi.
func TestWhatAKillLeaves(t *testing.T) {
	const (
		prompt = "0s prompt \"x\"\n"
		none   = ""
		begun  = "session model_change thinking_level_change"
	)
	tests := []struct {
		name, src   string
		tail        string
		pi16, pi073 string
		reason      string
	}{
		{"before headers", prompt + "+0s stalls", "-user", begun + " system user", none, "(04e)"},
		{"in the first reply", prompt + "+1s says \"a\"\n+0s stalls", "text_delta", begun + " system user", none, "(08f)"},
		{"in bash", prompt + "+1s tool bash \"x\" runs never", "tool_execution_update{}",
			begun + " system user assistant", begun + " user assistant", "the call has no result (08a)"},
		{"in a batch", prompt + "+1s tool bash \"x\" runs never as=t\n@t tool write \"f\" runs 10ms", "tool_execution_end",
			begun + " system user assistant", begun + " user assistant", "neither call has a result, though one has ended (08c)"},
		{"after a tool", prompt + "+1s tool bash \"x\" runs 1s\n+0s stalls", "turn_start",
			begun + " system user assistant result", begun + " user assistant result", "(08b)"},
		{"in the reply after a tool", prompt + "+1s tool bash \"x\" runs 1s\n+2s says \"a\"\n+0s stalls", "text_delta",
			begun + " system user assistant result", begun + " user assistant result", "the partial text is lost (08e)"},
		{"in a delay", prompt + "+1s refused transient\n+0s retries 10m", "auto_retry_start",
			begun + " system user assistant context_edit", begun + " user assistant", "1.6 has told of the drop too (10j)"},
		{"in the second delay", prompt + "+1s refused transient\n+0s retries 2s\n+1s refused transient\n+0s retries 10m", "auto_retry_start",
			begun + " system user assistant context_edit assistant context_edit", begun + " user assistant assistant", ""},
		{"under a dialog", prompt + "+1s tool bash \"x\" runs never as=t\n@t asks confirm \"?\"", "extension_ui_request",
			begun + " system user assistant", begun + " user assistant", "(12b)"},
		{"in a compaction", prompt + "+1s says \"a\"\n+0s ends\n+0s compacts runs 10m", "compaction_start",
			begun + " system user assistant", begun + " user assistant", "uncompacted (16d)"},
		{"settled", prompt + "+1s says \"a\"\n+0s settles", "agent_end", begun + " system user assistant", begun + " user assistant", "1.6 says so by a further record"},
	}
	for _, tt := range tests {
		for i, want := range []string{tt.pi16, tt.pi073} {
			w := newWorker(t, tt.src, in(tongues[i].dialect))
			outs := w.Signal(time.Minute, "SIGKILL", play(w, time.Minute, nil))
			disk := strings.Join(tokensOf(outs, fakepi.Session), " ")
			printed := tokensOf(outs, fakepi.Out)
			printed = slices.DeleteFunc(printed, func(s string) bool { return s == "entry_appended" || s == "agent_settled" })
			if tail := printed[len(printed)-1]; tail != tt.tail || disk != want {
				t.Errorf("%s in %s (%s): got %s and\n%s, want %s and\n%s", tt.name, tongues[i].dialect, tt.reason, tail, disk, tt.tail, want)
			}
		}
	}
}

// tokensOf are the tokens of one stream.
func tokensOf(outs []fakepi.Output, stream string) []string {
	var list []string
	for i := range outs {
		if o := &outs[i]; o.Stream == stream && o.Data != nil {
			list = append(list, strings.TrimPrefix(token(o), stream+":"))
		}
	}
	return list
}

// However a worker is cut off, its file has whole lines, and its messages are those that stdout has told the end of: in
// 1.6 each is saved right before that, in 0.73 right behind it; nothing is before the first user message, in 0.73 before
// the first reply.
func TestKilledAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, lang := drawScript(t), drawTongue(t)
		outs := play(newRapidWorker(t, src, lang.dialect), horizon, nil)
		begins := map[native.Dialect]string{native.Pi16: "-user", native.Pi073: "-assistant"}[lang.dialect]
		told, saved, begun := 0, 0, false
		for i := range outs {
			word := token(&outs[i])
			switch o := &outs[i]; {
			case o.Stream == fakepi.Session && o.Data != nil:
				if bytes.Count(o.Data, []byte("\n")) != 1 || o.Data[len(o.Data)-1] != '\n' {
					t.Fatalf("a write of the file is no line: %s\n%s", o.Data, src)
				}
				if strings.Contains("session:user session:assistant session:result session:system", word) {
					saved++
				}
			case o.Stream == fakepi.Out && o.Data != nil:
				ends := strings.HasPrefix(word, "-")
				want := told
				if lang.dialect == native.Pi16 {
					begun = begun || word == begins
					if ends {
						want++
					}
				}
				if !begun {
					want = 0
				}
				if saved != want {
					t.Fatalf("%s: got %d messages saved before %s, want %d\n%s", lang.dialect, saved, word, want, src)
				}
				if ends {
					told++
				}
				begun = begun || word == begins
			}
		}
	})
}
