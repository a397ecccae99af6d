package repository_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// foreign is what nobody can look up who has this tree alone: papers, lists, folders, tools and hosts of its authors. A
// bracket in each keeps the pattern from matching itself.
var foreign = regexp.MustCompile(strings.Join([]string{
	`\b(PI[-]FORMAT|CASE[S]|FIDELIT[Y]|LIBRARIE[S])\b`, // papers
	`\bC[0-9]{2,3}\b`,              // numbers of a list of cases: name the public report, "claude-code#76791"
	`[/](work|shared|tmp/team)[/]`, // folders
	`[.]librar[y]\b`, `(?i:\bfar[m]\b)`,
	`registry[.]npmjs|proxy[.]golang|pypi[.]org|files[.]pythonhosted|static[.]crates`, // hosts
}, "|"))

var (
	page     = regexp.MustCompile(`\b(docs/[a-z-]+|[A-Z][A-Z_-]+)\.md\b`)
	sections = regexp.MustCompile(`docs/pi-formats\.md,\s+(?:// )?sections? ((?:[0-9][0-9.]*(?:, | and )?)+)`)
	number   = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)
)

// contextFiles are what Pi looks for in the folder of a worker.
var contextFiles = []string{"AGENTS.md", "CLAUDE.md", "SYSTEM.md", "APPEND_SYSTEM.md"}

// TestWords reads every text of the tree, recordings of the real Pi left out: what it refers to is in the tree.
func TestWords(t *testing.T) {
	t.Parallel()
	formats, err := os.ReadFile("docs/pi-formats.md")
	if err != nil {
		t.Fatal(err)
	}
	eachFile(t, ".", func(file string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(filepath.ToSlash(file), "testdata/recordings/") || bytes.IndexByte(text, 0) >= 0 {
			return
		}
		for _, at := range foreign.FindAllIndex(text, -1) {
			t.Errorf("%s:%d: %q means nothing to whoever has this tree alone", file, lineAt(text, at[0]), text[at[0]:at[1]])
		}
		for _, at := range page.FindAllIndex(text, -1) {
			name := string(text[at[0]:at[1]])
			if _, err := os.Stat(name); err != nil && !slices.Contains(contextFiles, name) {
				t.Errorf("%s:%d: there is no page %s", file, lineAt(text, at[0]), name)
			}
		}
		for _, at := range sections.FindAllSubmatchIndex(text, -1) {
			for _, n := range number.FindAllString(string(text[at[2]:at[3]]), -1) {
				if !regexp.MustCompile(`(?m)^##+ ` + regexp.QuoteMeta(n) + `\.? `).Match(formats) {
					t.Errorf("%s:%d: docs/pi-formats.md has no section %s", file, lineAt(text, at[0]), n)
				}
			}
		}
	})
}

func lineAt(text []byte, offset int) int { return 1 + bytes.Count(text[:offset], []byte("\n")) }
