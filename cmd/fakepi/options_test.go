package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
)

// helpOf are the options that the help of each Pi names, as the real ones print it: names, and what follows them, where
// "value" must follow, "[value]" may, and nothing else does.
var helpOf = map[native.Dialect]string{
	native.Pi16: `
--provider value
--model value
--api-key value
--system-prompt value
--append-system-prompt value
--mode value
--print -p [value]
--continue -c
--resume -r
--session value
--session-id value
--fork value
--session-dir value
--no-session
--name -n value
--models value
--no-tools -nt
--no-builtin-tools -nbt
--tools -t value
--exclude-tools -xt value
--thinking value
--extension -e value
--no-extensions -ne
--no-mcp
--skill value
--no-skills -ns
--prompt-template value
--no-prompt-templates -np
--theme value
--use-theme value
--no-themes
--no-context-files -nc
--export value
--list-models [value]
--verbose
--tui-mode value
--approve -a
--no-approve -na
--offline
--help -h
--version -v`,
	native.Pi073: `
--provider value
--model value
--api-key value
--system-prompt value
--append-system-prompt value
--mode value
--print -p [value]
--continue -c
--resume -r
--session value
--fork value
--session-dir value
--no-session
--models value
--no-tools -nt
--no-builtin-tools -nbt
--tools -t value
--thinking value
--extension -e value
--no-extensions -ne
--skill value
--no-skills -ns
--prompt-template value
--no-prompt-templates -np
--theme value
--no-themes
--no-context-files -nc
--export value
--list-models [value]
--verbose
--offline
--help -h
--version -v`,
}

// fits are values that an option takes, where not any does.
var fits = map[string]string{"--mode": "rpc", "--thinking": "low", "--tui-mode": "regular", "--tools": "read", "-t": "read"}

// Every option that a Pi's help names is one of the fake's in that dialect, with as many values, and the fake has none
// besides but its own; all that Pi 1.6 has stand in the fake's help.
func TestOptionsOfHelp(t *testing.T) {
	for dialect, help := range helpOf {
		named := []string{"--fakepi-script", "--allow-exec"}
		for line := range strings.Lines(strings.TrimSpace(help)) {
			words := strings.Fields(line)
			last := words[len(words)-1]
			for _, name := range words {
				if !strings.HasPrefix(name, "-") {
					continue
				}
				named = append(named, name)
				value := fits[name]
				if value == "" {
					value = "x"
				}
				messages := ""
				if strings.HasPrefix(last, "-") { // it takes nothing
					messages = value
				}
				checkOption(t, dialect, name, value, messages)
				if !strings.Contains(piHelp, name) {
					t.Errorf("%s: the fake's help does not name %s", dialect, name)
				}
			}
		}
		var own []string
		for _, p := range optionRulesOf(dialect).options {
			own = append(own, p.names...)
		}
		slices.Sort(own)
		slices.Sort(named)
		if diff := cmp.Diff(named, own); diff != "" {
			t.Errorf("%s: -of Pi's help +of the fake\n%s", dialect, diff)
		}
	}
}

// checkOption parses an option and what may be its value. messages are those that are left.
func checkOption(t *testing.T, d native.Dialect, name, value, messages string) {
	t.Helper()
	o := parseOptions([]string{name, value}, d)
	if name == "--print" || name == "-p" { // its value is a message
		messages = value
	}
	if o.fatal() != nil || len(o.unknown) > 0 {
		t.Errorf("%s: %s %s: got %v, unknown %q", d, name, value, o.fatal(), o.unknown)
	}
	if got := strings.Join(o.messages, " "); got != messages {
		t.Errorf("%s: %s %s: got messages %q, want %q", d, name, value, got, messages)
	}
	if messages != "" {
		return
	}
	if o := parseOptions([]string{name}, d); name != "--list-models" && o.fatal() == nil && len(o.unknown) == 0 {
		t.Errorf("%s: %s: got no problem, want a value to be missed", d, name)
	}
}
