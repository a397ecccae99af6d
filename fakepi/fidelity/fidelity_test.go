package fidelity_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"fakepi.example/fakepi/fidelity"
	"fakepi.example/fakepi/fidelity/realpi"
	"fakepi.example/fakepi/native"
)

var (
	enabled = flag.Bool("fidelity", false, "compare fakepi with the real Pi, which is installed from npm")
	verbose = flag.Bool("fidelity-progress", false, "print each case as it ends, accepted differences counted")
)

func TestFidelity(t *testing.T) {
	if !*enabled {
		t.Skip("it installs the real Pi and takes minutes; make fidelity runs it")
	}
	scripts, err := fidelity.Load(os.DirFS("testdata/scripts"))
	if err != nil {
		t.Fatal(err)
	}
	gate, err := filepath.Abs("testdata/gate.ts")
	if err != nil {
		t.Fatal(err)
	}
	fake := fidelity.Fake{Program: install(t)}
	for _, d := range []native.Dialect{native.Pi16, native.Pi073} {
		t.Run(string(d), func(t *testing.T) {
			accepted := acceptedList(t)
			whole := testRecordings(t, d, fake, accepted)
			pi, err := realpi.Install(t.Context(), fidelity.Version(d))
			if errors.Is(err, realpi.ErrNoNPM) {
				fmt.Printf("fidelity: not run: %v\n", err)
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			subjects := fidelity.Subjects{Pi: pi, Gate: gate, Fake: fake}
			if !testScripts(t, d, scripts, subjects, accepted) || !whole {
				return // -run left something out
			}
			for _, stale := range accepted.Stale(d) {
				t.Errorf("accepted.yaml: an entry accepts nothing any more; remove it: %+v", stale)
			}
		})
	}
}

// testScripts puts every script through the real Pi and fakepi, two cases at once: more would make each other late.
func testScripts(t *testing.T, d native.Dialect, scripts []*fidelity.Script, subjects fidelity.Subjects, accepted *fidelity.AcceptedList) (whole bool) {
	var jobs []job
	for _, s := range scripts {
		for _, c := range s.Cases(d) {
			jobs = append(jobs, job{c.Name(), func(dir string) fidelity.Result { return fidelity.Judge(t.Context(), subjects, c, dir) }})
		}
	}
	return compare(t, fidelity.Table{Dialect: d, Against: "Pi " + subjects.Pi.Version}, "scripts", jobs, 2, accepted)
}

// testRecordings lets fakepi do what recordings show of the real Pi. Most of it is waiting.
func testRecordings(t *testing.T, d native.Dialect, fake fidelity.Fake, accepted *fidelity.AcceptedList) (whole bool) {
	var jobs []job
	for _, run := range recorded(t) {
		if run.Meta.PiVersion == fidelity.Version(d) {
			jobs = append(jobs, job{
				run.Meta.Scenario + "/" + run.Meta.Mode,
				func(dir string) fidelity.Result {
					return fidelity.JudgeRecording(t.Context(), fidelity.Subjects{Fake: fake}, d, run, dir)
				},
			})
		}
	}
	return compare(t, fidelity.Table{Dialect: d, Against: "recordings"}, "recordings", jobs, 8, accepted)
}

// job is a comparison to be made.
type job struct {
	name string
	run  func(dir string) fidelity.Result
}

// compare makes comparisons, so many at once, and prints what they came to. It reports whether -run left none out.
func compare(t *testing.T, table fidelity.Table, name string, jobs []job, atOnce int, accepted *fidelity.AcceptedList) (whole bool) {
	results := make([]*fidelity.Result, len(jobs))
	t.Run(name, func(t *testing.T) {
		places := make(chan struct{}, atOnce)
		for i, j := range jobs {
			t.Run(j.name, func(t *testing.T) {
				t.Parallel()
				places <- struct{}{}
				defer func() { <-places }()
				result := j.run(folder(t))
				results[i] = &result
				dir := t.ArtifactDir() // kept with -artifacts
				if err := errors.Join(result.Pi.Write(dir, "pi"), result.Fake.Write(dir, "fake")); err != nil {
					t.Error(err)
				}
				if *verbose {
					fmt.Printf("%s %s: error %v, %d differences, %v\n", table.Dialect, j.name, result.Err, len(result.Differences), result.Took.Round(time.Millisecond))
				}
			})
		}
	})
	whole = true
	for _, result := range results {
		if result == nil {
			whole = false
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
	if len(table.Rows) > 0 {
		table.Print(os.Stdout)
	}
	return whole
}

func acceptedList(t *testing.T) *fidelity.AcceptedList {
	t.Helper()
	text, err := os.ReadFile("testdata/accepted.yaml")
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := fidelity.ParseAccepted(text)
	if err != nil {
		t.Fatal(err)
	}
	return accepted
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
