package fidelity_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fakepi.example/internal/fakepi/fidelity"
)

var (
	randomSeed  = flag.Uint64("random-seed", 1, "seed of the first random script")
	randomCases = flag.Int("random-cases", 0, "how many random scripts are put through both, each of the next seed")
)

// TestRandom puts random scripts through the real Pi and fakepi.
func TestRandom(t *testing.T) {
	if *randomCases == 0 {
		t.Skip("it takes minutes; make fidelity-random plays it")
	}
	texts := map[string]string{}
	var scripts []*fidelity.Script
	for i := range *randomCases {
		file, text := randomScript(*randomSeed + uint64(i))
		s, err := fidelity.Parse(file, []byte(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		texts[s.Name] = text
		scripts = append(scripts, s)
	}
	subjects := ours(t)
	var all []*comparison
	for _, d := range dialects {
		subjects.Pi = realPi(t, fidelity.Version(d)) // or it skips
		all = append(all, againstPi(t, d, scripts, subjects))
	}
	judge(t, all)
	for _, c := range all {
		for _, row := range c.table.Rows {
			if !row.Equal() {
				keep(t, row, texts[row.Case.Script.Name])
			}
		}
	}
}

// keep writes the script of a case that differs, and what both printed and left, and tells how it is played again.
func keep(t *testing.T, row fidelity.Row, text string) {
	name := row.Case.Script.Name
	dir, err := filepath.Abs(filepath.Join("../../../out/fidelity-random", name+"-"+string(row.Case.Dialect)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".txt"), []byte(text), 0o644); err != nil {
		t.Error(err)
	}
	write(t, row.Result, dir)
	fmt.Printf("%s of %s: kept in %s\n\tmake fidelity-random SEED=%s COUNT=1\n",
		name, row.Case.Dialect, dir, strings.TrimPrefix(name, "30-random-"))
}

// A random script can always be played, and is that of its seed.
func TestRandomScripts(t *testing.T) {
	var all strings.Builder
	for seed := range uint64(300) {
		file, text := randomScript(seed)
		if _, again := randomScript(seed); again != text {
			t.Fatalf("seed %d: two scripts:\n%s\n%s", seed, text, again)
		}
		s, err := fidelity.Parse(file, []byte(text)) // which vets
		if err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, text)
			continue
		}
		for _, d := range dialects {
			if len(s.Cases(d)) != 1 {
				t.Errorf("seed %d: got %d cases in %s, want 1", seed, len(s.Cases(d)), d)
			}
		}
		all.WriteString(text)
	}
	for _, what := range []string{
		"modes  json", "gate\n", "anthropic", "window", "--no-session", " does run ", " does edit ", " timeout=1s", " blocked ", " fails", "tool read",
		" opens\n", "by=filter", "by=close", "status=429", "closes length", "compacts threshold", "refused auth", "chunks 3", "Größe",
		"on text_delta", "on thinking_delta", "on tool_execution_start(bash)", "on auto_retry_start", "on extension_ui_request(input)", "       cancel\n",
		`"steer"`, `"follow_up"`, `"followUp"`, `"abort"`, `"abort_retry"`, `"compact"`, `"fork"`, `"clone"`, `"switch_session"`, `"images"`,
		`"Message `, "eof\n", "signal SIGTERM", "start --continue", "on message_end(user)", "calls read", "Not in the script",
	} {
		if !strings.Contains(all.String(), what) {
			t.Errorf("no script of 300 has %q", what)
		}
	}
}
