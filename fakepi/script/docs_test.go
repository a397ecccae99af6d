package script_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"fakepi.example/fakepi/script"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// section is what the page says of one verb, up to the next heading.
type section struct{ verb, text string }

var (
	heading = regexp.MustCompile(`(?m)^### (.*)$`)
	example = regexp.MustCompile("(?ms)^```(script|scenario)\n(.*?)^```$")
)

func page(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/script.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func sections(text string) []section {
	var all []section
	at := heading.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		all = append(all, section{text[m[2]:m[3]], text[m[1]:end]})
	}
	return all
}

// The page describes every verb, with the usage that the program prints and an example that has the verb.
func TestPageHasEveryVerb(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sections(page(t)) {
		documented[s.verb] = true
		if usage := "`" + script.Usage(s.verb) + "`"; !strings.Contains(s.text, usage) {
			t.Errorf("%s: the page lacks the usage %s", s.verb, usage)
		}
		used := regexp.MustCompile(`(?m)^\S+ +(?:(?:w1|world|owner|operator|user) )?` + s.verb + `\b`)
		if m := example.FindStringSubmatch(s.text); m == nil || !used.MatchString(m[2]) {
			t.Errorf("%s: the page has no example of it", s.verb)
		}
	}
	for _, verb := range script.Verbs() {
		if !documented[verb] {
			t.Errorf("the page lacks the verb %s", verb)
		}
	}
}

// Every example of the page is in canonical form, and neither the parser nor Vet finds anything.
func TestPageExamples(t *testing.T) {
	for _, m := range example.FindAllStringSubmatch(page(t), -1) {
		kind, text := m[1], m[2]
		var steps []script.Step
		if kind == "scenario" {
			steps = everyone(t, text)
		} else {
			s, err := script.Parse("script.md", []byte(text))
			if err != nil {
				t.Errorf("%s\n%v", text, err)
				continue
			}
			steps = s.Steps
			formatted, err := script.Format("script.md", []byte(text))
			if err != nil || string(formatted) != text {
				t.Errorf("not canonical (%v):\n%s", err, cmp.Diff(text, string(formatted)))
			}
		}
		if err := script.Resolve(steps, nil); err != nil {
			t.Errorf("%s\n%v", text, err)
			continue
		}
		cast := map[string]script.Cast{"script": script.OneWorker, "scenario": script.Everyone}[kind]
		if errs := script.Vet(steps, cast); len(errs) > 0 {
			t.Errorf("%s\n%v", text, errs)
		}
	}
}

// everyone parses lines that name their actors.
func everyone(t *testing.T, text string) []script.Step {
	t.Helper()
	lines, err := script.Lex("lines", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var steps []script.Step
	for _, l := range lines {
		if len(l.Tokens) == 0 {
			continue
		}
		s, err := script.ParseStep(l.Tokens, script.Everyone, script.NewPayload("lines", &txtar.Archive{}))
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, s)
	}
	return steps
}
