package fakepi_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi/native"
)

// FuzzTyped types anything, byte by byte or at once, into a worker that streams, asks, works and waits. It never panics,
// and whatever has happened, ctrl+d and ctrl+c end it with the modes of the terminal given back.
func FuzzTyped(f *testing.F) {
	const src = "0s prompt \"\"\n+100ms thinks \"Well.\" over 1s\n+0s says \"One.\" over 1s\n+10ms tool bash \"make\" runs 2s bursts 500ms as=t\n" +
		"@t asks select \"Allow?\" \"Allow\" \"Block\" timeout=2s\n+0s user answers \"Allow\" after 1s\n@t.end+1s says \"Done.\"\n+0s settles\n" +
		"+0s prompt \"\"\n+1s refused transient\n+0s retries 4s\n+1s says \"Again.\"\n+0s settles\n" +
		"+1s compacts manual runs 2s\n+1s asks editor \"Edit\"\n"
	for _, keys := range []string{
		"hi\r", "hi\r\x1b[B\r", "a\rb\rc\x1b\r\x1b[1;3A", "hi\r\x1b", "/new\r", "/compact\r!ls\r/name x\r", "\x1b[200~a\nb\x1b[201~\r",
		"\x1b]7501;?\x1b\\\x1b[?7u\x1b[?62c", "漢字\x1b[D\x7f\x17\x19", "\x03", "/quit\r", "\x1b[99;5u",
	} {
		f.Add(keys, uint16(200), true)
		f.Add(keys, uint16(1500), false)
	}
	f.Fuzz(func(t *testing.T, keys string, wait uint16, old bool) {
		dialect := native.Pi16
		if old {
			dialect = native.Pi073
		}
		w := newWorker(t, src, interactive(dialect))
		now := time.Duration(0)
		outs := play(w, now, nil)
		for _, key := range []byte(keys[:min(len(keys), 64)]) {
			now += time.Duration(wait) * ms
			outs = w.Send(now, []byte{key}, play(w, now, outs))
		}
		outs = w.Send(now, []byte(keys), outs)
		now += time.Minute
		outs = play(w, now, outs)
		for _, key := range []string{"\x1b[201~", "\x03", "\x03", "\x03"} { // out of a paste, a dialog, a text
			outs = w.Send(now, []byte(key), outs)
		}
		outs = play(w, now+time.Minute, outs)
		if !w.Truth(now + time.Minute).Exited {
			t.Fatalf("%q: it did not exit", keys)
		}
		screen := text(only(outs, "pty"))
		if on, off := strings.LastIndex(screen, "\x1b[?2004h"), strings.LastIndex(screen, "\x1b[?2004l"); on > off {
			t.Errorf("%q: the modes were not given back", keys)
		}
	})
}
