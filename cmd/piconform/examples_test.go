package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/google/go-cmp/cmp"

	"fakepi.example/conformance"
	"fakepi.example/conformance/report"
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
		{"python", pythonExample},
		{"typescript", typescriptExample},
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

// TestExamplesCore: what an example fails of core is what it lists. make examples runs it, since it takes minutes.
func TestExamplesCore(t *testing.T) {
	if exampleExplore() == "none" {
		t.Skip("EXAMPLES_EXPLORE is not set; make examples runs this test")
	}
	for name, start := range map[string]func(*testing.T) []string{"python": pythonExample} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			var stdout, stderr bytes.Buffer
			args := []string{"run", "--profile", "core", "--explore", "none", "--failing", failingNowhere, "--shrink", "0", "--out", out, "--"}
			if code := run(t.Context(), append(args, start(t)...), &stdout, &stderr); code == exitError {
				t.Fatalf("%s%s", stdout.String(), stderr.String())
			}
			file, err := os.Open(filepath.Join(out, report.FileJSON))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			result, _, err := report.Read(file)
			if err != nil {
				t.Fatal(err)
			}
			var failed []string
			for _, c := range result.Cases {
				if c.Status != conformance.Pass && c.Status != conformance.NotApplicable && c.Status != conformance.Warn {
					failed = append(failed, c.ID)
				}
			}
			list, err := os.ReadFile(filepath.Join(examples, name, "known-failing.txt"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Fields(string(list)), failed); diff != "" {
				t.Errorf("known-failing.txt (-) and what fails (+):\n%s", diff)
			}
		})
	}
}

func pythonExample(t *testing.T) []string {
	return []string{installed(t, "python3"), filepath.Join(examples, "python", "adapter.py")}
}

// typescriptExample strips the types as a new Node does by itself.
func typescriptExample(t *testing.T) []string {
	node := installed(t, "node")
	js := filepath.Join(t.TempDir(), "adapter.mjs")
	r := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(examples, "typescript", "adapter.ts")}, Bundle: true, Platform: api.PlatformNode, Format: api.FormatESModule,
		Outfile: js, Write: true,
	})
	if len(r.Errors) > 0 {
		t.Fatal(r.Errors)
	}
	return []string{node, js}
}

func goExample(t *testing.T) []string {
	program := filepath.Join(t.TempDir(), "small")
	build(t, filepath.Join(examples, "go"), "go", "build", "-o", program, ".")
	return []string{program}
}

// TestReplayOfAnAdapter: the line with which a failure of an adapter ends plays its history again, to the adapter.
func TestReplayOfAnAdapter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	command(t, exitOK, "init-adapter", "--lang", "go", dir)
	program := filepath.Join(dir, "adapter")
	build(t, dir, "go", "build", "-o", program, ".")
	out := command(t, exitFailed, "run", "--profile", "basic", "--case", "ttft/never-comes", "--explore", "none", "--shrink", "0", "--failing", failingNowhere, "--summary", "--", program)
	_, line, ok := strings.Cut(out, "  replay    piconform ")
	line, _, _ = strings.Cut(line, "\n")
	if !ok || !strings.HasSuffix(line, " -- "+program) {
		t.Fatalf("no replay line with the adapter's command:\n%s", out)
	}
	again := command(t, exitFailed, strings.Fields(line)...)
	for _, f := range strings.Split(out, "\nFAIL ")[1:] {
		head, _, _ := strings.Cut(f, ": ")
		if strings.HasSuffix(head, "ttft/never-comes") && !strings.Contains(again, "FAIL "+head) { // the rest is the twin's
			t.Errorf("the run found %s, and its replay does not:\n%s", head, again)
		}
	}
	small := command(t, exitOK, append([]string{"shrink", "--budget", "1s"}, strings.Fields(line)[1:]...)...)
	if !strings.Contains(small, "replay    piconform replay ") || !strings.Contains(small, " -- "+program) {
		t.Errorf("shrink says\n%s", small)
	}
}
