package fakepi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
)

// What answers of any shape make of a call: as the real Pi and an extension that asks in the usual way do, such as the one
// of the comparison.
func TestAnswersOfAnyShape(t *testing.T) {
	const sel, confirm, input, editor = `select "?" "Allow" "Block"`, `confirm "?"`, `input "?"`, `editor "?"`
	tests := []struct {
		asks, answer string
		runs         bool
		reason       string
	}{
		{sel, `"value":"Allow"`, true, ""},
		{sel, `"value":"Block"`, false, ""},
		{sel, `"value":"allow"`, false, "it is no option"},
		{sel, `"value":77`, false, "nor is a number"},
		{sel, `"value":["Allow"]`, false, ""},
		{sel, `"confirmed":true`, false, "it has no value"},
		{sel, `"value":"Allow","cancelled":true`, false, ""},
		{sel, `"value":"Allow","cancelled":1`, false, "true for JavaScript"},
		{sel, `"value":"Allow","cancelled":0`, true, "false for it"},
		{confirm, `"confirmed":true`, true, ""},
		{confirm, `"confirmed":"no"`, true, "a text is true for JavaScript"},
		{confirm, `"confirmed":""`, false, ""},
		{confirm, `"value":"yes"`, false, "it does not confirm"},
		{input, `"value":""`, true, "an empty text is one"},
		{input, `"value":7`, true, "Pi hands on what came"},
		{input, `"value":null`, true, ""},
		{input, `"confirmed":true`, false, "there is no value"},
		{editor, `"value":"x"`, true, ""},
		{editor, `"value":""`, false, "No text"},
	}
	for _, tt := range tests {
		for _, lang := range tongues {
			w := newWorker(t, "0s prompt \"x\"\n+1s tool bash \"x\" runs 1s as=t\n@t asks "+tt.asks, in(lang.dialect),
				func(c *fakepi.Config) { c.Driven = true })
			out := text(play(w, time.Minute, w.Send(0, []byte(`{"type":"prompt","message":"x"}`), nil)))
			_, id, _ := strings.Cut(out, `"extension_ui_request","id":"`)
			id, _, _ = strings.Cut(id, `"`)
			line := fmt.Sprintf(`{"type":"extension_ui_response","id":"%s",%s}`, id, tt.answer)
			got := text(play(w, time.Hour, w.Send(time.Minute, []byte(line), nil)))
			if runs := strings.Contains(got, `"isError":false`); runs != tt.runs || !strings.Contains(got, "tool_execution_end") {
				t.Errorf("%s, %s, answered %s: runs: %v, want %v (%s)", lang.dialect, tt.asks, tt.answer, runs, tt.runs, tt.reason)
			}
		}
	}
}

// A call that the script lets an extension block behind its dialog does not run, whatever the answer: the extension's
// reason is the result. An input shows its placeholder.
func TestBlockedBehindADialog(t *testing.T) {
	const src = "0s prompt \"x\"\n+1s tool bash \"x\" runs 0s blocked gives \"Input was maybe\" as=t\n@t asks input \"Allow?\" \"yes\"\n" +
		"+0s user answers \"maybe\" after 30s\n@t.end+1m says \"b\"\n+0s settles"
	for _, lang := range tongues {
		w := newWorker(t, src, in(lang.dialect))
		out := text(play(w, 31*time.Second, nil))
		if !strings.Contains(out, `"title":"Allow?","placeholder":"yes"}`) || strings.Contains(out, "tool_execution_end") {
			t.Errorf("%s: before the answer: %s", lang.dialect, out)
		}
		got := text(play(w, time.Hour, w.Send(31*time.Second, w.Answer("maybe", false), nil)))
		const want = `"result":{"content":[{"type":"text","text":"Input was maybe"}],"details":{}},"isError":true}`
		if !strings.Contains(got, want) || strings.Contains(got, "tool_execution_update") || strings.Count(got, "turn_end") != 2 {
			t.Errorf("%s: got %s, want the result %s", lang.dialect, got, want)
		}
	}
}
