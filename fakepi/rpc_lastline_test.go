package fakepi_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// A last line without its line feed, as the real Pi of each version answered it.
func TestLastLine(t *testing.T) {
	tests := []struct {
		line        string
		pi16, pi073 string // what is printed after the start; empty: nothing
	}{
		{`{"type":"prompt","message":"x"}`, `{"type":"response","command":"prompt","success":true,"data":{"disposition":"started"}}`, `{"type":"response","command":"prompt","success":true}`},
		{`{"type":"steer","message":"x"}`, `{"type":"response","command":"steer","success":true,"data":{"disposition":"queued"}}`, ""},
		{`{"type":"set_session_name","name":"x"}`, `{"type":"response","command":"set_session_name","success":true}`, `{"type":"response","command":"set_session_name","success":true}`},
		{`{"type":"compact"}`, `{"type":"response","command":"compact","success":false,"error":"Nothing to compact (session too small)"}`, ""},
		{`{"type":"abort"}`, `{"type":"response","command":"abort","success":true}`, ""},
		{`{"type":"cycle_model"}`, `{"type":"response","command":"cycle_model","success":true,"data":null}`, ""},
		{`{"type":"bash","command":"ls"}`, "", ""},
		{`{"type":"new_session"}`, "", ""},
		{`{"type":"nosuch"}`, `{"type":"response","command":"nosuch","success":false,"error":"Unknown command: nosuch"}`, `{"type":"response","command":"nosuch","success":false,"error":"Unknown command: nosuch"}`},
	}
	for _, tt := range tests {
		for _, lang := range tongues {
			want := tt.pi16
			if lang.dialect == native.Pi073 {
				want = tt.pi073
			}
			w := newWorker(t, "0s prompt \"x\"\n+1s says \"a\"\n+0s settles\n", in(lang.dialect), func(c *fakepi.Config) { c.Driven = true })
			play(w, time.Second, nil)
			outs := w.LastLine(time.Second, []byte(tt.line), nil)
			outs = play(w, time.Minute, outs)
			if got := strings.TrimSuffix(text(outs), "\n"); got != want {
				t.Errorf("%s, %s: printed %s, want %s", lang.dialect, tt.line, got, want)
			}
			if last := outs[len(outs)-1]; last.Exit == nil || last.Exit.Code != 0 {
				t.Errorf("%s, %s: it does not exit with 0", lang.dialect, tt.line)
			}
		}
	}
}
