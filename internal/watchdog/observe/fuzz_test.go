package observe_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fakepi.example/internal/fakepi/native/recording"
	"fakepi.example/internal/watchdog/observe"
)

// FuzzPlay opens and plays arbitrary bytes: a file is refused with an error of a known kind or played to the end, under
// a hasty policy, with changes that obey the rules of sound.
func FuzzPlay(f *testing.F) {
	for _, name := range []string{
		"1.6.0/json/04-true-stall-sigint/events.rec.jsonl", "1.6.0/rpc/12a-select-answered/events.rec.jsonl",
		"1.6.0/rpc/16f-compact-overflow/events.rec.jsonl", "1.6.0/json/10d-error-401/events.rec.jsonl",
		"1.6.0/json/22a-unicode/stdout.raw", "1.6.0/rpc/06a-long-tool-silent/session/*.jsonl",
		"1.6.0/json/10c-retry-529-exhausted/session/*.jsonl", "0.73.1/json/16e-compact-auto-threshold/events.rec.jsonl",
	} {
		f.Add(shortLines(f, name))
	}
	for _, text := range []string{
		"", "{}\n", stall, stall[:len(stall)-20], out(-1, "x") + out(1e15, "[[") + out(5, `\udc80\u0000`),
		"\x1b[?2004h\x1b]7501;state=blocked:msg=eA==\x1b\\", `{"type":"agent_settled"}` + "\n" + `{"type":"agent_start"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := observe.Open(file)
		if err != nil {
			if !errors.Is(err, observe.ErrFormat) && !errors.Is(err, recording.ErrFormat) {
				t.Fatalf("an error of no known kind: %v", err)
			}
			return
		}
		var got []observe.Change
		err = observe.Play(r, reference, observe.Options{Policy: hasty(), Until: time.Second}, func(c observe.Change) error {
			got = append(got, c)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := sound(file, got); err != nil {
			t.Errorf("%v\n%s", err, list(got))
		}
	})
}

// shortLines are the lines of a recorded file that make good seeds: the fuzzer takes long to cut down large ones.
func shortLines(f *testing.F, pattern string) []byte {
	f.Helper()
	found, err := filepath.Glob(filepath.Join(recordings, pattern))
	if err != nil || len(found) != 1 {
		f.Fatalf("%s matches %q, %v; want one file", pattern, found, err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		f.Fatal(err)
	}
	var out []byte
	for line := range bytes.Lines(data) {
		if len(line) < 300 {
			out = append(out, line...)
		}
	}
	return out
}
