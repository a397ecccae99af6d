package watchdog_test

import (
	"encoding"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fakepi.example/watchdog"
)

// vocabularies returns a fresh reader for each string type of the contract that has a vocabulary.
func vocabularies() map[string]encoding.TextUnmarshaler {
	return map[string]encoding.TextUnmarshaler{
		"Caller": new(watchdog.Caller), "CommandKind": new(watchdog.CommandKind), "DirtyPolicy": new(watchdog.DirtyPolicy),
		"EffectClass": new(watchdog.EffectClass), "FileChange": new(watchdog.FileChange), "Flag": new(watchdog.Flag),
		"Intent": new(watchdog.Intent), "GateStatus": new(watchdog.GateStatus), "Limit": new(watchdog.Limit), "Mode": new(watchdog.Mode),
		"ObservationKind": new(watchdog.ObservationKind), "Permission": new(watchdog.Permission),
		"ProbeResult": new(watchdog.ProbeResult), "Result": new(watchdog.Result), "Role": new(watchdog.Role),
		"Source": new(watchdog.Source), "Spawner": new(watchdog.Spawner), "Status": new(watchdog.Status),
		"Stream": new(watchdog.Stream), "VerdictName": new(watchdog.VerdictName), "What": new(watchdog.What),
	}
}

// TestVocabulariesAreComplete reads the constants of the package's source: each word that the contract names is read,
// so that a new constant cannot be forgotten in its vocabulary.
func TestVocabulariesAreComplete(t *testing.T) {
	seen := map[string]int{}
	for _, c := range stringConstants(t) {
		reader, ok := vocabularies()[c.typ]
		if !ok {
			t.Errorf("constant %s has type %s, which no vocabulary reads", c.name, c.typ)
			continue
		}
		seen[c.typ]++
		if c.value == "" {
			continue // a "none", left out in JSON
		}
		if err := reader.UnmarshalText([]byte(c.value)); err != nil {
			t.Errorf("constant %s: %v", c.name, err)
		}
	}
	for typ, reader := range vocabularies() {
		if seen[typ] == 0 {
			t.Errorf("no constant of type %s found", typ)
		}
		if err := reader.UnmarshalText([]byte("sneeze")); !errors.Is(err, watchdog.ErrUnknownWord) {
			t.Errorf("%s reads %q with error %v, want ErrUnknownWord", typ, "sneeze", err)
		}
	}
}

type constant struct{ name, typ, value string }

func stringConstants(t *testing.T) []constant {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var found []constant
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			typ, ok := spec.Type.(*ast.Ident)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				value, _ := strconv.Unquote(lit.Value)
				found = append(found, constant{spec.Names[0].Name, typ.Name, value})
			}
			return true
		})
	}
	return found
}

func TestEffects(t *testing.T) {
	for _, row := range []struct {
		kind        watchdog.CommandKind
		want        watchdog.EffectClass
		destructive bool
		reason      string
	}{
		{watchdog.CmdNotify, watchdog.EffectNone, false, "a notice costs nothing"},
		{watchdog.CmdProbe, watchdog.EffectNone, false, "nor does a question"},
		{watchdog.CmdSnapshot, watchdog.EffectNone, false, "nor a copy"},
		{watchdog.CmdAbort, watchdog.EffectStopTurn, true, "the turn is lost"},
		{watchdog.CmdSteer, watchdog.EffectStopTurn, true, "words in a worker's mouth may cost its turn"},
		{watchdog.CmdKill, watchdog.EffectStopWorker, true, "the process is gone"},
		{watchdog.CmdRespawn, watchdog.EffectRespawn, true, "a second worker may do things twice"},
		{watchdog.CmdCommitWIP, watchdog.EffectTaskState, true, "history changes"},
		{watchdog.CmdPublish, watchdog.EffectPublish, true, "the world sees it"},
		{watchdog.CmdRemoveWorktree, watchdog.EffectRemove, true, "work may be lost"},
	} {
		if got := row.kind.Effect(); got != row.want || row.kind.Destructive() != row.destructive {
			t.Errorf("%s: effect %q, destructive %v; want %q, %v (%s)",
				row.kind, got, row.kind.Destructive(), row.want, row.destructive, row.reason)
		}
	}
}
