package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"fakepi.example/conformance/report"
)

// TestInitAdapter writes an adapter in each language and runs it: it follows the protocol, and honestly fails.
func TestInitAdapter(t *testing.T) {
	for _, row := range []struct {
		lang, file string
		start      func(t *testing.T, dir string) []string
	}{
		{"go", "main.go", func(t *testing.T, dir string) []string {
			program := filepath.Join(dir, "adapter")
			build(t, dir, "go", "build", "-o", program, ".")
			return []string{program}
		}},
		{"python", "adapter.py", func(t *testing.T, dir string) []string {
			return []string{installed(t, "python3"), filepath.Join(dir, "adapter.py")}
		}},
		{"typescript", "adapter.ts", func(t *testing.T, dir string) []string {
			return []string{installed(t, "node"), stripTypes(t, filepath.Join(dir, "adapter.ts"))}
		}},
		{"rust", "src/main.rs", func(t *testing.T, dir string) []string {
			cargo := exec.Command(installed(t, "cargo"), "build", "--release", "--offline")
			cargo.Dir = dir
			if out, err := cargo.CombinedOutput(); err != nil {
				if strings.Contains(string(out), "offline") {
					t.Skip("serde_json is not in cargo's cache, and a test fetches nothing")
				}
				t.Fatalf("%v\n%s", err, out)
			}
			return []string{filepath.Join(dir, "target/release/my-watchdog")}
		}},
	} {
		t.Run(row.lang, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "mine")
			command(t, exitOK, "init-adapter", "--lang", row.lang, dir)
			source, err := os.ReadFile(filepath.Join(dir, row.file))
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(source, []byte("\n")); n > 80 {
				t.Errorf("%s has %d lines, want 80 at most", row.file, n)
			}
			adapter := append([]string{"--"}, row.start(t, dir)...)
			command(t, exitOK, append([]string{"doctor"}, adapter...)...)
			run := []string{"run", "--case", "stall/silent-after-tool*", "--failing", failingNowhere, "--shrink", "0", "--summary"}
			if out := command(t, exitFailed, append(run, adapter...)...); !strings.Contains(out, "FAILED") {
				t.Errorf("an adapter that watches nothing came to\n%s", out)
			}
		})
	}
}

// command runs one command line and returns what it has printed.
func command(t *testing.T, code int, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(t.Context(), args, &stdout, &stderr); got != code {
		t.Fatalf("piconform %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, stdout.String(), stderr.String())
	}
	return stdout.String() + stderr.String()
}

func build(t *testing.T, dir string, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func installed(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed here", name)
	}
	return path
}

// stripTypes makes JavaScript of TypeScript, for a Node that does not do so itself.
func stripTypes(t *testing.T, file string) string {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := api.Transform(string(source), api.TransformOptions{Loader: api.LoaderTS, Format: api.FormatESModule})
	if len(r.Errors) > 0 {
		t.Fatalf("%s:%v", file, r.Errors)
	}
	js := strings.TrimSuffix(file, ".ts") + ".mjs"
	if err := os.WriteFile(js, r.Code, 0o644); err != nil {
		t.Fatal(err)
	}
	return js
}

// TestInitAdapterRefuses: a folder with something in it stays as it is.
func TestInitAdapterRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"--lang", "go", "."}, {"--lang", "cobol", dir}, {dir}, {"--lang", "go"}} {
		if out := command(t, exitError, append([]string{"init-adapter"}, args...)...); out == "" {
			t.Errorf("init-adapter %v says nothing", args)
		}
	}
}

// TestDoctorNamesTheFix: each kind of problem comes with what to do.
func TestDoctorNamesTheFix(t *testing.T) {
	installed(t, "sh")
	hello := `read a; echo '{"type":"hello_ok","protocol":1,"name":"x","wakeups":"exact","storage":"none"}'; read b; `
	refuses := `case "$b" in *made-up*) echo '{"type":"unsupported","reason":"no"}'; read c; exit;; esac; `
	for _, row := range []struct{ script, want string }{
		{`echo starting...; sleep 9`, "diagnostics go to stderr"},
		{`exit 4`, "exit status 4"},
		{hello + `echo '{"type":"ready"}'`, "answer unsupported with a reason"},
		{hello + refuses + `echo '{"type":"ready"}'; read c; echo '{"type":"quiescent","wake_ms":0,"ack":9}'; read d`, "ack the number n"},
		{hello + refuses + `echo '{"type":"ready"}'; while read c; do case "$c" in *'"stop"'*) echo '{"type":"bye"}';; *) echo '{"type":"quiescent","wake_ms":'$$',"ack":0}';; esac; done`, "decide by now and seen alone"},
	} {
		if out := command(t, exitFailed, "doctor", "--answer", "3s", "--", "sh", "-c", row.script); !strings.Contains(out, row.want) {
			t.Errorf("%s\nwant %q in\n%s", row.script, row.want, out)
		}
	}
	command(t, exitError, "doctor")
	command(t, exitError, "doctor", "x")
	dir := t.TempDir()
	command(t, exitError, "run", "--out", dir, "--case", "ttft/*", "--", "/no/such/adapter")
	for _, file := range []string{report.FileJSON, report.FileText, report.FileJUnit} {
		if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(text), "/no/such/adapter cannot be started") {
			t.Errorf("%s of an adapter that never starts (error %v) does not say why", file, err)
		}
	}
}
