// Package mutation writes Go packages anew so that they hold many mutants of themselves, mutant schemata: each expression or
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

// Rewritten is what packages are when they were written anew.
type Rewritten struct {
	Files   map[string][]byte // by directory and name
	Mutants []Mutant          // in the order of the packages, their files and the code; N counts from 0
}

// Rewrite writes the packages in some directories anew. They import package active under its path. Of mutants that
// have the same function, operator and text the order of the directories says which is the first.
func Rewrite(active string, dirs ...string) (*Rewritten, error) {
	set := token.NewFileSet()
	all := &Rewritten{Files: map[string][]byte{}}
	seen := map[string]int{}
	imports := importer.ForCompiler(set, "source", nil)
	for _, dir := range dirs {
		if err := all.add(set, imports, dir, active, seen); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// add writes one package anew.
func (all *Rewritten) add(set *token.FileSet, imports types.Importer, dir, active string, seen map[string]int) error {
	names, files, err := parse(set, dir)
	if err != nil {
		return err
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	config := types.Config{Importer: imports}
	pkg, err := config.Check(dir, set, files, info)
	if err != nil {
		return err
	}
	for i, name := range names {
		file := filepath.Join(dir, name)
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		w := &writer{set: set, info: info, pkg: pkg, source: source, name: name, into: all, seen: seen, bounds: map[ast.Expr]bool{}}
		all.Files[file] = w.file(files[i], active)
	}
	return nil
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
