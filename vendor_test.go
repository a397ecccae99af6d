package repository_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "fakepi.example/conformance" // so that the test's cached result notices a change of what the vendor imports
)

// TestVendorModule builds a vendor's module outside the tree that imports ours, and lets its watchdog be judged. The dog
// of testdata has no idea of first tokens, so the suite must catch it.
func TestVendorModule(t *testing.T) {
	t.Parallel()
	dir := vendorModule(t)
	build := exec.Command("go", "build", "-o", "dog", ".")
	build.Dir = dir
	// What we need is in the module cache already; the vendor's go.mod may be completed, the network is not asked.
	build.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	out, err := exec.Command(filepath.Join(dir, "dog")).CombinedOutput()
	if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 1 {
		t.Errorf("the dog ended with %v, want exit code 1", err)
	}
	for _, want := range []string{"stall/silent-after-tool fail\n", "broke WDC-STALL-002\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the vendor's test does not say %q:\n%s", want, out)
		}
	}
}

// TestVendorGoTest runs the vendor's own go test of one scenario: its failure names the requirement and how it is played
// again.
func TestVendorGoTest(t *testing.T) {
	t.Parallel()
	test := exec.Command("go", "test", "-short", "-run", "^TestDog$/^stall$/^silent-after-tool$", ".")
	test.Dir = vendorModule(t)
	test.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
	out, err := test.CombinedOutput()
	if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 1 {
		t.Errorf("go test ended with %v, want exit code 1", err)
	}
	for _, want := range []string{"--- FAIL: TestDog/stall/silent-after-tool ", "WDC-STALL-002: A watchdog MUST ", "' go test -v -run '^TestDog$'\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("go test does not say %q:\n%s", want, out)
		}
	}
}

// vendorModule writes the module of a vendor to a folder outside the tree.
func vendorModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	module := moduleName(t)
	write(t, dir, "main.go", read(t, "testdata/dog/main.go"))
	write(t, dir, "dog_test.go", read(t, "testdata/dog/dog_test.go"))
	write(t, dir, "go.sum", read(t, "go.sum"))
	write(t, dir, "go.mod", []byte(fmt.Sprintf(
		"module vendor.example/dog\n\ngo 1.26\n\nrequire %s v0.0.0\n\nreplace %s => %s\n", module, module, root)))
	return dir
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, dir, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
		t.Fatal(err)
	}
}
