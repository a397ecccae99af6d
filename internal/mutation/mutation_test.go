package mutation_test

import (
	"flag"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/mutation"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func rewritten(t *testing.T, dirs ...string) *mutation.Rewritten {
	t.Helper()
	p, err := mutation.Rewrite("example.org/active", dirs...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRewrite rewrites a small package: its text and the list of its mutants.
func TestRewrite(t *testing.T) {
	p := rewritten(t, "testdata/sample")
	var ids strings.Builder
	for i, m := range p.Mutants {
		if m.N != i {
			t.Errorf("mutant %d says that it is %d", i, m.N)
		}
		ids.WriteString(m.Place + " " + m.ID() + "\n")
	}
	golden(t, "testdata/sample.golden", p.Files["testdata/sample/sample.go"])
	golden(t, "testdata/sample.mutants", []byte(ids.String()))
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// TestIDs moves lines and adds a comment: every mutant keeps its name, and no two have the same.
func TestIDs(t *testing.T) {
	source, err := os.ReadFile("testdata/sample/sample.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	moved := strings.Replace(string(source), "func due", "// due is moved down.\n\nfunc due", 1)
	if err := os.WriteFile(filepath.Join(dir, "sample.go"), []byte(moved), 0o644); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(idsOf(t, "testdata/sample"), idsOf(t, dir)); diff != "" {
		t.Errorf("moved lines change names (-before +after):\n%s", diff)
	}
}

func idsOf(t *testing.T, dir string) []string {
	t.Helper()
	seen := map[string]bool{}
	var ids []string
	for _, m := range rewritten(t, dir).Mutants {
		if seen[m.ID()] {
			t.Errorf("two mutants are named %s", m.ID())
		}
		seen[m.ID()] = true
		ids = append(ids, m.ID())
	}
	return ids
}

// TestEngine rewrites the package that the tool is for: what comes out is Go.
func TestEngine(t *testing.T) {
	p := rewritten(t, "../../watchdog/engine", "../watchdog/run", "../watchdog/episode", "../watchdog/debris", "../watchdog/agents/pi")
	for name, text := range p.Files {
		if _, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution); err != nil {
			t.Error(err)
		}
	}
	if len(p.Mutants) < 1000 {
		t.Errorf("got %d mutants of the engine, want thousands", len(p.Mutants))
	}
}
