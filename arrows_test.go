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
	"fakepi/native":                     {},
	"internal/fakepi/native/schema":     {"fakepi/native"},
	"internal/fakepi/native/dialect":    {"fakepi/native", "internal/fakepi/native/schema"},
	"internal/fakepi/native/pi073":      {"fakepi/native", "internal/fakepi/native/schema", "internal/fakepi/native/dialect"},
	"internal/fakepi/native/pi16":       {"fakepi/native", "internal/fakepi/native/schema", "internal/fakepi/native/dialect"},
	"internal/fakepi/native/grammar":    {"fakepi/native"},
	"internal/fakepi/native/recording":  {"fakepi/native"},
	"internal/fakepi/effects":           {"fakepi", "fakepi/script"},
	"internal/fakepi/ledger":            {},
	"internal/fakepi/quirks/nodefs":     {"fakepi/native"},
	"internal/fakepi/agentdir":          {"fakepi", "internal/fakepi/quirks/javascript", "fakepi/native", "internal/fakepi/quirks/nodefs", "internal/fakepi/provider"},
	"fakepi/script":                     {"fakepi/native"},
	"internal/fakepi/tui":               {},
	"internal/fakepi/quirks/javascript": {"fakepi/native"},
	"internal/fakepi/shown":             {"fakepi/native"},
	"internal/fakepi/provider":          {"fakepi/native", "fakepi/script"},
	"internal/fakepi/model":             {"fakepi/native", "internal/fakepi/provider", "fakepi/script"},
	"fakepi": {
		"internal/fakepi/quirks/javascript", "fakepi/native", "internal/fakepi/native/pi073", "internal/fakepi/native/pi16", "internal/fakepi/provider", "fakepi/script",
		"internal/fakepi/shown", "internal/fakepi/tui",
	},
	"fakepi/play": {"fakepi", "fakepi/script"},

	"watchdog":                     {"fakepi/native"},
	"internal/watchdog/policyfile": {"watchdog"},
	"internal/watchdog/evidence":   {},
	"internal/watchdog/recovery": {
		"watchdog", "watchdog/engine", "internal/watchdog/debris", "internal/watchdog/evidence", "internal/watchdog/observe", "fakepi/native",
	},
	"watchdog/journal":            {"watchdog"},
	"internal/watchdog/debris":    {"watchdog"},
	"internal/watchdog/agents":    {"watchdog"},
	"internal/watchdog/agents/pi": {"watchdog", "fakepi/native", "internal/watchdog/agents", "internal/watchdog/debris"},
	"internal/watchdog/run":       {"watchdog", "internal/watchdog/agents", "internal/watchdog/debris"},
	"internal/watchdog/episode":   {"watchdog", "watchdog/journal", "internal/watchdog/debris", "internal/watchdog/run"},
	"watchdog/engine":             {"watchdog", "internal/watchdog/agents", "internal/watchdog/agents/pi", "internal/watchdog/episode", "internal/watchdog/run"},
	"internal/watchdog/mutants":   {"watchdog", "watchdog/engine", "fakepi/native"},
	"internal/watchdog/observe":   {"watchdog", "fakepi/native", "internal/fakepi/native/recording"},

	"internal/watchdog/journal/sqlite":      {"watchdog", "watchdog/journal"},
	"internal/watchdog/journal/journaltest": {"watchdog", "watchdog/journal"},

	// A worker that runs, its holder, and what is written down of it.
	"internal/watchdog/live/clocks": {"watchdog"},
	"internal/watchdog/live/spool":  {"watchdog"},
	"internal/watchdog/live/holder": {
		"watchdog", "internal/watchdog/evidence", "internal/watchdog/live/clocks", "internal/watchdog/live/spool",
	},
	"internal/watchdog/live": {
		"watchdog", "watchdog/journal", "internal/watchdog/journal/sqlite", "internal/watchdog/evidence",
		"internal/watchdog/live/clocks", "internal/watchdog/live/spool",
	},
	"internal/watchdog/canary/redact": {"fakepi/native"},
	"internal/watchdog/canary/calibrate": {
		"watchdog", "internal/fakepi/native/recording", "internal/watchdog/agents", "internal/watchdog/agents/pi", "internal/watchdog/canary",
		"internal/watchdog/observe",
	},
	"internal/watchdog/canary": {
		"watchdog", "fakepi/native", "internal/fakepi/native/recording", "internal/watchdog/canary/redact", "internal/watchdog/live/clocks",
	},

	"scenarios": {"fakepi/native", "fakepi/script", "watchdog"},

	// The suite knows the contract and no engine.
	"internal/conformance/requirements":    {},
	"internal/conformance/trace":           {"watchdog"},
	"internal/conformance/oracle/mistakes": {"watchdog"},
	"internal/conformance/oracle":          {"watchdog", "internal/conformance/oracle/mistakes", "internal/watchdog/debris", "internal/conformance/trace"},
	"internal/conformance/world":           {"watchdog", "watchdog/journal", "fakepi/script", "internal/conformance/trace"},
	"internal/conformance/world/pi":        {"watchdog", "fakepi", "fakepi/native", "fakepi/script", "internal/fakepi/native/pi16", "internal/conformance/trace", "internal/conformance/world"},
	"internal/conformance/explore":         {"internal/conformance/world"},
	"conformance": {
		"watchdog", "fakepi/native", "fakepi/script", "scenarios", "internal/conformance/explore",
		"internal/conformance/requirements", "internal/conformance/trace", "internal/conformance/oracle", "internal/conformance/oracle/mistakes", "internal/conformance/world", "internal/conformance/world/pi",
	},
	"conformance/report": {
		"scenarios", "watchdog", "conformance", "internal/conformance/explore", "internal/conformance/requirements", "internal/conformance/trace",
	},

	// The protocol of vendors knows no suite; only process, which starts adapters, is a part of it.
	"internal/conformance/wcp":         {"watchdog", "watchdog/journal"},
	"internal/conformance/wcp/schema":  {},
	"internal/conformance/wcp/process": {"watchdog", "conformance", "internal/conformance/wcp", "internal/conformance/wcp/schema"},

	"internal/fakepi/fidelity/realpi": {},
	"internal/fakepi/fidelity": {
		"fakepi/native", "internal/fakepi/native/recording", "fakepi/script", "internal/fakepi/model", "internal/fakepi/fidelity/realpi",
	},

	"internal/terminal": {},

	// The engine's source, mutated.
	"internal/mutation":        {},
	"internal/mutation/active": {},
	"internal/mutation/run": {
		"internal/mutation", "internal/mutation/active", "watchdog", "watchdog/engine", "fakepi/native", "scenarios", "conformance",
	},

	// The command's own packages, which nobody else imports.
	"internal/fakepi/cli/disk":     {"fakepi/native", "internal/fakepi/quirks/nodefs"},
	"internal/fakepi/cli/refusal":  {"fakepi", "internal/fakepi/quirks/nodefs"},
	"internal/fakepi/cli/stdio":    {},
	"internal/fakepi/cli/system":   {"internal/fakepi/ledger"},
	"internal/fakepi/cli/terminal": {"internal/fakepi/cli/system", "internal/fakepi/tui"},

	// Here subjects meet the suite.
	"cmd/fakepi": {
		"internal/fakepi/cli/disk", "internal/fakepi/cli/refusal", "internal/fakepi/cli/stdio", "internal/fakepi/cli/system", "internal/fakepi/cli/terminal",
		"fakepi", "fakepi/play", "internal/fakepi/agentdir", "internal/fakepi/effects", "internal/fakepi/ledger", "internal/fakepi/model", "fakepi/native", "internal/fakepi/native/pi16",
		"internal/fakepi/quirks/nodefs", "internal/fakepi/provider", "fakepi/script", "internal/fakepi/tui", "scenarios",
	},
	"cmd/piwatch": {
		"internal/watchdog/live", "internal/watchdog/live/holder", "internal/watchdog/canary", "internal/watchdog/canary/calibrate", "fakepi/native", "internal/fakepi/native/recording", "internal/conformance/wcp",
		"watchdog", "watchdog/engine", "internal/watchdog/episode", "internal/watchdog/evidence", "internal/watchdog/observe", "internal/watchdog/policyfile", "internal/watchdog/recovery",
	},
	"cmd/piconform": {
		"watchdog", "watchdog/engine", "internal/watchdog/episode", "watchdog/journal", "internal/watchdog/mutants", "fakepi/native", "fakepi/script", "scenarios",
		"conformance", "conformance/report", "internal/conformance/requirements", "internal/conformance/oracle/mistakes",
		"internal/conformance/wcp", "internal/conformance/wcp/process",
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
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.Contains(dir, "testdata") || strings.HasPrefix(filepath.ToSlash(file), "examples/") {
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
