//go:build unix

package smoke_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"fakepi.example/internal/fakepi/fidelity"
	"fakepi.example/internal/fakepi/fidelity/realpi"
)

// testRealPi lets the real Pi live through the story that the fake plays, so that both are held to the same.
func testRealPi(t *testing.T, fakepi command) {
	for _, s := range reals(fakepi) {
		t.Run(s.name, func(t *testing.T) {
			installed(t, s.name)
			live(t, s)
		})
	}
}

// reals are the real Pi in each dialect, the newest first, with an extension that asks.
func reals(fakepi command) []*subject {
	all := []*subject{
		{name: realpi.V16, status: true, hungUp: hungUp16, ready: `^  gate\.ts`},
		{name: realpi.V073, hungUp: hungUp073, dies: true, orphans: true, ready: `^  gate\.ts`},
	}
	for _, s := range all {
		s.prepare = func(t *testing.T, script string) worker {
			gate, err := filepath.Abs("../internal/fakepi/fidelity/testdata/gate.ts")
			if err != nil {
				t.Fatal(err)
			}
			pi, at := installed(t, s.name), newPlace(t)
			serveModel(t, fakepi, script, at)
			return worker{at: at, run: func(args ...string) *exec.Cmd { return pi.Command(append(args, "--extension", gate)...) }}
		}
	}
	return all
}

// installed is a real Pi. Without npm the test is skipped.
func installed(t *testing.T, version string) realpi.Pi {
	t.Helper()
	pi, err := realpi.Install(t.Context(), version)
	if errors.Is(err, realpi.ErrNoNPM) {
		t.Skipf("NOT CHECKED against the real Pi %s: %v", version, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return pi
}

// serveModel serves the model's half of a script until the test ends, and tells the real Pi of it.
func serveModel(t *testing.T, fakepi command, script string, at fidelity.Place) {
	t.Helper()
	cmd := exec.Command(string(fakepi), "model", "--script", write(t, script), "--write-config", realpi.AgentDir(at.Home))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // how it ends is its own test's affair
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // its address: from now on it serves
		t.Fatalf("fakepi model: %v", err)
	}
	writeSettings(t, at)
}

// settings turn the progress sign on, and make a short conversation long enough for a compaction.
const settings = `{"terminal":{"showTerminalProgress":true},"compaction":{"enabled":true,"reserveTokens":1000,"keepRecentTokens":200}}`

// writeSettings adds the settings to those that a Pi has, if it has any.
func writeSettings(t *testing.T, at fidelity.Place) {
	t.Helper()
	file := filepath.Join(realpi.AgentDir(at.Home), "settings.json")
	all := map[string]any{}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	err = json.Unmarshal([]byte(settings), &all)
	if err == nil {
		text, err = json.Marshal(all)
	}
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
