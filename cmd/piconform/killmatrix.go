package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"fakepi.example/conformance"
	"fakepi.example/internal/watchdog/mutants"
	"fakepi.example/scenarios"
)

// killMatrix is the file that shows which scenario kills which mutant, in each dialect.
type killMatrix struct {
	file   string
	update bool
}

func (k *killMatrix) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.file, "doc", "", "run in every dialect, and compare what becomes of the mutants with this `file`")
	cmd.Flags().BoolVar(&k.update, "update", false, "write the file of --doc instead")
}

// check compares the file with what a run came to, or writes it.
func (k *killMatrix) check(list []mutants.Mutant, found map[string]*conformance.Matrix) error {
	text := killMatrixText(list, found)
	if k.update {
		return os.WriteFile(k.file, []byte(text), 0o644)
	}
	old, err := os.ReadFile(k.file)
	if err != nil {
		return err
	}
	if string(old) != text {
		return fmt.Errorf("%s shows another matrix; write it anew with piconform mutants --first-kill --doc %s --update", k.file, k.file)
	}
	return nil
}

// report is a public report at the end of a mutant's description.
var publicReport = regexp.MustCompile(` \[(\S+#\d+)\]$`)

// killMatrixText is the file: a table of the bad mutants and one of the benign ones.
func killMatrixText(list []mutants.Mutant, found map[string]*conformance.Matrix) string {
	var b strings.Builder
	b.WriteString(`# Kill matrix

Each watchdog below is the reference made wrong in one way, after a public failure where one is named. It counts as killed when
an assertion on the requirement that it breaks fails; a crash kills nothing. The scenario is the first that kills it:
` + "`piconform mutants`" + ` lists them all. ` + "`make mutants`" + ` compares this file with what happens, ` + "`make kill-matrix`" + ` writes it anew.

`)
	for _, d := range scenarios.Dialects() {
		m := found[d]
		fmt.Fprintf(&b, "- %s: %d of %d bad ones killed, %d of %d benign ones flagged; one that answers nothing fails %d of %d cases that expect something.\n",
			d, m.Killed, m.Bad, m.Flagged, m.Benign, m.Canary.Cases-len(m.Canary.Passed), m.Canary.Cases)
	}
	fmt.Fprintf(&b, "\n## Bad\n\n| mutant | breaks | what is wrong | after |%s\n|---|---|---|---|%s\n",
		columns(" %s |"), columns("---|"))
	for i, m := range list {
		if m.Kind == mutants.Bad {
			doc, after := described(m)
			fmt.Fprintf(&b, "| %s | %s | %s | %s |%s\n", m.ID, m.Requirement, doc, after, fates(i, found))
		}
	}
	b.WriteString("\n## Benign\n\n| mutant | what is different |\n|---|---|\n")
	for _, m := range list {
		if m.Kind == mutants.Benign {
			fmt.Fprintf(&b, "| %s | %s |\n", m.ID, m.Doc)
		}
	}
	return b.String()
}

func columns(format string) string {
	var b strings.Builder
	for _, d := range scenarios.Dialects() {
		if strings.Contains(format, "%s") {
			fmt.Fprintf(&b, format, d)
		} else {
			b.WriteString(format)
		}
	}
	return b.String()
}

// described parts a description from the public report that it names.
func described(m mutants.Mutant) (doc, after string) {
	if r := publicReport.FindStringSubmatch(m.Doc); r != nil {
		return strings.TrimSuffix(m.Doc, r[0]), r[1]
	}
	return m.Doc, ""
}

// fates is what became of a mutant in each dialect.
func fates(i int, found map[string]*conformance.Matrix) string {
	var b strings.Builder
	for _, d := range scenarios.Dialects() {
		r := &found[d].Mutants[i]
		switch {
		case r.Unseen != "":
			b.WriteString(" not here: " + r.Unseen + " |")
		case r.Killed():
			b.WriteString(" " + r.KilledBy[0].Case + " |")
		default:
			b.WriteString(" **alive** |")
		}
	}
	return b.String()
}
