//go:build unix

package smoke_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"fakepi.example/fakepi/fidelity/realpi"
)

// testRealPi lets the real Pi live through the story that the fake plays, so that both are held to the same.
func testRealPi(t *testing.T, fakepi command) {
	gate, err := filepath.Abs("../fakepi/fidelity/testdata/gate.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []subject{
		{name: realpi.V16, status: true, hangsUp: []int{0, 129}, ready: `^  gate\.ts`},
		{name: realpi.V073, hangsUp: []int{129, -1}, dies: true, orphans: true, ready: `^  gate\.ts`},
	} {
		t.Run(s.name, func(t *testing.T) {
			pi, err := realpi.Install(t.Context(), s.name)
			if errors.Is(err, realpi.ErrNoNPM) {
				t.Skipf("NOT CHECKED against the real Pi %s: %v", s.name, err)
			}
			if err != nil {
				t.Fatal(err)
			}
			s.prepare = func(t *testing.T) worker {
				home, dir := home(t), t.TempDir()
				serveModel(t, fakepi, realpi.AgentDir(home))
				return func(args ...string) *exec.Cmd {
					cmd := pi.Command(append(args, "--extension", gate)...)
					cmd.Dir, cmd.Env = dir, append(realpi.Env(home), "PI_PROGRAM_STATUS=1")
					return cmd
				}
			}
			live(t, &s)
		})
	}
}

// serveModel serves the model's half of the story until the test ends, and tells the real Pi of it.
func serveModel(t *testing.T, fakepi command, agentDir string) {
	t.Helper()
	cmd := exec.Command(string(fakepi), "model", "--script", write(t, story), "--write-config", agentDir)
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
	showProgress(t, filepath.Join(agentDir, "settings.json"))
}

// showProgress turns Pi's progress sign on.
func showProgress(t *testing.T, settings string) {
	t.Helper()
	text, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	all["terminal"] = map[string]any{"showTerminalProgress": true}
	if text, err = json.Marshal(all); err == nil {
		err = os.WriteFile(settings, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
