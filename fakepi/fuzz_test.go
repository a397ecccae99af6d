package fakepi_test

import (
	"testing"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// Any line on stdin is answered by legal lines, in every situation.
func FuzzSend(f *testing.F) {
	for _, line := range []string{
		`not json`, `{"type":`, ``, `null`, `[]`, `{"id":"a","type":"prompt","message":"x"}`, `{"id":[1],"type":"abort"}`,
		`{"type":"extension_ui_response","id":1}`, `{"type":7}`, `{"type":"steer","message":"\ud83d"}`, "\xff\xfe", `{"type":"prompt","message":3}`,
	} {
		f.Add([]byte(line))
	}
	scripts := []string{
		"0s chatter queue",
		"0s prompt \"x\"\n+0s says \"a\"\n+0s stalls",
		"0s prompt \"x\"\n+0s tool bash \"x\" runs never as=t\n@t asks confirm \"?\"",
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, src := range scripts {
			for _, lang := range tongues {
				w := newWorker(t, src, in(lang.dialect))
				play(w, time.Second, nil)
				for _, o := range w.Send(time.Second, line, nil) {
					if o.Stream != fakepi.Out || o.Data == nil {
						continue
					}
					if _, unknown, err := lang.codec.Examine(o.Data); err != nil || len(unknown) > 0 && !echoed(unknown) {
						t.Errorf("%q in %q: got %s (%v, %v)", line, src, o.Data, err, unknown)
					}
				}
			}
		}
	})
}

// echoed reports whether a response is odd only because it repeats the command that was sent.
func echoed(unknown []native.Unknown) bool {
	for _, u := range unknown {
		if u.Path != "$.command" && u.Path != "$.id" {
			return false
		}
	}
	return true
}
