package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/agentdir"
	"fakepi.example/internal/fakepi/cli/refusal"
)

// chooseModel finds the model that the command line asks for, as Pi does: by its id, with its provider in front, by a part
// of its name, with a thinking level behind. Without a models.json (models is nil) whatever is asked for is there, since a
// fake asks none; and so is what only Pi's own catalog would have. The error is a usageError.
func (o *options) chooseModel(models []native.Model) error {
	switch {
	case o.model == "" && o.provider != "" && o.rules.needsModel:
		return refusal.UsageError("--provider requires --model (for example: --provider " + o.provider + " --model <pattern>)")
	case o.model == "":
		return nil
	case models == nil || o.inCatalog(models):
		o.takeModel()
		return nil
	}
	if o.provider != "" {
		i := slices.IndexFunc(models, func(m native.Model) bool { return strings.EqualFold(m.Provider, o.provider) })
		if i < 0 {
			return refusal.UsageError(`Unknown provider "` + o.provider + `". Use --list-models to see available providers/models.`)
		}
		o.provider = models[i].Provider
	}
	return o.rules.chooseModel(o, agentdir.Search{Dialect: o.dialect}, models)
}

// takeModel takes the model without looking for it.
func (o *options) takeModel() {
	if name, id, ok := strings.Cut(o.model, "/"); ok && o.provider == "" {
		o.provider, o.model = name, id
	}
	o.provider = cmp.Or(o.provider, familyProvider(o.model))
	search := agentdir.Search{Dialect: o.dialect}
	if id, level, ok := search.CutLevel(o.model); ok {
		o.model, o.thinking = id, cmp.Or(o.thinking, level)
	}
}

// inCatalog reports whether Pi's own catalog has what is asked for, and models.json nothing like it.
func (o *options) inCatalog(models []native.Model) bool {
	provider := o.provider
	if name, _, ok := strings.Cut(o.model, "/"); ok && provider == "" {
		provider = name
	}
	if provider != "" && slices.ContainsFunc(models, func(m native.Model) bool { return strings.EqualFold(m.Provider, provider) }) {
		return false
	}
	if agentdir.KnownProvider(provider) {
		return true
	}
	return provider == "" && familyProvider(o.model) != "" && len(agentdir.Partly(o.model, models)) == 0
}

func (o *options) chooseModel16(search agentdir.Search, models []native.Model) error {
	pool := agentdir.OfProvider(models, o.provider)
	if f, ok := search.Find(o.model, pool); ok {
		if len(f.Models) > 1 {
			return refusal.UsageError(ambiguous(o.model, f))
		}
		o.useFound(f)
		return nil
	}
	provider, id, split := agentdir.SplitProvider(o.model, pool)
	if !split {
		id = o.model
	}
	if provider = cmp.Or(o.provider, provider); provider == "" {
		return refusal.UsageError(notFound(o.model))
	}
	if base, level, ok := search.CutLevel(id); ok && o.thinking == "" {
		id, o.thinking = base, level
	}
	o.useCustom(provider, id)
	return nil
}

func (o *options) chooseModel073(search agentdir.Search, models []native.Model) error {
	whole, provider, pattern := o.model, o.provider, o.model
	first, rest, split := agentdir.SplitProvider(o.model, models)
	if split && (provider == "" || provider == first) {
		provider, pattern = first, rest
	}
	if provider == "" {
		if m := agentdir.Exactly(whole, models); m != nil {
			o.useFound(agentdir.Found{Models: []native.Model{*m}})
			return nil
		}
	}
	f, ok := search.Find(pattern, agentdir.OfProvider(models, provider))
	if !ok && o.provider == "" && split {
		f, ok = search.Find(whole, models)
	}
	switch {
	case ok:
		o.useFound(f)
	case provider != "":
		o.useCustom(provider, pattern)
	default:
		return refusal.UsageError(notFound(whole))
	}
	return nil
}

func (o *options) useFound(f agentdir.Found) {
	o.provider, o.model = f.Models[0].Provider, f.Models[0].ID
	o.thinking = cmp.Or(o.thinking, f.Level)
}

// useCustom uses a model that its provider does not have, like the first that it has.
func (o *options) useCustom(provider, id string) {
	o.provider, o.model = provider, id
	o.warn(fmt.Sprintf("Model %q not found for provider %q. Using custom model id.", id, provider))
}

func notFound(model string) string {
	return `Model "` + model + `" not found. Use --list-models to see available models.`
}

// ambiguous is what Pi 1.6 says of a model that several providers have, each of which could be asked.
func ambiguous(model string, f agentdir.Found) string {
	return `Model "` + model + `" is ambiguous across providers: ` + strings.Join(f.Names(), ", ") +
		". More than one matching provider is authenticated. Use --provider or provider/model."
}

// families are words in the names of models that Pi's own catalog has, and a provider of each.
var families = []struct{ word, provider string }{
	{"claude", "anthropic"}, {"sonnet", "anthropic"}, {"opus", "anthropic"}, {"haiku", "anthropic"}, {"gpt", "openai"},
	{"gemini", "google"}, {"grok", "xai"}, {"deepseek", "deepseek"}, {"glm", "zai"}, {"kimi", "moonshotai"}, {"mistral", "mistral"},
	{"devstral", "mistral"}, {"minimax", "minimax"},
}

// familyProvider is a provider that Pi's own catalog has for a model; empty: Pi does not know the model.
func familyProvider(model string) string {
	for _, f := range families {
		if strings.Contains(strings.ToLower(model), f.word) {
			return f.provider
		}
	}
	return ""
}
