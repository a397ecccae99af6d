package repository_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// public lists the packages that users of the module import; all others are under internal/ or are commands.
var public = []string{
	"conformance", "conformance/report", "fakepi", "fakepi/native", "fakepi/play", "fakepi/script", "scenarios", "watchdog",
	"watchdog/engine", "watchdog/journal",
}

// goldenAPI holds every exported name with its type. A line that goes or changes breaks somebody: CONTRIBUTING.md says what
// may change when.
const goldenAPI = "testdata/api.txt"

func TestPublicPackages(t *testing.T) {
	t.Parallel()
	var found []string
	for _, dir := range packageDirs(t) {
		if !strings.HasPrefix(dir+"/", "internal/") && !strings.HasPrefix(dir, "cmd/") && !strings.HasPrefix(dir, "examples/") && exports(t, dir) {
			found = append(found, dir)
		}
	}
	if diff := cmp.Diff(public, found); diff != "" {
		t.Errorf("public packages (-want +got):\n%s", diff)
	}
}

func TestAPI(t *testing.T) {
	t.Parallel()
	var api bytes.Buffer
	for _, dir := range public {
		fmt.Fprintf(&api, "package %s\n", dir)
		for _, line := range exported(t, dir) {
			fmt.Fprintf(&api, "\t%s\n", line)
		}
	}
	if *update {
		if err := os.WriteFile(goldenAPI, api.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenAPI)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(api.String(), "\n")); diff != "" {
		t.Errorf("exported names (-want +got); go test -run TestAPI . -update takes them over:\n%s", diff)
	}
}

// TestDocComments wants a sentence for each exported name that says more than its group's.
func TestDocComments(t *testing.T) {
	t.Parallel()
	for _, dir := range public {
		p := load(t, dir)
		if !strings.HasPrefix(p.Doc, "Package ") {
			t.Errorf("%s has no doc comment", dir)
		}
		missing := func(name, text string) {
			if text == "" {
				t.Errorf("%s.%s has no doc comment", dir, name)
			}
		}
		functions := slices.Clone(p.Funcs)
		for _, typ := range p.Types {
			missing(typ.Name, typ.Doc)
			functions = append(functions, typ.Funcs...)
			functions = append(functions, typ.Methods...)
			for _, group := range slices.Concat(typ.Consts, typ.Vars) {
				missing(group.Names[0], group.Doc+specDocs(group))
			}
		}
		said := append(methodsOfInterfaces(p), "Error", "Unwrap", "Is", "String", "MarshalJSON", "UnmarshalJSON")
		for _, f := range functions {
			if f.Recv == "" || !slices.Contains(said, f.Name) {
				missing(strings.TrimPrefix(f.Recv+"."+f.Name, "."), f.Doc)
			}
		}
		for _, group := range slices.Concat(p.Consts, p.Vars) {
			missing(group.Names[0], group.Doc+specDocs(group))
		}
	}
}

// methodsOfInterfaces returns the methods whose interface says what they do.
func methodsOfInterfaces(p *doc.Package) []string {
	var said []string
	for _, typ := range p.Types {
		for _, spec := range typ.Decl.Specs {
			if i, ok := spec.(*ast.TypeSpec).Type.(*ast.InterfaceType); ok {
				for _, f := range i.Methods.List {
					for _, name := range f.Names {
						said = append(said, name.Name)
					}
				}
			}
		}
	}
	return said
}

// specDocs joins what stands beside the names of a group.
func specDocs(group *doc.Value) string {
	var text strings.Builder
	for _, spec := range group.Decl.Specs {
		v := spec.(*ast.ValueSpec)
		text.WriteString(v.Doc.Text() + v.Comment.Text())
	}
	return text.String()
}

// load returns the documentation of a package of this module; unexported names are left out.
func load(t *testing.T, dir string) *doc.Package {
	t.Helper()
	fset, files := parseDir(t, dir)
	p, err := doc.NewFromFiles(fset, files, dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func parseDir(t *testing.T, dir string) (*token.FileSet, []*ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return fset, files
}

func exports(t *testing.T, dir string) bool {
	t.Helper()
	_, files := parseDir(t, dir)
	return slices.ContainsFunc(files, func(f *ast.File) bool { return f.Name.Name != "main" && ast.FileExports(f) })
}

// exported lists the exported names of a package, one a line, in order.
func exported(t *testing.T, dir string) []string {
	t.Helper()
	_, files := parseDir(t, dir)
	var lines []string
	for _, file := range files {
		ast.FileExports(file)
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil || ast.IsExported(receiver(d)) {
					lines = append(lines, signature(d))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					lines = append(lines, names(d.Tok, spec)...)
				}
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// receiver returns the name of a method's type.
func receiver(f *ast.FuncDecl) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(text(f.Recv.List[0].Type), "*"), "[")
	return name
}

func signature(f *ast.FuncDecl) string {
	return text(&ast.FuncDecl{Recv: f.Recv, Name: f.Name, Type: f.Type})
}

// names lists what one constant, variable or type declares, its fields and methods too.
func names(kind token.Token, spec ast.Spec) []string {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		var lines []string
		for i, name := range s.Names {
			line := kind.String() + " " + name.Name
			if s.Type != nil {
				line += " " + text(s.Type)
			}
			if kind == token.CONST && i < len(s.Values) {
				line += " = " + text(s.Values[i])
			}
			lines = append(lines, line)
		}
		return lines
	case *ast.TypeSpec:
		head := "type " + s.Name.Name
		if s.TypeParams != nil {
			head += text(s.TypeParams)
		}
		switch u := s.Type.(type) {
		case *ast.StructType:
			return append([]string{head + " struct"}, members("type "+s.Name.Name+" struct, ", u.Fields)...)
		case *ast.InterfaceType:
			return append([]string{head + " interface"}, members("type "+s.Name.Name+" interface, ", u.Methods)...)
		}
		if s.Assign.IsValid() {
			head += " ="
		}
		return []string{head + " " + text(s.Type)}
	}
	return nil
}

func members(prefix string, list *ast.FieldList) []string {
	var lines []string
	for _, f := range list.List {
		kind := text(f.Type)
		if len(f.Names) == 0 {
			lines = append(lines, prefix+kind)
		}
		for _, name := range f.Names {
			if _, method := f.Type.(*ast.FuncType); method && strings.Contains(prefix, " interface, ") {
				lines = append(lines, prefix+name.Name+strings.TrimPrefix(kind, "func"))
			} else {
				lines = append(lines, prefix+name.Name+" "+kind)
			}
		}
	}
	return lines
}

// text prints a node on one line.
func text(node any) string {
	var out bytes.Buffer
	if err := printer.Fprint(&out, token.NewFileSet(), node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// packageDirs lists the folders of this module that hold Go files, in order.
func packageDirs(t *testing.T) []string {
	t.Helper()
	var dirs []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || len(path) > 1 && strings.HasPrefix(entry.Name(), ".")) {
			return filepath.SkipDir
		}
		if dir := filepath.ToSlash(filepath.Dir(path)); strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(dirs)
	return dirs
}
