package repository_test

import (
	"slices"
	"strings"
	"testing"
)

// Imports and tokens never carry commands: what reads recordings, sessions, scripts and replay tokens, and what plays them,
// cannot start a process. Who runs a worker really is cmd/fakepi, and only what its own script says, with --allow-exec.
// internal/conformance/wcp/process is the one exception in the suite: it starts the adapter that its caller names, and reads
// no command from anywhere. internal/fakepi/fidelity carries out commands of the recordings beside it, so nothing may reach it.
func TestNoExecution(t *testing.T) {
	fidelity := moduleName(t) + "/internal/fakepi/fidelity"
	played := 0
	for name, imports := range importsOfPackages(t) {
		if slices.Contains(imports, fidelity) {
			t.Errorf("%s imports %s", name, fidelity)
		}
		if !playsOnly(name) {
			continue
		}
		played++
		for _, path := range imports {
			if path == "os/exec" || path == "syscall" || path == "plugin" || strings.HasPrefix(path, "golang.org/x/sys") {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
	if played < 15 {
		t.Errorf("looked at %d packages, want 15 or more", played)
	}
}

// playsOnly reports whether a package reads or plays what comes from elsewhere, and has nothing to do with processes.
func playsOnly(name string) bool {
	name = strings.TrimPrefix(name, "internal/")
	if name == "conformance/wcp/process" {
		return false
	}
	for _, top := range []string{"fakepi/native", "fakepi/script", "fakepi/model", "fakepi/provider", "scenarios", "conformance"} {
		if name == top || strings.HasPrefix(name, top+"/") {
			return true
		}
	}
	return name == "fakepi" || name == "watchdog"
}
