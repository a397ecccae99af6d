package agentdir_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/agentdir"
)

// What Pi 1.6 makes of an auth.json, for a provider p: as the real one was seen to do it.
func TestAccounts(t *testing.T) {
	type made struct {
		Class, Problem         string
		Null, Unusable, Broken bool
	}
	tests := []struct {
		name, text string
		want       made
	}{
		{"no account", `{}`, made{}},
		{"a key", `{"p":{"type":"api_key","key":"k"}}`, made{}},
		{"no key", `{"p":{"type":"api_key"}}`, made{Unusable: true}},
		{"another's", `{"q":{"type":"api_key"}}`, made{}},
		{"a login", `{"p":{"type":"oauth"}}`, made{Unusable: true}},
		{"a number", `{"p":5}`, made{Broken: true}},
		{"false", `{"p":false}`, made{}},
		{"null", `{"p":null}`, made{Class: "TypeError", Problem: "Cannot read properties of null (reading 'type')", Broken: true}},
		{"an empty file", ``, made{}},
		{"a file of a number", `5`, made{}},
		{"a file of null", `null`, made{Class: "TypeError", Problem: "Cannot convert undefined or null to object", Null: true}},
		{"a damaged file", `{`, made{Class: "SyntaxError", Problem: "Expected property name or '}' in JSON at position 1 (line 1 column 2)"}},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		writeText(t, filepath.Join(dir, "auth.json"), tt.text)
		a := agentdir.ReadAccounts(native.Pi16, dir)
		got := made{a.Class, a.Problem, a.Null, a.Unusable("p"), cmp.Equal(a.Broken(), []string{"p"})}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.name, diff)
		}
	}
}
