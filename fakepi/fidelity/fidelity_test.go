package fidelity_test

import (
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
		t.Run(string(d), func(t *testing.T) { testDialect(t, d, scripts, program, gate, accepted) })
	}
}

// testDialect runs all cases of a dialect, two at once: more would make each other late.
func testDialect(t *testing.T, d native.Dialect, scripts []*fidelity.Script, program, gate string, accepted *fidelity.AcceptedList) {
	pi, err := realpi.Install(t.Context(), fidelity.Version(d))
	if err != nil {
		t.Fatal(err)
	}
	subjects := fidelity.Subjects{Pi: pi, Gate: gate, Fake: fidelity.Fake{Program: program}}
	table := fidelity.Table{Dialect: d}
	whole := true // every case ran
	var cases []fidelity.Case
	for _, s := range scripts {
		cases = append(cases, s.Cases(d)...)
	}
	results := make([]*fidelity.Result, len(cases))
	t.Run("cases", func(t *testing.T) {
		two := make(chan struct{}, 2)
		for i, c := range cases {
			t.Run(c.Name(), func(t *testing.T) {
				t.Parallel()
				two <- struct{}{}
				defer func() { <-two }()
				result := fidelity.Judge(t.Context(), subjects, c, folder(t))
				results[i] = &result
			})
		}
	})
	for _, result := range results {
		if result == nil {
			whole = false // -run left it out
			continue
		}
		row := fidelity.Row{Result: *result}
		row.Accepted, row.Others = accepted.Sort(result.Case, result.Differences)
		table.Rows = append(table.Rows, row)
		if !row.Equal() {
			t.Fail()
			row.Explain(os.Stdout)
		}
	}
	table.Print(os.Stdout)
	if whole {
		for _, stale := range accepted.Stale(d) {
			t.Errorf("accepted.yaml: an entry accepts nothing any more; remove it: %+v", stale)
		}
	}
}

// folder is a short-named one: its path stands in what is compared.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pi")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
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
