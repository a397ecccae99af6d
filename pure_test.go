package repository_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pure lists the packages that take the time as an argument: without clock, goroutine, I/O or chance of their own.
var pure = []string{
	"fakepi/native", "internal/fakepi/native/schema", "internal/fakepi/native/dialect", "internal/fakepi/native/pi073", "internal/fakepi/native/pi16",
	"fakepi", "fakepi/script", "internal/fakepi/quirks/javascript", "internal/fakepi/shown", "internal/fakepi/tui", "internal/fakepi/provider",
	"watchdog", "watchdog/engine", "watchdog/journal", "internal/watchdog/debris", "internal/watchdog/agents", "internal/watchdog/run", "internal/watchdog/episode", "internal/watchdog/agents/pi", "internal/watchdog/mutants", "internal/watchdog/canary/redact",
	"internal/conformance/trace", "internal/conformance/oracle", "internal/conformance/oracle/mistakes", "internal/conformance/world", "internal/conformance/world/pi", "internal/conformance/explore",
}

// What a pure package may not import, and what it may not take from package time.
var (
	impure = []string{"os", "os/exec", "os/signal", "net", "net/http", "syscall", "math/rand", "crypto/rand", "log", "runtime"}
	clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
)

func TestPurePackages(t *testing.T) {
	for _, dir := range pure {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("no Go files in %s (error %v)", dir, err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				checkPure(t, file)
			}
		}
	}
}

func checkPure(t *testing.T, file string) {
	t.Helper()
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, file, nil, 0)
	if err != nil {
		t.Error(err)
		return
	}
	for _, path := range importPaths(syntax) {
		if slices.Contains(impure, path) {
			t.Errorf("%s: a pure package imports %s", file, path)
		}
	}
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SelectStmt:
			t.Errorf("%s: a pure package starts or waits for a goroutine", fset.Position(n.Pos()))
		case *ast.SelectorExpr:
			if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains(clocks, n.Sel.Name) {
				t.Errorf("%s: a pure package uses time.%s", fset.Position(n.Pos()), n.Sel.Name)
			}
		}
		return true
	})
}
