package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// examples is the folder of watchdogs that are no part of the project: each is a whole one, judged over stdio.
const examples = "../../examples"

// TestExamples: each example passes the profile of a first watchdog over stdio, and has nothing for the doctor to mend.
func TestExamples(t *testing.T) {
	for _, row := range []struct {
		name  string
		start func(t *testing.T) []string
	}{
		{"go", goExample},
	} {
		t.Run(row.name, func(t *testing.T) {
			adapter := append([]string{"--"}, row.start(t)...)
			command(t, exitOK, append([]string{"doctor"}, adapter...)...)
			// The base histories alone: that orders do not matter is shown in process, and by make examples.
			args := []string{"run", "--profile", "basic", "--explore", exampleExplore(), "--failing", failingNowhere, "--summary"}
			if out := command(t, exitOK, append(args, adapter...)...); !strings.Contains(out, "PASSED: 76 pass") {
				t.Errorf("the example came to\n%s", out)
			}
		})
	}
}

// exampleExplore is how far the examples are explored: make examples asks for more.
func exampleExplore() string {
	if e := os.Getenv("EXAMPLES_EXPLORE"); e != "" {
		return e
	}
	return "none"
}

func goExample(t *testing.T) []string {
	program := filepath.Join(t.TempDir(), "small")
	build(t, filepath.Join(examples, "go"), "go", "build", "-o", program, ".")
	return []string{program}
}
