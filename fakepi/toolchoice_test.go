package fakepi

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The names are as Pi 1.6.0 puts them into its system message for these options.
func TestToolChoice(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		choice ToolChoice
		listed []string
		calls  map[string]bool // tool: may it be called
	}{
		{"Pi's own choice", ToolChoice{}, []string{"read", "bash", "edit", "write"},
			map[string]bool{"bash": true, "grep": true, "of_the_script": true}},
		{"names, in the order in which they are given", ToolChoice{Only: []string{"grep", "bash", "read"}}, []string{"grep", "bash", "read"},
			map[string]bool{"bash": true, "write": false, "of_the_script": false}},
		{"a name twice", ToolChoice{Only: []string{"read", "read"}}, []string{"read"}, nil},
		{"none there is", ToolChoice{Only: []string{"nope"}}, nil, map[string]bool{"bash": false, "nope": true}},
		{"an empty list", ToolChoice{Only: []string{}}, nil, map[string]bool{"bash": false}},
		{"names before patterns", ToolChoice{Only: []string{"e*", "bash"}}, []string{"bash", "edit"}, map[string]bool{"edit": true, "read": false}},
		{"any", ToolChoice{Only: []string{"*"}}, builtinTools, map[string]bool{"of_the_script": true}},
		{"changes", ToolChoice{Only: []string{"+grep", "-bash"}}, []string{"read", "edit", "write", "grep"},
			map[string]bool{"bash": false, "grep": true, "of_the_script": true}},
		{"a change to what there is not", ToolChoice{Only: []string{"+ls", "+zip"}}, []string{"read", "bash", "edit", "write", "ls"}, nil},
		{"taken and given back", ToolChoice{Only: []string{"-read", "+read"}}, []string{"bash", "edit", "write", "read"}, map[string]bool{"read": true}},
		{"patterns that are left out", ToolChoice{Not: []string{"b*", "nope"}}, []string{"read", "edit", "write"},
			map[string]bool{"bash": false, "read": true, "of_the_script": true}},
		{"left out and named", ToolChoice{Only: []string{"bash", "read"}, Not: []string{"bash"}}, []string{"read"}, map[string]bool{"bash": false}},
		{"none", ToolChoice{None: true}, nil, map[string]bool{"bash": false, "of_the_script": false}},
		{"none but one", ToolChoice{None: true, Only: []string{"read"}}, []string{"read"}, map[string]bool{"read": true, "bash": false}},
		{"none and one more", ToolChoice{None: true, Only: []string{"+read"}}, []string{"read"}, map[string]bool{"read": true, "bash": false}},
		{"no built-in one", ToolChoice{NoBuiltin: true}, nil, map[string]bool{"bash": false, "of_the_script": true}},
		{"no built-in one but one", ToolChoice{NoBuiltin: true, Only: []string{"+bash"}}, []string{"bash"},
			map[string]bool{"bash": true, "read": false, "of_the_script": true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.listed, test.choice.listed()); diff != "" {
				t.Errorf("what the model is told of (-want +got):\n%s", diff)
			}
			for name, want := range test.calls {
				if got := test.choice.has(name); got != want {
					t.Errorf("may %s be called: %v, want %v", name, got, want)
				}
			}
		})
	}
}

func TestToolChoiceProblem(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		only []string
		want string
	}{
		{nil, ""},
		{[]string{"read", "b*"}, ""},
		{[]string{"+grep", "-bash"}, ""},
		{[]string{"read", "-bash"}, "tool names cannot be mixed with +name or -name entries"},
		{[]string{"+read", "-b*"}, "+name and -name entries take exact tool names, not patterns: -b*"},
	} {
		if got := (&ToolChoice{Only: test.only}).Problem(); got != test.want {
			t.Errorf("%q: %q, want %q", test.only, got, test.want)
		}
	}
}

func TestMatchesPattern(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"bash", "bash", true}, {"bash", "bash2", false},
		{"*", "", true}, {"*", "x", true},
		{"b*h", "bash", true}, {"b*h", "bh", true}, {"b*h", "b", false}, {"b*b", "b", false},
		{"*a*h", "bash", true}, {"*a*a*", "bash", false}, {"**", "bash", true}, {"b.*", "bash", false},
	} {
		if got := matchesPattern(test.pattern, test.name); got != test.want {
			t.Errorf("%q, %q: %v, want %v", test.pattern, test.name, got, test.want)
		}
	}
}
