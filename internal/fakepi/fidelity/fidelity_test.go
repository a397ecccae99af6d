package fidelity_test

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/fidelity"
	"fakepi.example/internal/fakepi/fidelity/realpi"
)

var (
	enabled = flag.Bool("fidelity", false, "compare fakepi with the real Pi, which is installed from npm")
	verbose = flag.Bool("fidelity-progress", false, "print each case as it ends, accepted differences counted")
	oneIn   = flag.Uint64("one-in", 1, "compare one of so many cases, drawn by -sample-seed")
	drawn   = flag.Uint64("sample-seed", 1, "which cases -one-in draws")
)

var dialects = []native.Dialect{native.Pi16, native.Pi073}

func TestFidelity(t *testing.T) {
	if !*enabled {
		t.Skip("it installs the real Pi and takes minutes; make fidelity runs it")
	}
	scripts, err := fidelity.Load(os.DirFS("testdata/scripts"))
	if err != nil {
		t.Fatal(err)
	}
	subjects := ours(t)
	var all []*comparison
	for _, d := range dialects {
		all = append(all, againstRecordings(t, d, subjects))
		pi, err := realpi.Install(t.Context(), fidelity.Version(d))
		if errors.Is(err, realpi.ErrNoNPM) {
			fmt.Printf("fidelity: not run: %v\n", err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		subjects.Pi = pi
		all = append(all, againstPi(t, d, scripts, subjects))
	}
	accepted := judge(t, all)
	for _, d := range dialects {
		if !complete(d, all) {
			continue
		}
		for _, stale := range accepted.Stale(d) {
			t.Errorf("accepted.yaml: an entry accepts nothing any more; remove it: %+v", stale)
		}
	}
}

// ours are the subjects but for the real Pi.
func ours(t *testing.T) fidelity.Subjects {
	t.Helper()
	gate, err := filepath.Abs("testdata/gate.ts")
	if err != nil {
		t.Fatal(err)
	}
	return fidelity.Subjects{Gate: gate, Starts: make(chan struct{}, runtime.NumCPU()+1), Fake: fidelity.Fake{Program: install(t)}}
}

// judge runs all cases and prints what they came to, by the list of what is accepted.
func judge(t *testing.T, all []*comparison) *fidelity.AcceptedList {
	t.Helper()
	t.Run("cases", func(t *testing.T) { // returns when all have run, side by side
		for _, c := range all {
			c.run(t)
		}
	})
	accepted := acceptedList(t)
	for _, c := range all {
		c.report(t, accepted)
	}
	return accepted
}

// comparison is a table in the making.
type comparison struct {
	name    string
	table   fidelity.Table
	jobs    []job
	results []*fidelity.Result // nil: -run or -one-in left it out
}

// job is a case to be compared.
type job struct {
	name string
	run  func(dir string) fidelity.Result
}

// againstPi puts every script through the real Pi and fakepi.
func againstPi(t *testing.T, d native.Dialect, scripts []*fidelity.Script, subjects fidelity.Subjects) *comparison {
	c := &comparison{name: "scripts", table: fidelity.Table{Dialect: d, Against: "Pi " + subjects.Pi.Version}}
	for _, s := range scripts {
		for _, one := range s.Cases(d) {
			c.jobs = append(c.jobs, job{one.Name(), func(dir string) fidelity.Result { return fidelity.Judge(t.Context(), subjects, one, dir) }})
		}
	}
	return c
}

// againstRecordings lets fakepi do what recordings show of the real Pi.
func againstRecordings(t *testing.T, d native.Dialect, subjects fidelity.Subjects) *comparison {
	c := &comparison{name: "recordings", table: fidelity.Table{Dialect: d, Against: "recordings"}}
	for _, run := range recorded(t) {
		name := run.Meta.Scenario + "/" + run.Meta.Mode
		switch {
		case run.Meta.PiVersion != fidelity.Version(d):
		case run.Meta.Mode == "tui":
			c.table.LeftOut = append(c.table.LeftOut, fidelity.LeftOut{Case: name, Reason: "it has no records; TestTalksAsRecorded of fakepi plays it"})
		default:
			c.jobs = append(c.jobs, job{name, func(dir string) fidelity.Result {
				return fidelity.JudgeRecording(t.Context(), subjects, d, run, dir)
			}})
		}
	}
	return c
}

// run starts all cases, as many at once as -parallel says.
func (c *comparison) run(t *testing.T) {
	c.results = make([]*fidelity.Result, len(c.jobs))
	for i, j := range c.jobs {
		if !chosen(j.name) {
			continue
		}
		t.Run(string(c.table.Dialect)+"/"+c.name+"/"+j.name, func(t *testing.T) {
			t.Parallel()
			result := j.run(folder(t))
			c.results[i] = &result
			write(t, result, t.ArtifactDir()) // kept with -artifacts
			if *verbose {
				fmt.Printf("%s %s: error %v, %d differences, %v\n", c.table.Dialect, j.name, result.Err, len(result.Differences), result.Took.Round(time.Millisecond))
			}
		})
	}
}

// chosen reports whether a case is in the sample. It goes by the name, so that a new case changes nothing for the others.
func chosen(name string) bool {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", *drawn, name))
	return binary.LittleEndian.Uint64(sum[:])%max(1, *oneIn) == 0
}

// write writes what both printed and left.
func write(t *testing.T, r fidelity.Result, dir string) {
	t.Helper()
	if err := errors.Join(r.Pi.Write(dir, "pi"), r.Fake.Write(dir, "fake")); err != nil {
		t.Error(err)
	}
}

// report prints what the cases came to. One that is not equal fails the test.
func (c *comparison) report(t *testing.T, accepted *fidelity.AcceptedList) {
	for _, result := range c.results {
		if result == nil {
			continue
		}
		row := fidelity.Row{Result: *result}
		row.Accepted, row.Others = accepted.Sort(result.Case, result.Differences)
		c.table.Rows = append(c.table.Rows, row)
		if !row.Equal() {
			t.Fail()
			row.Explain(os.Stdout)
		}
	}
	if len(c.table.Rows) > 0 {
		c.table.Print(os.Stdout)
	}
}

// complete reports whether every case of a dialect was run, against the recordings and against the real Pi.
func complete(d native.Dialect, all []*comparison) bool {
	n := 0
	for _, c := range all {
		if c.table.Dialect == d && !slices.Contains(c.results, nil) {
			n++
		}
	}
	return n == 2
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
	cmd.Dir = filepath.Join("..", "..", "..")
	cmd.Env = append(os.Environ(), "GOBIN="+prefix)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	return filepath.Join(prefix, "fakepi")
}
