package observe_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fakepi.example/fakepi/native/recording"
	"fakepi.example/watchdog/observe"
)

// FuzzPlay opens and plays arbitrary bytes: a file is refused with an error of a known kind or played to the end, under
// a hasty policy, with changes that obey the rules of sound.
func FuzzPlay(f *testing.F) {
	for _, name := range []string{
		"json/04-true-stall-sigint/events.rec.jsonl", "rpc/12a-select-answered/events.rec.jsonl",
		"rpc/16f-compact-overflow/events.rec.jsonl", "json/10d-error-401/events.rec.jsonl", "json/22a-unicode/stdout.raw",
	} {
		data, err := os.ReadFile(filepath.Join(recordings, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	sessions, err := filepath.Glob(filepath.Join(recordings, "rpc/*/session/*.jsonl"))
	if err != nil || len(sessions) == 0 {
		f.Fatalf("no session files: %v", err)
	}
	for _, path := range sessions[:3] {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
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
