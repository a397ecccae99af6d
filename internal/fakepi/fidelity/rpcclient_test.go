package fidelity_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/benbjohnson/clock"
	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/fidelity/realpi"
	"fakepi.example/internal/fakepi/model"
)

const clientScript = `0s prompt "Say hello."
+300ms says "Hello." over 100ms
+0s    settles
+1s    prompt "Run echo hi."
+300ms says "Running it."
+0s    tool bash "echo hi" runs 20ms gives "hi\n"
+300ms says "It printed hi."
+0s    settles
+1s    prompt "Talk for ever."
+300ms says "Once upon a time" over 200ms
+20s   says "the end"
+0s    settles
+1s    prompt "xxx"
+300ms says "Here."
+0s    settles
`

// The client that Pi exports cannot tell a fake from the real one.
func TestRPCClient(t *testing.T) {
	pi := real16(t)
	played := parse(t, clientScript)
	real := drive(t, pi, played, pi.CLI(), "")
	shim, err := filepath.Abs("testdata/rpcclient/fakepi.mjs")
	if err != nil {
		t.Fatal(err)
	}
	fake := drive(t, pi, played, shim, install(t))
	if d := cmp.Diff(real, fake); d != "" {
		t.Errorf("-real Pi, +fakepi:\n%s", d)
	}
}

// real16 is the installed Pi 1.6.
func real16(t *testing.T) realpi.Pi { return realPi(t, realpi.V16) }

// realPi is an installed Pi. Where npm does not answer there is none, which is said.
func realPi(t *testing.T, version string) realpi.Pi {
	t.Helper()
	if !*enabled {
		t.Skip("it installs the real Pi; make fidelity runs it")
	}
	pi, err := realpi.Install(t.Context(), version)
	if errors.Is(err, realpi.ErrNoNPM) {
		fmt.Printf("fidelity: not run: %v\n", err)
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return pi
}

func parse(t *testing.T, source string) *script.Script {
	t.Helper()
	s, err := script.Parse("script", []byte(source))
	if err == nil {
		err = s.Resolve(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// drive lets the client drive a worker in a home of its own, and returns what it was told.
func drive(t *testing.T, pi realpi.Pi, played *script.Script, cli, fakepi string) string {
	t.Helper()
	home := folder(t)
	serve(t, played, home, io.Discard)
	script := filepath.Join(home, "script.txtar")
	if err := os.WriteFile(script, []byte(clientScript), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	driver, err := filepath.Abs("testdata/rpcclient/drive.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), pi.Node(), driver, pi.Package(), cli)
	cmd.Dir, cmd.Stdout, cmd.Stderr = home, &out, &errOut
	cmd.Env = append(realpi.Env(home), "PATH="+filepath.Dir(pi.Node())+":"+os.Getenv("PATH"), "FAKEPI_PROGRAM="+fakepi, "FAKEPI_SCRIPT="+script)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, out.String(), errOut.String())
	}
	return out.String()
}

// serve answers the Pis of a home with the model's half of a script. The requests go to log.
func serve(t *testing.T, played *script.Script, home string, log io.Writer) {
	t.Helper()
	steps := played.For(script.DefaultActor)
	replies, err := model.Compile(steps, played.Files)
	if err != nil {
		t.Fatal(err)
	}
	l, err := model.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error)
	go func() { served <- model.NewServer(replies, clock.New(), log).Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	config := model.ConfigOf(steps)
	config.URL = "http://" + l.Addr().String()
	if err := config.Write(realpi.AgentDir(home)); err != nil {
		t.Fatal(err)
	}
}
