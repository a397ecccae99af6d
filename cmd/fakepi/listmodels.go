package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/cli/refusal"
	"fakepi.example/internal/fakepi/provider"
)

// listModels is --list-models, with what is wrong about models.json and auth.json.
func (l *launch) listModels(out io.Writer, search string) error {
	problem := l.models.Problem
	if l.rules.needsAccounts && l.accounts.Problem != "" {
		problem = strings.TrimPrefix(problem+"\nAvailability refresh: "+l.accounts.Problem, "\n")
	}
	if problem != "" {
		fmt.Fprintln(os.Stderr, "Warning: errors loading models.json:\n"+problem)
	}
	if l.rules.needsAccounts && l.accounts.Problem != "" { // which Pi then does not expect
		return refusal.PlainError(l.accounts.Class + ": " + l.accounts.Problem)
	}
	if l.models.List != nil && len(l.models.List) == 0 {
		_, err := fmt.Fprintln(out, fakepi.NoModels(l.options.dialect))
		return err
	}
	return listModels(out, l.models.List, search)
}

// listModels prints the models that a search finds, as a table; without a models.json the fake's own.
func listModels(w io.Writer, models []native.Model, search string) error {
	if models == nil {
		models = []native.Model{{
			Provider: provider.Name, ID: provider.Model, ContextWindow: provider.ContextWindow, MaxTokens: provider.MaxTokens,
		}}
	}
	models = slices.DeleteFunc(slices.Clone(models), func(m native.Model) bool {
		return !fuzzy(strings.ToLower(m.Provider+" "+m.ID), strings.ToLower(search))
	})
	slices.SortFunc(models, func(a, b native.Model) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.ID, b.ID))
	})
	if len(models) == 0 {
		_, err := fmt.Fprintf(w, "No models matching %q\n", search)
		return err
	}
	rows := [][]string{{"provider", "model", "context", "max-out", "thinking", "images"}}
	for _, m := range models {
		rows = append(rows, []string{
			m.Provider, m.ID, tokens(m.ContextWindow), tokens(m.MaxTokens), yesOrNo(m.Reasoning), yesOrNo(slices.Contains(m.Input, "image")),
		})
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, row := range rows {
		for i := range row {
			row[i] += strings.Repeat(" ", widths[i]-len(row[i]))
		}
		if _, err := fmt.Fprintln(w, strings.Join(row, "  ")); err != nil {
			return err
		}
	}
	return nil
}

// fuzzy reports whether the characters of each word of a search stand in a text, in their order.
func fuzzy(text, search string) bool {
	for word := range strings.FieldsSeq(search) {
		rest := text
		for _, c := range word {
			i := strings.IndexRune(rest, c)
			if i < 0 {
				return false
			}
			rest = rest[i+1:]
		}
	}
	return true
}

func yesOrNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// tokens writes a number of tokens shortly: 2M, 4.1K, 100.
func tokens(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1_000_000, "M"}, {1_000, "K"}} {
		if n >= unit.size {
			return strings.TrimSuffix(strconv.FormatFloat(float64(n)/float64(unit.size), 'f', 1, 64), ".0") + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}
