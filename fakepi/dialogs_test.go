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
