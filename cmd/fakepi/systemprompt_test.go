package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
)

// What files say of the system prompt: as the real Pi was seen to put it into a session. Own is the preamble, behind + what
// is added, then each file of instructions.
func TestSystemPrompt(t *testing.T) {
	tests := []struct {
		name    string
		files   map[string]string // below top: top/work is the working directory, top/agent the agent's folder
		args    string
		trusted bool
		want    string
		pi073   string // "-": nothing
		reason  string
	}{
		{name: "nothing"},
		{name: "one file", files: map[string]string{"work/AGENTS.md": "Be kind.\n"}, want: "|work/AGENTS.md:Be kind.\n"},
		{name: "the agent's, then from the root down", files: map[string]string{"work/AGENTS.md": "A", "work/CLAUDE.md": "C", "agent/CLAUDE.md": "G", "CLAUDE.md": "P"},
			want: "|agent/CLAUDE.md:G|CLAUDE.md:P|work/AGENTS.md:A", reason: "one of a folder"},
		{name: "an override", files: map[string]string{"work/AGENTS.override.md": "O", "work/AGENTS.md": "A"}, want: "|work/AGENTS.override.md:O", pi073: "|work/AGENTS.md:A"},
		{name: "in capitals", files: map[string]string{"work/CLAUDE.MD": "x"}, want: "|work/CLAUDE.MD:x"},
		{name: "a folder of that name", files: map[string]string{"work/AGENTS.md/x": "", "work/CLAUDE.md": "C"}, want: "|work/CLAUDE.md:C"},
		{name: "an empty one", files: map[string]string{"work/AGENTS.md": ""}, want: "|work/AGENTS.md:"},
		{name: "no UTF-8", files: map[string]string{"work/AGENTS.md": "\ufeffa\xffb\r\n"}, want: "|work/AGENTS.md:a\ufffdb\r\n"},
		{name: "none wanted", files: map[string]string{"work/AGENTS.md": "A", "agent/SYSTEM.md": "G"}, args: "-nc", want: "G"},
		{name: "the agent's system prompt", files: map[string]string{"agent/SYSTEM.md": "You.\n", "agent/APPEND_SYSTEM.md": "More."}, want: "You.\n+More."},
		{name: "the project's", files: map[string]string{"work/.pi/SYSTEM.md": "P", "work/.pi/APPEND_SYSTEM.md": "PA", "agent/SYSTEM.md": "G"}, trusted: true, want: "P+PA"},
		{name: "the project's, not trusted", files: map[string]string{"work/.pi/SYSTEM.md": "P", "work/.pi/APPEND_SYSTEM.md": "PA", "agent/SYSTEM.md": "G"}, want: "G"},
		{name: "options go before", files: map[string]string{"agent/SYSTEM.md": "G", "agent/APPEND_SYSTEM.md": "GA", "work/AGENTS.md": "A"},
			args: "--system-prompt Own --append-system-prompt X --append-system-prompt Y", want: "Own+X+Y|work/AGENTS.md:A"},
		{name: "empty options", files: map[string]string{"agent/SYSTEM.md": "G", "agent/APPEND_SYSTEM.md": "GA"}, args: "--system-prompt= --append-system-prompt=", reason: "they are said"},
	}
	for _, tt := range tests {
		for _, dialect := range []native.Dialect{native.Pi16, native.Pi073} {
			top := t.TempDir()
			for name, text := range tt.files {
				writeSettings(t, filepath.Join(top, name), text)
			}
			var args []string
			for _, arg := range strings.Fields(tt.args) {
				args = append(args, strings.SplitN(arg, "=", 2)...)
			}
			rules, _ := launchRulesOf(dialect)
			l := launch{options: parseOptions(args, dialect), rules: rules, agent: filepath.Join(top, "agent")}
			p := l.systemPrompt(filepath.Join(top, "work"), tt.trusted)
			got := strings.Join(append([]string{p.Own}, p.Added...), "+")
			for _, f := range p.Context {
				if name, ok := strings.CutPrefix(f.Path, top+"/"); ok { // whoever tests may have others above
					got += "|" + name + ":" + f.Text
				}
			}
			want := tt.want
			if dialect == native.Pi073 && tt.pi073 != "" {
				want = strings.TrimPrefix(tt.pi073, "-")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s (%s): -want +got\n%s", tt.name, dialect, tt.reason, diff)
			}
		}
	}
}

// A session that goes on tells the model what has changed of the instructions, and no more.
func TestInstructionsChange(t *testing.T) {
	home := t.TempDir()
	agents := filepath.Join(home, "AGENTS.md")
	section := func(text string) string {
		return `"project_context":"<project_context>\nProject-specific instructions and guidelines:\n\n<project_instructions path=\"` +
			resolved(t, home) + `/AGENTS.md\">\n` + text + `\n</project_instructions>\n</project_context>"`
	}
	for _, step := range []struct{ text, args, want string }{
		{"A", "", `,` + section("A") + `,"cwd":"<cwd>\n` + resolved(t, home) + `\n</cwd>"}`},
		{"A", "-c", ""},
		{"B", "-c", `"sections":{` + section("B") + `}`},
		{"B", "-c -nc --append-system-prompt X", `"sections":{"addendum":"<addendum>\nX\n</addendum>","project_context":null}`},
		{"B", "-c --append-system-prompt X", `"sections":{` + section("B") + `}`},
		{"C", "-c", `"sections":{` + section("C") + `,"addendum":null}`},
		{"C", "-c --system-prompt one", `"sections":{"preamble":"one","tools":null,"rules":null,"docs":null}`},
		{"C", "-c --system-prompt one", ""},
		{"C", "-c --system-prompt two -nc", `"sections":{"preamble":"two","project_context":null}`},
		{"C", "-c -nc", `"sections":{"preamble":"You help with code.","tools":"- read`},
		{"C", "-c -nc", ""},
	} {
		writeSettings(t, agents, step.text)
		p := startPi(t, home, "", append([]string{"--mode", "rpc"}, strings.Fields(step.args)...)...)
		p.send(prompt)
		if step.want != "" {
			p.await(`"type":"message_end","message":{"role":"system"`)
			if said := p.seen[len(p.seen)-1]; !strings.Contains(said, step.want) {
				t.Errorf("%s, %s: said %s, want %s", step.text, step.args, said, step.want)
			}
		}
		p.await(`"type":"message_end","message":{"role":"user"`)
		p.await(`"agent_settled"`)
		p.in.Close()
		p.end()
		if said := strings.Count(strings.Join(p.seen, "\n"), `"type":"message_end","message":{"role":"system"`); (said == 1) != (step.want != "") {
			t.Errorf("%s, %s: %d system messages", step.text, step.args, said)
		}
	}
}

func resolved(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
