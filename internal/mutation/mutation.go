// Package mutation writes a Go package anew so that it holds many mutants of itself, mutant schemata: each expression or
// statement that can be changed asks package active whether it is to be, so that one build serves all mutants.
//
// What is changed: comparisons (negated, and moved by one at the boundary), operands of && and || (left out), conditions
// and boolean results (negated), sums, differences, products and quotients (another operator), integer literals (one
// more), other results (nothing), and statements (left out). Constants, declarations and tests stay as they are.
package mutation

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Mutant is one change of the code.
type Mutant struct {
	N        int    // by which package active switches it on
	Function string // in which it is: "(*turn).verify", or a variable of the package
	Operator string // what is done: "negate", "leave out"
	Text     string // of what is changed, on one line
	Nth      int    // from 1, among those with the same function, operator and text
	Place    string // file and line, for people
}

// ID names a mutant by what it is, not by where it stands, so that it keeps its name when lines move.
func (m *Mutant) ID() string {
	id := m.Function + " | " + m.Operator + " | " + m.Text
	if m.Nth > 1 {
		id += fmt.Sprintf(" | %d", m.Nth)
	}
	return id
}

// Package is a package that was written anew.
type Package struct {
	Files   map[string][]byte // by name
	Mutants []Mutant          // in the order of the files and of the code; N counts from 0
}

// Rewrite writes the package in a directory anew. It imports package active under its path.
func Rewrite(dir, active string) (*Package, error) {
	set := token.NewFileSet()
	names, files, err := parse(set, dir)
	if err != nil {
		return nil, err
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: importer.ForCompiler(set, "source", nil)}
	pkg, err := config.Check(dir, set, files, info)
	if err != nil {
		return nil, err
	}
	p := &Package{Files: map[string][]byte{}}
	seen := map[string]int{}
	for i, name := range names {
		source, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		w := &writer{set: set, info: info, pkg: pkg, source: source, name: name, into: p, seen: seen, bounds: map[ast.Expr]bool{}}
		p.Files[name] = w.file(files[i], active)
	}
	return p, nil
}

func parse(set *token.FileSet, dir string) (names []string, files []*ast.File, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
			names = append(names, e.Name())
		}
	}
	sort.Strings(names)
	for _, name := range names {
		f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
	}
	return names, files, nil
}
