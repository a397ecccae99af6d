package main

import (
	stdcmp "cmp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
)

// someModels are those of the tables below.
var someModels = []native.Model{
	{Provider: "fake", ID: "aqq"}, {Provider: "fake", ID: "bqd", Name: "Bee"}, {Provider: "fake", ID: "bqe"},
	{Provider: "fake", ID: "bqf-20250101"}, {Provider: "fake", ID: "x/yq"},
	{Provider: "Other", ID: "aqq"}, {Provider: "Other", ID: "oqq"}, {Provider: "Other", ID: "oqq-20240101"},
}

// Which model the command line asks for, and what is said of it: as the real Pi of each version was seen to do it.
func TestChooseModel(t *testing.T) {
	const isAmbiguous = `Model "aqq" is ambiguous across providers: fake/aqq, Other/aqq. More than one matching provider is authenticated. Use --provider or provider/model.`
	custom := func(id, provider string) string {
		return `Model "` + id + `" not found for provider "` + provider + `". Using custom model id.`
	}
	tests := []struct {
		args, want string // provider, model and level, or the error
		pi073      string // where it differs
		warning    string
		warning073 string // where it differs
		reason     string
	}{
		{args: "--model bqe", want: "fake bqe"},
		{args: "--model bq", want: "fake bqe", reason: "the last one without a date"},
		{args: "--model BEE", want: "fake bqd", reason: "a part of the name"},
		{args: "--model bqf", want: "fake bqf-20250101"},
		{args: "--model oq", want: "Other oqq"},
		{args: "--model x/yq", want: "fake x/yq"},
		{args: "--model fake/x/yq", want: "fake x/yq"},
		{args: "--model other/oq", want: "Other oqq"},
		{args: "--model other/aqq", want: "Other aqq"},
		{args: "--model aqq", want: isAmbiguous, pi073: "fake aqq"},
		{args: "--provider FAKE --model bq", want: "fake bqe"},
		{args: "--provider fake --model fake/bqe", want: "fake bqe"},
		{args: "--model bqd:high", want: "fake bqd high"},
		{args: "--model bqd:high --thinking low", want: "fake bqd low"},
		{args: "--model bqd:bogus", want: `Model "bqd:bogus" not found. Use --list-models to see available models.`},
		{args: "--model nopeq", want: `Model "nopeq" not found. Use --list-models to see available models.`},
		{args: "--model fake/nopeq:low", want: "fake nopeq low", pi073: "fake nopeq:low", warning: custom("nopeq", "fake"), warning073: custom("nopeq:low", "fake")},
		{args: "--model fake/nopeq:low --thinking high", want: "fake nopeq:low high", warning: custom("nopeq:low", "fake")},
		{args: "--provider other --model zzq", want: "Other zzq", warning: custom("zzq", "Other")},
		{args: "--provider none --model aqq", want: `Unknown provider "none". Use --list-models to see available providers/models.`},
		{args: "--provider fake", want: "--provider requires --model (for example: --provider fake --model <pattern>)", pi073: "fake "},
		{args: "--provider anthropic --model claude-x", want: "anthropic claude-x", reason: "Pi's own catalog is not asked what it has"},
		{args: "--model openai/some:high", want: "openai some high"},
		{args: "--model sonnet:low", want: "anthropic sonnet low"},
	}
	for _, tt := range tests {
		for _, dialect := range []native.Dialect{native.Pi16, native.Pi073} {
			want, warning := tt.want, tt.warning
			if dialect == native.Pi073 {
				want, warning = stdcmp.Or(tt.pi073, want), stdcmp.Or(tt.warning073, warning)
			}
			o := parseOptions(strings.Fields(tt.args), dialect)
			got := ""
			if err := o.chooseModel(someModels); err != nil {
				got = err.Error()
			} else {
				got = strings.TrimSuffix(o.provider+" "+o.model+" "+o.thinking, " ")
			}
			if diff := cmp.Diff([]string{want, warning}, []string{got, warnings(o.diagnostics)}); diff != "" {
				t.Errorf("%s, %s (%s): -want +got\n%s", tt.args, dialect, tt.reason, diff)
			}
		}
	}
}

func warnings(d diagnostics) string {
	var texts []string
	for _, n := range d.pending {
		texts = append(texts, n.text)
	}
	return strings.Join(texts, "\n")
}

// Without a models.json there is what is asked for.
func TestChooseModelOfNone(t *testing.T) {
	for args, want := range map[string]string{
		"--model nope":                      " nope ",
		"--provider none --model a:high":    "none a high",
		"--model anthropic/claude-x:medium": "anthropic claude-x medium",
		"--model a:b":                       " a:b ",
	} {
		o := parseOptions(strings.Fields(args), native.Pi16)
		err := o.chooseModel(nil)
		if got := o.provider + " " + o.model + " " + o.thinking; err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", args, got, err, want)
		}
	}
}

// A level that a start asks for is noted in the session that had another one, before its next prompt, by Pi 1.6.
func TestLevelOfASessionThatGoesOn(t *testing.T) {
	const begun16, begun073 = "session model_change thinking_level_change system user stop", "session model_change thinking_level_change user stop"
	for dialect, want := range map[string]map[string]string{
		"pi-1.6":  {"low": begun16 + " thinking_level_change user stop", "high": begun16 + " user stop"},
		"pi-0.73": {"low": begun073 + " user stop", "high": begun073 + " user stop"},
	} {
		for level, want := range want {
			s := setup{
				home: t.TempDir(), env: []string{"FAKEPI_DIALECT=" + dialect},
				script: "0s prompt \"x\"\n+1s thinks \"a\"\n+0s says \"b\"\n+0s settles\n",
			}
			var p *pi
			for _, args := range [][]string{{"--thinking", "high"}, {"--continue", "--thinking", level}} {
				p = s.start(t, append(args, "-p", "go")...)
				p.in.Close()
				if got := p.end(); got != "0" {
					t.Fatalf("%s, %v: ended by %s: %s", dialect, args, got, p.err.String())
				}
			}
			if got := p.saved(); got != want {
				t.Errorf("%s, %s: %s, want %s", dialect, level, got, want)
			}
		}
	}
}
