package fidelity_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"fakepi.example/fakepi/fidelity"
	"fakepi.example/fakepi/fidelity/realpi"
	"fakepi.example/fakepi/native"
)

var enabled = flag.Bool("fidelity", false, "compare fakepi with the real Pi, which is installed from npm")

func TestFidelity(t *testing.T) {
	if !*enabled {
		t.Skip("it installs the real Pi and takes minutes; make fidelity runs it")
	}
	program := install(t)
	scripts, err := fidelity.Load(os.DirFS("testdata/scripts"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/accepted.yaml")
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := fidelity.ParseAccepted(text)
	if err != nil {
		t.Fatal(err)
	}
	gate, err := filepath.Abs("testdata/gate.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []native.Dialect{native.Pi16, native.Pi073} {
		t.Run(string(d), func(t *testing.T) {
			pi, err := realpi.Install(t.Context(), fidelity.Version(d))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range scripts {
				for _, c := range s.Cases(d) {
					t.Run(c.Name(), func(t *testing.T) {
						real := &fidelity.Real{Pi: pi, Gate: gate}
						a := run(t, real, c)
						b := run(t, fidelity.Fake{Program: program}, c)
						_, others := accepted.Sort(c, fidelity.Compare(a.Parts(c), b.Parts(c)))
						for _, diff := range others {
							t.Errorf("%s %d %s %s\n   pi   %.600s\n   fake %.600s", diff.Part, diff.Line, diff.Kind, diff.Path, diff.Real, diff.Fake)
						}
					})
				}
			}
		})
	}
}

func run(t *testing.T, s fidelity.Subject, c fidelity.Case) fidelity.Run {
	t.Helper()
	dir, err := os.MkdirTemp("", "fidelity")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	at, err := fidelity.NewPlace(dir, c.Script)
	if err != nil {
		t.Fatal(err)
	}
	r, err := fidelity.Drive(context.Background(), s, c, at)
	if err != nil {
		t.Errorf("%T: %v", s, err)
	}
	return r
}

// install installs fakepi as a user does.
func install(t *testing.T) string {
	t.Helper()
	prefix := t.TempDir()
	cmd := exec.Command("go", "install", "./cmd/fakepi")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "GOBIN="+prefix)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	return filepath.Join(prefix, "fakepi")
}
