package policyfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/policyfile"
	"fakepi.example/watchdog"
)

func TestParse(t *testing.T) {
	const src = `# how we watch
preset: autonomous
stall: 45m
first_token: 90s        # our models are quick
backoff_factor: 1.5
cost_usd: 12
effects: {task_state: never, stop_worker: ask}
overrides:
  - match: {model: slow-1}
    first_token: 10m
  - match:
      tool: bash
      worker: "w 1"
    tool: 4h
    preset: autonomous
    effects: {respawn: never}
`
	want := watchdog.DefaultPolicy()
	want.Stall, want.FirstToken, want.BackoffFactor, want.CostUSD = 45*time.Minute, 90*time.Second, 1.5, 12
	want.Effects[watchdog.EffectStopTurn] = watchdog.PermitAuto
	want.Effects[watchdog.EffectRespawn] = watchdog.PermitAuto
	want.Effects[watchdog.EffectTaskState] = watchdog.PermitNever
	want.Overrides = []watchdog.Override{
		{Model: "slow-1", Set: map[string]string{"first_token": "10m0s"}},
		{Tool: "bash", Worker: "w 1", Set: map[string]string{
			"tool": "4h0m0s", "effects.stop_turn": "auto", "effects.stop_worker": "auto", "effects.respawn": "never",
			"effects.task_state": "ask", "effects.publish": "ask", "effects.remove": "ask",
		}},
	}
	got, err := policyfile.Parse("p.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
}

func TestParseDefaults(t *testing.T) {
	for _, src := range []string{"", "\n", "# nothing differs\n", "---\n", "{}\n", "preset: attended\n", "stall: 30m\n"} {
		got, err := policyfile.Parse("p.yaml", []byte(src))
		if err != nil {
			t.Errorf("%q: %v", src, err)
		}
		if diff := cmp.Diff(watchdog.DefaultPolicy(), got); diff != "" {
			t.Errorf("%q is not the default (-want +got):\n%s", src, diff)
		}
	}
}

// TestMistakes pins place, fault and remedy of each.
func TestMistakes(t *testing.T) {
	for _, row := range []struct{ src, want, reason string }{
		{"stal: 1m\n", `p.yaml:1:1: unknown limit "stal"; did you mean stall?`, "a letter is missing"},
		{"frist_token: 1m\n", `p.yaml:1:1: unknown limit "frist_token"; did you mean first_token?`, "two letters are swapped"},
		{"zebra: 1m\n", `p.yaml:1:1: unknown limit "zebra"; docs/policy.md lists the limits`, "nothing is near"},
		{"match: {tool: bash}\n", `p.yaml:1:1: unknown limit "match"`, "a match outside an override"},
		{"tool: 2h\nstall: 30\n", `p.yaml:2:8: stall: "30" is no duration; write it like 90s, 5m or 2h`, "no unit"},
		{"stall: yes\n", `p.yaml:1:8: stall: "yes" is no duration`, "a word for a duration"},
		{"confirmations: 1.5\n", `p.yaml:1:16: confirmations: "1.5" is no whole number`, "half a confirmation"},
		{"stall:\ntool: 2h\n", `p.yaml:1:7: stall has no value`, "a name without a value"},
		{"stall: {min: 5}\n", `stall takes one value`, "a mapping for a value"},
		{"stall: [5m]\n", `stall takes one value`, "a list for a value"},
		{"stall: &x 5m\n", `stall takes one value`, "anchors are not for policies"},
		{"stall: 1m\nstall: 2m\n", `p.yaml:2:1: mapping key "stall" already defined at [1:1]; remove one of them`, "a limit twice"},
		{"effects:\n  publish: auto\n  publish: ask\n", `p.yaml:3:3: mapping key "publish" already defined`, "a class twice"},
		{"effects: {remove: auto}\n", `p.yaml:1:19: effects.remove: removal is never automatic; use ask or never`, "remove is never auto"},
		{"effects: {publihs: ask}\n", `p.yaml:1:11: unknown limit "effects.publihs"; did you mean effects.publish?`, "a class mistyped"},
		{"effects: auto\n", `p.yaml:1:10: effects is a list of name: value`, "a value for a mapping"},
		{"preset: brave\n", `p.yaml:1:9: unknown preset "brave"; take attended or autonomous`, "no such preset"},
		{"- stall\n", `p.yaml:1:1: a policy is a list of name: value`, "a sequence"},
		{"stall\n", `p.yaml:1:1: a policy is a list of name: value`, "a word"},
		{"1: 2\n", `p.yaml:1:1: "1" is no name`, "a number for a name"},
		{"stall: 1m\n---\nstall: 2m\n", `a second YAML document`, "two policies"},
		{"overrides: {}\n", `p.yaml:1:12: overrides is a list`, "a mapping of overrides"},
		{"overrides:\n  - first_token: 1m\n", `an override that matches nothing by name`, "it would hold for all"},
		{"overrides:\n  - match: {}\n    first_token: 1m\n", `an override that matches nothing by name`, "an empty match"},
		{"overrides:\n  - match: {tool: bash}\n", `an override that changes nothing`, "no limit"},
		{"overrides:\n  - match: {tol: bash}\n    tool: 1h\n", `p.yaml:2:13: match knows no "tol"; take worker, model or tool`, "a match mistyped"},
		{"overrides:\n  - match: {model: é}\n    tol: 1h\n", `p.yaml:3:5: unknown limit "tol"; did you mean tool?`, "inside an override"},
		{"overrides:\n  - match: {tool: bash}\n    overrides: []\n", `unknown limit "overrides"`, "an override in an override"},
		{"stall: {\n", `p.yaml:1:8: `, "broken YAML"},
		{"é: 1m # é\nx: \"\n", `p.yaml:2:4: `, "broken YAML after a letter of two bytes"},
		{strings.Repeat("#", 1<<20+1), `p.yaml:1:1: 1048577 bytes are too long for a policy`, "a file that is no policy"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			_, err := policyfile.Parse("p.yaml", []byte(row.src))
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Fatalf("got error %v, want %q", err, row.want)
			}
			if _, ok := errors.AsType[*policyfile.Error](err); !ok || !errors.Is(err, watchdog.ErrPolicy) {
				t.Errorf("error %v is no *policyfile.Error that wraps ErrPolicy", err)
			}
		})
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	_, err := policyfile.Parse("p.yaml", []byte("stal: 1m\ntool: 5\neffects: {publish: no}\n"))
	want := `p.yaml:1:1: unknown limit "stal"; did you mean stall?
p.yaml:2:7: tool: "5" is no duration; write it like 90s, 5m or 2h
p.yaml:3:20: effects.publish: "no" is none of auto, ask, never`
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}

func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if _, err := policyfile.Load(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: error %v, want fs.ErrNotExist", err)
	}
	if err := os.WriteFile(file, []byte("stal: 1m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := policyfile.Load(file)
	if e, ok := errors.AsType[*policyfile.Error](err); !ok || e.File != file || e.Line != 1 || e.Col != 1 {
		t.Errorf("a mistake in the file: error %v, want an *Error at %s:1:1", err, file)
	}
}

func TestSet(t *testing.T) {
	p := watchdog.DefaultPolicy()
	for _, arg := range []string{"stall=45m", " first_token = 90s", "preset=autonomous", "effects.publish=never"} {
		if err := policyfile.Set(&p, arg); err != nil {
			t.Errorf("%q: %v", arg, err)
		}
	}
	want := watchdog.DefaultPolicy()
	want.Stall, want.FirstToken = 45*time.Minute, 90*time.Second
	want.Effects[watchdog.EffectStopTurn] = watchdog.PermitAuto
	want.Effects[watchdog.EffectStopWorker] = watchdog.PermitAuto
	want.Effects[watchdog.EffectRespawn] = watchdog.PermitAuto
	want.Effects[watchdog.EffectPublish] = watchdog.PermitNever
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}
}

func TestSetRefuses(t *testing.T) {
	for _, row := range []struct{ arg, want, reason string }{
		{"stall", "write limit=value", "no value"},
		{"stall=", `"" is no duration`, "an empty value"},
		{"stal=1m", "did you mean stall?", "mistyped"},
		{"stall=5", "write it like 90s", "no unit"},
		{"preset=brave", "take attended or autonomous", "no such preset"},
		{"effects.remove=auto", "removal is never automatic", "remove is never auto"},
	} {
		p := watchdog.DefaultPolicy()
		err := policyfile.Set(&p, row.arg)
		if !errors.Is(err, watchdog.ErrPolicy) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("Set(%q): error %v, want ErrPolicy with %q (%s)", row.arg, err, row.want, row.reason)
		}
		if diff := cmp.Diff(watchdog.DefaultPolicy(), p); diff != "" {
			t.Errorf("Set(%q) failed, and changed the policy:\n%s", row.arg, diff)
		}
	}
}

// FuzzParse checks that no source breaks the reader, and that each error is one of ours.
func FuzzParse(f *testing.F) {
	f.Add("preset: autonomous\noverrides:\n  - match: {model: m}\n    stall: 1m\n")
	f.Add("? a\n: b\n")
	f.Add("a: &x {<<: *x}\n")
	f.Add("stall: |\n  1m\n")
	f.Fuzz(func(t *testing.T, src string) {
		_, err := policyfile.Parse("p.yaml", []byte(src))
		if err != nil && !errors.Is(err, watchdog.ErrPolicy) {
			t.Errorf("error %v does not wrap ErrPolicy", err)
		}
	})
}
