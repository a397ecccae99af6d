package repository_test

import (
	"os"
	"os/exec"
	"testing"

	_ "fakepi.example/conformance" // so that the test's cached result notices a change of what the example imports
)

// TestGoExample runs the tests of the Go example, a module of its own: it passes profile basic, in process and over stdio.
func TestGoExample(t *testing.T) {
	t.Parallel()
	test := exec.Command("go", "test", ".")
	test.Dir = "examples/go"
	test.Env = append(os.Environ(), "GOPROXY=off")
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("go test in examples/go: %v; if it asks for another go.mod: cd examples/go && go mod tidy\n%s", err, out)
	}
}
