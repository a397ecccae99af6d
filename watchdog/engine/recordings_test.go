package engine_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"fakepi.example/internal/fakepi/native/recording"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// TestRealPiIsKnown shows the stdout of every recording, and of those below FAKEPI_RECORDINGS: no record of a real Pi
// makes its dialect a foreign one.
func TestRealPiIsKnown(t *testing.T) {
	played := 0
	for _, root := range []string{"../../fakepi/native/testdata/recordings", os.Getenv("FAKEPI_RECORDINGS")} {
		if root == "" {
			continue
		}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == recording.EventsFile {
				played++
				if engine.Strange(stdout(t, path), "w1") {
					t.Errorf("%s: a foreign dialect", path)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if played == 0 {
		t.Fatal("no recording was played")
	}
}

// stdout shows an engine the records of a recording that go over the pipes.
func stdout(t *testing.T, path string) *engine.Engine {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	events, err := recording.Read(bytes.NewReader(data), path)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(watchdog.Boot{Policy: watchdog.DefaultPolicy()})
	if err != nil {
		t.Fatal(err)
	}
	offsets := map[watchdog.Stream]int64{}
	show := func(at watchdog.Instant, n int, body watchdog.Body) {
		if _, err := e.Step(at, []watchdog.Observation{{N: n, At: at, Worker: "w1", Generation: 1, Body: body}}); err != nil {
			t.Fatal(err)
		}
	}
	show(watchdog.Instant{}, 1, watchdog.Spawned{Mode: watchdog.ModeRPC, Source: watchdog.SourceHeld, Parent: true})
	for i, ev := range events {
		stream := watchdog.Stream(ev.Dir)
		if stream != watchdog.StreamOut && stream != watchdog.StreamIn {
			continue
		}
		line := append(bytes.Clone(ev.Line), '\n')
		show(watchdog.Instant{Mono: ev.At, Boot: ev.At}, i+2, watchdog.Bytes{Stream: stream, Offset: offsets[stream], Data: line})
		offsets[stream] += int64(len(line))
	}
	return e
}
