package mutation

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// walk adds the mutants of a body.
func (w *writer) walk(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.BlockStmt:
			w.statements(n.List)
		case *ast.CaseClause:
			w.statements(n.Body)
		case *ast.IfStmt:
			w.condition(n.Cond)
		case *ast.SwitchStmt:
			w.cases(n)
		case *ast.ForStmt:
			w.loop(n.Body)
		case *ast.RangeStmt:
			w.loop(n.Body)
		case *ast.ReturnStmt:
			w.results(n)
		case *ast.BinaryExpr:
			if w.info.Types[n].Value != nil {
				return false
			}
			w.binary(n)
		case *ast.UnaryExpr:
			if n.Op == token.NOT {
				w.negate(n)
			}
		case *ast.BasicLit:
			if !w.bounds[n] {
				w.literal(n)
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "make" || f.Name == "panic") {
				return false // how much room there is changes nothing
			}
		case *ast.ArrayType:
			return n.Len == nil
		}
		return true
	})
}

// statements leaves each statement out that can be.
func (w *writer) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.IncDecStmt:
		case *ast.ExprStmt:
			if panics(s) {
				continue // the compiler may need it as an end
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE || blank(s) {
				continue
			}
		case *ast.BranchStmt:
			if s.Tok == token.FALLTHROUGH {
				continue
			}
		case *ast.ReturnStmt:
			if len(s.Results) > 0 {
				continue
			}
		default:
			continue
		}
		w.around(s, fmt.Sprintf("if !%s.On(%d) { ", alias, w.mutant(s, "leave out")), " }")
	}
}

func panics(s *ast.ExprStmt) bool {
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.Ident)
	return ok && f.Name == "panic"
}

// blank reports whether an assignment assigns to nothing.
func blank(s *ast.AssignStmt) bool {
	id, ok := s.Lhs[0].(*ast.Ident)
	return ok && id.Name == "_" && len(s.Lhs) == 1
}

// loop bounds the turns of a loop.
func (w *writer) loop(body *ast.BlockStmt) {
	at := w.at(body.Lbrace) + 1
	w.edits = append(w.edits, edit{from: at, to: at, text: " " + alias + ".Burn(); "})
}

// condition negates a condition that is no operation: those have mutants of their own.
func (w *writer) condition(e ast.Expr) {
	switch e := e.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr:
		return
	case *ast.ParenExpr:
		w.condition(e.X)
		return
	}
	w.negate(e)
}

// cases negates the conditions of a switch without a tag.
func (w *writer) cases(s *ast.SwitchStmt) {
	if s.Tag != nil {
		return
	}
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			w.condition(e)
		}
	}
}

func (w *writer) negate(e ast.Expr) {
	if w.variable(e, types.IsBoolean) {
		w.around(e, fmt.Sprintf("%s.Not(%d, ", alias, w.mutant(e, "negate")), ")")
	}
}

// variable reports whether an expression is no constant and of a basic type with the properties.
func (w *writer) variable(e ast.Expr, is types.BasicInfo) bool {
	t := w.info.Types[e]
	if t.Type == nil || t.Value != nil {
		return false
	}
	basic, ok := t.Type.Underlying().(*types.Basic)
	return ok && basic.Info()&is != 0
}

// results changes what a function returns, if that is one value of a basic type.
func (w *writer) results(s *ast.ReturnStmt) {
	if len(s.Results) != 1 {
		return
	}
	e := s.Results[0]
	t := w.info.Types[e]
	if t.Type == nil {
		return
	}
	basic, ok := t.Type.Underlying().(*types.Basic)
	switch {
	case !ok || basic.Kind() == types.UntypedNil || isZero(t.Value):
		return
	case basic.Info()&types.IsBoolean != 0:
		if t.Value == nil {
			w.condition(e)
		} else {
			w.around(e, fmt.Sprintf("%s.Not(%d, ", alias, w.mutant(e, "negate")), ")")
		}
	default:
		name := types.TypeString(t.Type, func(p *types.Package) string {
			if p == w.pkg {
				return ""
			}
			return p.Name()
		})
		w.around(e, fmt.Sprintf("%s.Zero[%s](%d, ", alias, name, w.mutant(e, "return nothing")), ")")
	}
}

// isZero reports whether a constant is 0 or empty. A false is none: its negation differs.
func isZero(v constant.Value) bool {
	if v == nil {
		return false
	}
	switch v.Kind() {
	case constant.String:
		return constant.StringVal(v) == ""
	case constant.Int, constant.Float:
		return constant.Sign(v) == 0
	}
	return false
}

// comparisons and sums are the functions of package active that stand for operators.
var (
	comparisons = map[token.Token]string{token.LSS: "Less", token.LEQ: "LessEqual", token.GTR: "Greater", token.GEQ: "GreaterEqual"}
	sums        = map[token.Token]string{token.ADD: "Plus", token.SUB: "Minus", token.MUL: "Times", token.QUO: "Over"}
	others      = map[token.Token]string{token.ADD: "-", token.SUB: "+", token.MUL: "+", token.QUO: "*"}
)

func (w *writer) binary(e *ast.BinaryExpr) {
	switch e.Op {
	case token.EQL, token.NEQ:
		w.bounds[e.X], w.bounds[e.Y] = true, true
		w.negate(e)
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		w.bounds[e.X], w.bounds[e.Y] = true, true // one more is what moves the boundary
		if w.variable(e, types.IsBoolean) {
			n := w.mutant(e, "move the boundary")
			w.mutant(e, "negate")
			w.around(e, fmt.Sprintf("%s.%s(%d, ", alias, comparisons[e.Op], n), ")")
			w.instead(e, ",")
		}
	case token.LAND:
		w.operands(e, "True")
	case token.LOR:
		w.operands(e, "False")
	case token.ADD, token.SUB, token.MUL, token.QUO:
		if w.variable(e, types.IsNumeric) {
			w.around(e, fmt.Sprintf("%s.%s(%d, ", alias, sums[e.Op], w.mutant(e, others[e.Op]+" for "+e.Op.String())), ")")
			w.instead(e, ",")
		}
	}
}

// operands leaves the operands of a chain out one by one: whatever shows that one is missing shows that several are.
func (w *writer) operands(e *ast.BinaryExpr, as string) {
	if left, ok := e.X.(*ast.BinaryExpr); !ok || left.Op != e.Op {
		w.around(e.X, fmt.Sprintf("%s.%s(%d, ", alias, as, w.mutant(e, "leave out the left")), ")")
	}
	w.around(e.Y, fmt.Sprintf("%s.%s(%d, ", alias, as, w.mutant(e, "leave out the right")), ")")
}

// literal makes a number of type int one more.
func (w *writer) literal(l *ast.BasicLit) {
	if t := w.info.Types[l].Type; l.Kind == token.INT && t != nil && types.Identical(t, types.Typ[types.Int]) {
		w.around(l, fmt.Sprintf("%s.Inc(%d, ", alias, w.mutant(l, "one more")), ")")
	}
}
