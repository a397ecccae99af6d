package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	fakeplay "fakepi.example/fakepi/play"
	"fakepi.example/fakepi/script"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv(toolEnv); kind != "" {
		os.Exit(runToolProcess(kind))
	}
	testscript.Main(m, map[string]func(){"fakepi": main})
}

func TestCommands(t *testing.T) {
	docs, err := filepath.Abs("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Setenv("DOCS", docs)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status,
		},
	})
}

// status runs a command and checks its exit code: status N COMMAND ...
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND ...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// brokenPipe is a standard output whose reader has gone.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

// A command ends quietly when nobody listens any more; that it has found problems its status tells all the same.
func TestBrokenPipeIsQuiet(t *testing.T) {
	const good, bad, ugly = "0s prompt \"x\"\n+1s stalls\n", "0s prompt \"x\"\n+1s stall\n", "0s   prompt   \"x\"\n+1s stalls\n"
	badFile := filepath.Join(t.TempDir(), "bad.txtar")
	if err := os.WriteFile(badFile, []byte(bad), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args []string
		in   string
		want int
	}{
		{[]string{"script", "play", "--speed", "0", "-"}, good, exitOK},
		{[]string{"script", "fmt", "-"}, good, exitOK},
		{[]string{"script", "vet", "--json", "-"}, good, exitOK},
		{[]string{"script", "vet", "--json", "-"}, bad, exitProblems},
		{[]string{"script", "vet", "-"}, bad, exitProblems},
		{[]string{"script", "fmt", "-d"}, ugly, exitProblems},
		{[]string{"script", "fmt", badFile, "-"}, good, exitProblems},
	}
	for _, tt := range tests {
		var errOut bytes.Buffer
		code := run(context.Background(), tt.args, strings.NewReader(tt.in), brokenPipe{}, &errOut)
		if code != tt.want || (errOut.Len() > 0) != (tt.args[2] == badFile) {
			t.Errorf("%q, %q: exit %d, stderr %q; want %d", tt.args, tt.in, code, errOut.String(), tt.want)
		}
	}
}

// Played in real time, a script takes as long as it says.
func TestPlayTakesItsTime(t *testing.T) {
	tests := []struct {
		speed float64
		want  time.Duration
	}{{1, 12 * time.Second}, {4, 3 * time.Second}, {0, 0}}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			p := player(t, "0s prompt \"x\"\n+2s says \"y\" over 10s\n+0s settles\n", tt.speed)
			if _, err := p.Play(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := time.Since(start).Truncate(100 * time.Millisecond); got != tt.want {
				t.Errorf("at speed %v it took %v, want %v", tt.speed, got, tt.want)
			}
		})
	}
}

func player(t *testing.T, src string, speed float64) *fakeplay.Player {
	t.Helper()
	s, errs := source{"test", []byte(src)}.script()
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	p, err := newPlayer(s, playOptions{speed: speed, mode: string(script.ModeRPC)}, &bytes.Buffer{}, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
