package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fakepi.example/conformance"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/conformance/oracle/mistakes"
	"fakepi.example/internal/conformance/requirements"
	"fakepi.example/internal/watchdog/mutants"
	"fakepi.example/scenarios"
)

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain ID",
		Short: "Explain a requirement, a scenario, a mistake or a mutant",
		Long: `explain tells what a requirement asks for, where it comes from and which scenarios and mutants go with it; what happens
in a scenario, and why; what a mistake is that a report names, and how to see it; or what is wrong with a mutant.`,
		Example: `  piconform explain WDC-STALL-001
  piconform explain rung_skipped
  piconform explain stall/silent-after-tool`,
		Args: exactly("ID"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			set, all, err := matrix()
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			return ids(set, all), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			set, all, err := matrix()
			if err != nil {
				return err
			}
			w := bufio.NewWriter(cmd.OutOrStdout())
			if err := explain(w, set, all, args[0]); err != nil {
				return err
			}
			return w.Flush()
		},
	}
}

func ids(set *requirements.Set, all []scenarios.Scenario) []string {
	var list []string
	for _, r := range set.All() {
		list = append(list, r.ID)
	}
	for _, s := range all {
		list = append(list, s.ID)
	}
	for _, m := range conformance.Measures() {
		list = append(list, m.ID)
	}
	for _, m := range mutants.All() {
		list = append(list, m.ID)
	}
	for _, row := range mistakes.Table() {
		list = append(list, string(row.Mistake))
	}
	return list
}

func explain(w io.Writer, set *requirements.Set, all []scenarios.Scenario, id string) error {
	if r, ok := set.Lookup(id); ok {
		explainRequirement(w, set, all, r)
		return nil
	}
	for i := range all {
		if all[i].ID == strings.TrimSuffix(id, conformance.TwinSuffix) {
			explainScenario(w, set, &all[i])
			return nil
		}
	}
	for _, m := range conformance.Measures() {
		if m.ID == id {
			explainMeasure(w, set, m)
			return nil
		}
	}
	for _, r := range set.Retired {
		if r.ID == id {
			fmt.Fprintf(w, "%s is retired since version %d: %s\n", r.ID, r.Version, r.Reason)
			return nil
		}
	}
	for _, m := range mutants.All() {
		if m.ID == id {
			explainMutant(w, set, m)
			return nil
		}
	}
	if row, ok := mistakes.Lookup(id); ok {
		explainMistake(w, set, &row)
		return nil
	}
	return fmt.Errorf("%q is no requirement, scenario, mistake or mutant; %s", id, near(id, ids(set, all)))
}

// near says which ids stand close to one that there is not: those of the same area or folder.
func near(id string, known []string) string {
	cut := strings.LastIndexAny(id, "-/")
	var same []string
	for _, k := range known {
		if cut > 0 && strings.HasPrefix(strings.ToLower(k), strings.ToLower(id[:cut+1])) {
			same = append(same, k)
		}
	}
	if len(same) == 0 {
		return "piconform list names the scenarios, and the requirements that they test"
	}
	return "there are " + strings.Join(same, ", ")
}

func explainRequirement(w io.Writer, set *requirements.Set, all []scenarios.Scenario, r requirements.Requirement) {
	fmt.Fprintf(w, "%s\n", r.ID)
	for _, part := range append([]requirements.Part{r.Part}, r.Also...) {
		fmt.Fprintf(w, "  %s\n    in profile %s (%s)\n", part.Sentence(), part.Profile, set.Profiles[part.Profile].Name)
	}
	key, references, _ := strings.Cut(r.Source, " ")
	fmt.Fprintf(w, "\nfrom %s\n", strings.TrimSpace(set.Sources[key]+" "+references))
	fmt.Fprintln(w, "\ntested by")
	tested := false
	for _, s := range all {
		if slices.Contains(s.Requires, r.ID) {
			tested = true
			fmt.Fprintf(w, "  %-36s %s\n", s.ID, s.Title)
		}
	}
	for _, m := range conformance.Measures() {
		if slices.Contains(m.Requires, r.ID) {
			tested = true
			fmt.Fprintf(w, "  %-36s %s\n", m.ID, m.Title)
		}
	}
	if !tested {
		fmt.Fprintln(w, "  no scenario of this version")
	}
	fmt.Fprintln(w, "\nbroken by")
	broken := false
	for _, m := range mutants.All() {
		if m.Requirement == r.ID {
			broken = true
			fmt.Fprintf(w, "  %-36s %s\n", m.ID, m.Doc)
		}
	}
	if !broken {
		fmt.Fprintln(w, "  no mutant of this version")
	}
}

func explainMutant(w io.Writer, set *requirements.Set, m mutants.Mutant) {
	fmt.Fprintf(w, "%s: a %s mutant\n  %s\n", m.ID, m.Kind, m.Doc)
	if m.Dialect != "" {
		fmt.Fprintf(w, "  shows in dialect %s alone: %s\n", m.Dialect, m.Why)
	}
	if r, ok := set.Lookup(m.Requirement); ok {
		fmt.Fprintf(w, "\nbreaks\n  %s  %s\n", r.ID, r.Sentence())
	}
}

// explainMistake explains a word by which a report names what a watchdog did wrong.
func explainMistake(w io.Writer, set *requirements.Set, row *mistakes.Row) {
	fmt.Fprintf(w, "%s\n  %s\n\n", row.Mistake, row.Sentence)
	charged := row.Requirements()
	switch {
	case len(charged) == 0:
		fmt.Fprintln(w, "breaks what the scenario tests")
	case len(charged) > 1:
		fmt.Fprintln(w, "breaks one of these, by what the scenario tests and the phase that holds")
	default:
		fmt.Fprintln(w, "breaks")
	}
	for _, id := range charged {
		if r, ok := set.Lookup(id); ok {
			fmt.Fprintf(w, "  %s  %s\n", id, r.Sentence())
		}
	}
	fmt.Fprintf(w, "\nhow to see it\n  Play the history again with the token of the failure: piconform replay TOKEN\n  %s\n", row.See)
}

// explainMeasure explains a case that has no file.
func explainMeasure(w io.Writer, set *requirements.Set, m conformance.Measure) {
	fmt.Fprintf(w, "%s: %s\n\nrequires\n", m.ID, m.Title)
	for _, id := range m.Requires {
		if r, ok := set.Lookup(id); ok {
			fmt.Fprintf(w, "  %s  %s\n", id, r.Sentence())
		}
	}
	fmt.Fprintf(w, "\nno file: %s\n\nrun it:   piconform run --case %s\n", m.About, m.ID)
}

func explainScenario(w io.Writer, set *requirements.Set, s *scenarios.Scenario) {
	fmt.Fprintf(w, "%s: %s\n\nrequires\n", s.ID, s.Title)
	for _, id := range s.Requires {
		sentence := "not a requirement of this set"
		if r, ok := set.Lookup(id); ok {
			sentence = r.Sentence()
		}
		fmt.Fprintf(w, "  %s  %s\n", id, sentence)
	}
	fmt.Fprintf(w, "\nprofile %s, family %s\n", s.Profile, s.Family)
	if len(s.Dialects) > 0 {
		fmt.Fprintf(w, "only in dialect %s: %s\n", strings.Join(s.Dialects, ", "), s.Why)
	}
	for _, r := range s.Renames {
		fmt.Fprintf(w, "in a dialect that nobody knows: %s is called %s\n", r.From, r.To)
	}
	switch {
	case s.Twin != nil:
		fmt.Fprintf(w, "its twin %s is the same up to %q and ends healthy\n", s.ID+conformance.TwinSuffix, s.Twin.From)
	case s.NoTwin != "":
		fmt.Fprintf(w, "no twin: %s\n", s.NoTwin)
	}
	fmt.Fprintf(w, "\nthe file\n")
	for line := range strings.Lines(string(s.Source)) {
		fmt.Fprintf(w, "  %s", line)
	}
	dialect, flag := scenarios.Dialects()[0], ""
	if len(s.Dialects) > 0 && s.Dialects[0] != dialect {
		dialect, flag = s.Dialects[0], " --dialect "+s.Dialects[0]
	}
	fmt.Fprintf(w, "\nrun it:   piconform run --case %s%s\nwatch it: piconform replay %s\n", s.ID, flag, baseToken(s.ID, dialect))
}

// baseToken names the base history of a case.
func baseToken(id, dialect string) conformance.Token {
	return conformance.Token{Suite: conformance.Version, Case: id, Dialect: native.Dialect(dialect), Seed: defaultSeed}
}
