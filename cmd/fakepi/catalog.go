package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/provider"
)

// settingsFile is what matters of Pi's settings.json.
type settingsFile struct {
	Provider   string `json:"defaultProvider"`
	Model      string `json:"defaultModel"`
	Thinking   string `json:"defaultThinkingLevel"`
	Steering   string `json:"steeringMode"`
	FollowUp   string `json:"followUpMode"`
	SessionDir string `json:"sessionDir"`
	Compaction struct {
		Enabled    *bool `json:"enabled"`
		KeepRecent int64 `json:"keepRecentTokens"`
	} `json:"compaction"`
	Retry struct {
		Enabled *bool `json:"enabled"`
	} `json:"retry"`
}

// worker is what the worker shows of the settings.
func (s settingsFile) worker() fakepi.Settings {
	off := func(enabled *bool) bool { return enabled != nil && !*enabled }
	return fakepi.Settings{
		Provider: s.Provider, Model: s.Model, Thinking: s.Thinking, SteeringMode: s.Steering, FollowUpMode: s.FollowUp,
		NoCompaction: off(s.Compaction.Enabled), NoRetry: off(s.Retry.Enabled), KeepRecent: s.Compaction.KeepRecent,
	}
}

// readAgentFile reads a JSON file of the agent folder; one that is missing leaves v as it is.
func readAgentFile(dir, name string, v any) error {
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// providerFile is a provider of models.json.
type providerFile struct {
	name    string
	BaseURL string      `json:"baseUrl"`
	API     string      `json:"api"`
	Models  []modelFile `json:"models"`
}

type modelFile struct {
	ID            string           `json:"id"`
	Name          string           `json:"name"`
	API           string           `json:"api"`
	Reasoning     bool             `json:"reasoning"`
	Input         []string         `json:"input"`
	Cost          native.ModelCost `json:"cost"`
	ContextWindow int64            `json:"contextWindow"`
	MaxTokens     int64            `json:"maxTokens"`
}

// providerFiles are the members of an object, in its order.
type providerFiles []providerFile

func (p *providerFiles) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil { // the brace
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var one providerFile
		if err := dec.Decode(&one); err != nil {
			return err
		}
		one.name = fmt.Sprint(key)
		*p = append(*p, one)
	}
	return nil
}

// readModels lists the models of models.json, in its order, with Pi's defaults.
func readModels(agentDir string) ([]native.Model, error) {
	var file struct {
		Providers providerFiles `json:"providers"`
	}
	if err := readAgentFile(agentDir, "models.json", &file); err != nil {
		return nil, err
	}
	var all []native.Model
	for _, p := range file.Providers {
		for _, m := range p.Models {
			if len(m.Input) == 0 {
				m.Input = []string{"text"}
			}
			all = append(all, native.Model{
				ID: m.ID, Name: cmp.Or(m.Name, m.ID), API: cmp.Or(m.API, p.API), Provider: p.name, BaseURL: p.BaseURL,
				Reasoning: m.Reasoning, Input: m.Input, Cost: m.Cost,
				ContextWindow: cmp.Or(m.ContextWindow, provider.ContextWindow), MaxTokens: cmp.Or(m.MaxTokens, provider.MaxTokens),
			})
		}
	}
	return all, nil
}

// listModels prints the models that a search finds, as a table; where Pi knows none, the fake's own.
func listModels(w io.Writer, models []native.Model, search string) error {
	if len(models) == 0 {
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

// chooseModel reads which model the command line asks for: with its provider in front, or its thinking level behind. A
// model that its provider does not have is used all the same, with a warning; one of a provider that nobody knows too, since
// a fake asks none.
func (o *options) chooseModel(models []native.Model) error {
	if o.model == "" {
		if o.provider != "" && o.is16() {
			return usageError("--provider requires --model (for example: --provider " + o.provider + " --model <pattern>)")
		}
		return nil
	}
	if name, id, ok := strings.Cut(o.model, "/"); ok && o.provider == "" {
		o.provider, o.model = name, id
	}
	if id, level, ok := strings.Cut(o.model, ":"); ok && slices.Contains(o.levels(), level) {
		o.model, o.thinking = id, cmp.Or(o.thinking, level)
	}
	if o.provider == "" {
		if i := slices.IndexFunc(models, func(m native.Model) bool { return m.ID == o.model }); i >= 0 {
			o.provider = models[i].Provider
		}
		return nil
	}
	if ids := modelIDs(models, o.provider); len(ids) > 0 && !slices.Contains(ids, o.model) {
		o.warnings = append(o.warnings, fmt.Sprintf("Model %q not found for provider %q. Using custom model id.", o.model, o.provider))
	}
	return nil
}

func modelIDs(models []native.Model, provider string) []string {
	var ids []string
	for _, m := range models {
		if m.Provider == provider {
			ids = append(ids, m.ID)
		}
	}
	return ids
}
