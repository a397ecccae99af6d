package mutation

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"
)

// alias is the name of package active in what is written: one that no code has.
const alias = "mutant_"

// writer writes one file anew, by edits of its text: what is not changed keeps its place and its comments.
type writer struct {
	set      *token.FileSet
	info     *types.Info
	pkg      *types.Package
	source   []byte
	name     string
	into     *Rewritten
	seen     map[string]int
	function string
	bounds   map[ast.Expr]bool // operands of comparisons
	edits    []edit
}

// edit puts a text in the place of some source. Of edits at one place those that close something come first, the innermost
// of them first.
type edit struct {
	from, to int
	text     string
	closes   bool
}

func (w *writer) file(f *ast.File, active string) []byte {
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				w.function = nameOf(d)
				w.walk(d.Body)
			}
		case *ast.GenDecl:
			w.literals(d)
		}
	}
	if len(w.edits) == 0 {
		return w.source
	}
	at := w.at(f.Name.End())
	w.edits = append(w.edits, edit{from: at, to: at, text: fmt.Sprintf("\n\nimport %s %q\n", alias, active)})
	return w.apply()
}

// nameOf is the name of a function with its receiver.
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	return "(" + types.ExprString(d.Recv.List[0].Type) + ")." + d.Name.Name
}

// literals walks the function literals in the variables of a package.
func (w *writer) literals(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		w.function = spec.(*ast.ValueSpec).Names[0].Name
		ast.Inspect(spec, func(n ast.Node) bool {
			if f, ok := n.(*ast.FuncLit); ok {
				w.walk(f.Body)
				return false
			}
			return true
		})
	}
}

func (w *writer) at(p token.Pos) int { return w.set.Position(p).Offset }

// text is the source of a node on one line.
func (w *writer) text(n ast.Node) string {
	return strings.Join(strings.Fields(string(w.source[w.at(n.Pos()):w.at(n.End())])), " ")
}

// mutant adds a mutant and returns its number.
func (w *writer) mutant(n ast.Node, operator string) int {
	m := Mutant{N: len(w.into.Mutants), Function: w.function, Operator: operator, Text: w.text(n)}
	pos := w.set.Position(n.Pos())
	m.Place = fmt.Sprintf("%s:%d", w.name, pos.Line)
	id := m.ID()
	w.seen[id]++
	m.Nth = w.seen[id]
	w.into.Mutants = append(w.into.Mutants, m)
	return m.N
}

// around puts texts before and behind a node.
func (w *writer) around(n ast.Node, before, behind string) {
	from, to := w.at(n.Pos()), w.at(n.End())
	w.edits = append(w.edits, edit{from: from, to: from, text: before}, edit{from: to, to: to, text: behind, closes: true})
}

// instead puts a text in the place of the operator of a binary expression.
func (w *writer) instead(e *ast.BinaryExpr, text string) {
	at := w.at(e.OpPos)
	w.edits = append(w.edits, edit{from: at, to: at + len(e.Op.String()), text: text})
}

func (w *writer) apply() []byte {
	order := make([]int, len(w.edits))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool {
		a, b := w.edits[order[i]], w.edits[order[j]]
		switch {
		case a.from != b.from:
			return a.from < b.from
		case a.closes != b.closes:
			return a.closes
		case a.closes:
			return order[i] > order[j]
		}
		return order[i] < order[j]
	})
	var out bytes.Buffer
	at := 0
	for _, i := range order {
		e := w.edits[i]
		out.Write(w.source[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(w.source[at:])
	return out.Bytes()
}
