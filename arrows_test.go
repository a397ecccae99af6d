package repository_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows says which of our packages each package may import: who imports whom, and no other way. Every package has a row.
// Tests may import anything.
var arrows = map[string][]string{
	"fakepi/native":            {},
	"fakepi/native/schema":     {"fakepi/native"},
	"fakepi/native/pi16":       {"fakepi/native", "fakepi/native/schema"},
	"fakepi/script":            {"fakepi/native"},
	"fakepi":                   {"fakepi/native", "fakepi/native/pi16", "fakepi/script"},
	"watchdog":                 {"fakepi/native"},
	"watchdog/policyfile":      {"watchdog"},
	"watchdog/engine":          {"watchdog", "fakepi/native"},
	"watchdog/observe":         {"watchdog", "fakepi/native"},
	"conformance/requirements": {},
	"conformance/trace":        {"watchdog"},
	"conformance/oracle":       {"watchdog", "conformance/trace"},
	"conformance/world":        {"watchdog", "fakepi", "scenarios", "conformance/trace"},
}

type goPackage struct {
	ImportPath string
	Imports    []string
	Module     struct{ Path string }
}

func TestArrows(t *testing.T) {
	seen := map[string]bool{}
	for _, pkg := range list(t) {
		name, ok := strings.CutPrefix(pkg.ImportPath, pkg.Module.Path+"/")
		if !ok {
			continue // the tests of this folder
		}
		seen[name] = true
		may, ok := arrows[name]
		if !ok {
			t.Errorf("package %s is not in the table of arrows; say there what it may import", name)
		}
		for _, imported := range pkg.Imports {
			dep, ours := strings.CutPrefix(imported, pkg.Module.Path+"/")
			if ours && !slices.Contains(may, dep) {
				t.Errorf("%s imports %s; it may import %v", name, dep, may)
			}
		}
	}
	for name := range arrows {
		if !seen[name] {
			t.Errorf("the table of arrows names %s, which there is not", name)
		}
	}
}

func list(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Module", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var packages []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var pkg goPackage
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, pkg)
	}
}
