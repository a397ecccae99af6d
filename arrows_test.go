package repository_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows says which of our packages each package may import: who imports whom, and no other way. Every package has a row.
// Tests may import anything.
var arrows = map[string][]string{
	"fakepi/native":           {},
	"fakepi/native/schema":    {"fakepi/native"},
	"fakepi/native/dialect":   {"fakepi/native", "fakepi/native/schema"},
	"fakepi/native/pi073":     {"fakepi/native", "fakepi/native/schema", "fakepi/native/dialect"},
	"fakepi/native/pi16":      {"fakepi/native", "fakepi/native/schema", "fakepi/native/dialect"},
	"fakepi/native/grammar":   {"fakepi/native"},
	"fakepi/native/recording": {"fakepi/native"},
	"fakepi/effects":          {"fakepi", "fakepi/script"},
	"fakepi/ledger":           {},
	"fakepi/nodefs":           {"fakepi/native"},
	"fakepi/agentdir":         {"fakepi", "fakepi/javascript", "fakepi/native", "fakepi/nodefs", "fakepi/provider"},
	"fakepi/script":           {"fakepi/native"},
	"fakepi/tui":              {},
	"fakepi/javascript":       {"fakepi/native"},
	"fakepi/shown":            {"fakepi/native"},
	"fakepi/provider":         {"fakepi/native", "fakepi/script"},
	"fakepi/model":            {"fakepi/native", "fakepi/provider", "fakepi/script"},
	"fakepi": {
		"fakepi/javascript", "fakepi/native", "fakepi/native/pi073", "fakepi/native/pi16", "fakepi/provider", "fakepi/script",
		"fakepi/shown", "fakepi/tui",
	},

	"watchdog":            {"fakepi/native"},
	"watchdog/policyfile": {"watchdog"},
	"watchdog/evidence":   {},
	"watchdog/recovery":   {"watchdog", "watchdog/evidence", "fakepi/native"},
	"watchdog/journal":    {"watchdog"},
	"watchdog/engine":     {"watchdog", "watchdog/journal", "fakepi/native"},
	"watchdog/mutants":    {"watchdog", "watchdog/engine", "fakepi/native"},
	"watchdog/observe":    {"watchdog", "fakepi/native", "fakepi/native/recording"},

	"watchdog/journal/sqlite":      {"watchdog", "watchdog/journal"},
	"watchdog/journal/journaltest": {"watchdog", "watchdog/journal"},

	"scenarios": {"fakepi/native", "fakepi/script", "watchdog"},

	// The suite knows the contract and no engine.
	"conformance/requirements": {},
	"conformance/trace":        {"watchdog"},
	"conformance/oracle":       {"watchdog", "fakepi/native", "fakepi/native/pi16", "conformance/trace"},
	"conformance/world":        {"watchdog", "watchdog/journal", "fakepi", "fakepi/native", "fakepi/script", "conformance/trace"},
	"conformance/explore":      {"conformance/world"},
	"conformance": {
		"watchdog", "fakepi/native", "fakepi/script", "scenarios", "conformance/explore",
		"conformance/requirements", "conformance/trace", "conformance/oracle", "conformance/world",
	},
	"conformance/report": {
		"scenarios", "watchdog", "conformance", "conformance/explore", "conformance/requirements", "conformance/trace",
	},

	"fakepi/fidelity/realpi": {},
	"fakepi/fidelity": {
		"fakepi/native", "fakepi/native/recording", "fakepi/script", "fakepi/model", "fakepi/fidelity/realpi",
	},

	"smoke/terminal": {},

	// The engine's source, mutated.
	"mutation":        {},
	"mutation/active": {},
	"mutation/run": {
		"mutation", "mutation/active", "watchdog", "watchdog/engine", "fakepi/native", "scenarios", "conformance",
	},

	// Here subjects meet the suite.
	"cmd/fakepi": {
		"fakepi", "fakepi/agentdir", "fakepi/effects", "fakepi/ledger", "fakepi/model", "fakepi/native", "fakepi/native/pi16",
		"fakepi/nodefs", "fakepi/provider", "fakepi/script", "fakepi/tui", "scenarios",
	},
	"cmd/piwatch": {
		"watchdog", "watchdog/engine", "watchdog/evidence", "watchdog/observe", "watchdog/policyfile", "watchdog/recovery",
	},
	"cmd/piconform": {
		"watchdog", "watchdog/engine", "watchdog/journal", "watchdog/mutants", "fakepi/native", "scenarios",
		"conformance", "conformance/report", "conformance/requirements",
	},
}

func TestArrows(t *testing.T) {
	module := moduleName(t)
	imports := importsOfPackages(t)
	for name, imported := range imports {
		may, ok := arrows[name]
		if !ok {
			t.Errorf("package %s is not in the table of arrows; say there what it may import", name)
			continue
		}
		for _, path := range imported {
			dep, ours := strings.CutPrefix(path, module+"/")
			if ours && !slices.Contains(may, dep) {
				t.Errorf("%s imports %s; it may import %v", name, dep, may)
			}
		}
	}
	for name := range arrows {
		if _, ok := imports[name]; !ok {
			t.Errorf("the table of arrows names %s, which there is not", name)
		}
	}
}

func moduleName(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(line, "module ")
}

// importsOfPackages reads what each package of the tree imports, its tests left out. It reads the files itself, whatever
// they build for, and so that the test's cached result notices a change.
func importsOfPackages(t *testing.T) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	eachFile(t, ".", func(file string) {
		dir := filepath.ToSlash(filepath.Dir(file))
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.Contains(dir, "testdata") {
			return
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			return
		}
		imports[dir] = append(imports[dir], importPaths(syntax)...)
	})
	return imports
}

func importPaths(syntax *ast.File) []string {
	var paths []string
	for _, spec := range syntax.Imports {
		path, _ := strconv.Unquote(spec.Path.Value) // the parser has checked that it is quoted
		paths = append(paths, path)
	}
	return paths
}
