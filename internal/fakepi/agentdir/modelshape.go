package agentdir

import (
	"slices"
	"strconv"
	"strings"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// shape is what a value of models.json must be.
type shape struct {
	kind     string   // "string", "boolean", "number", "object", "array", "level": a text or null; empty: anything
	filled   bool     // of a text: not the empty one
	positive bool     // of a number
	words    []string // of a text: one of these
	members  []member // of an object
	each     *shape   // of the elements of an array, or of all members of an object
}

type member struct {
	key      string
	required bool
	shape    shape
}

// modelsShape is what Pi demands of models.json; what Pi does not know is allowed. (Pi also looks into compat.)
func modelsShape(dialect native.Dialect) shape {
	is16 := dialect == native.Pi16
	texts := shape{kind: "object", each: &shape{kind: "string"}}
	filled, boolean := shape{kind: "string", filled: true}, shape{kind: "boolean"}
	number, size := shape{kind: "number"}, shape{kind: "number", positive: is16}
	input := shape{kind: "array", each: &shape{kind: "string", words: []string{"text", "image"}}}
	levels := shape{kind: "object"}
	for _, level := range fakepi.ThinkingLevels(dialect) {
		levels.members = append(levels.members, member{key: level, shape: shape{kind: "level"}})
	}
	prices := func(required bool) shape {
		cost := shape{kind: "object"}
		for _, key := range []string{"input", "output", "cacheRead", "cacheWrite"} {
			cost.members = append(cost.members, member{key, required, number})
		}
		return cost
	}
	model := []member{
		{"id", true, filled}, {"name", false, filled}, {"api", false, filled}, {"baseUrl", false, filled}, {"reasoning", false, boolean},
		{"thinkingLevelMap", false, levels}, {"input", false, input}, {"cost", false, prices(true)}, {"contextWindow", false, size},
		{"maxTokens", false, size}, {"headers", false, texts},
	}
	override := []member{
		{"name", false, filled}, {"reasoning", false, boolean}, {"thinkingLevelMap", false, levels}, {"input", false, input},
		{"cost", false, prices(false)}, {"contextWindow", false, size}, {"maxTokens", false, size}, {"headers", false, texts},
	}
	provider := shape{kind: "object", members: []member{
		{"name", false, filled}, {"baseUrl", false, filled}, {"apiKey", false, filled}, {"api", false, filled}, {"headers", false, texts},
		{"authHeader", false, boolean}, {"models", false, shape{kind: "array", each: &shape{kind: "object", members: model}}},
		{"modelOverrides", false, shape{kind: "object", each: &shape{kind: "object", members: override}}},
	}}
	return shape{kind: "object", members: []member{{"providers", true, shape{kind: "object", each: &provider}}}}
}

// maxProblems is how many problems Pi tells.
const maxProblems = 8

// checkModels lists what is wrong with models.json, as Pi tells it: where, and what it must be.
func checkModels(dialect native.Dialect, file native.Value) []string {
	c := shapeCheck{oneByOne: dialect != native.Pi16}
	c.value("", modelsShape(dialect), file)
	return c.problems[:min(len(c.problems), maxProblems)]
}

// shapeCheck gathers problems.
type shapeCheck struct {
	oneByOne bool // a text that is none of those allowed is compared with each
	problems []string
}

func (c *shapeCheck) tell(at, problem string) {
	if at == "" {
		at = "root"
	}
	c.problems = append(c.problems, at+": "+problem)
}

func (c *shapeCheck) tellWords(at string, words []string) {
	if !c.oneByOne {
		c.tell(at, "must be equal to one of the allowed values")
		return
	}
	for range words {
		c.tell(at, "must be equal to constant")
	}
	c.tell(at, "must match a schema in anyOf")
}

func (c *shapeCheck) value(at string, s shape, v native.Value) {
	if s.kind == "level" {
		if kind := native.TypeOf(v); kind != "string" && kind != "null" {
			c.tell(at, "must be string")
			c.tell(at, "must be null")
			c.tell(at, "must match a schema in anyOf")
		}
		return
	}
	if len(s.words) > 0 {
		if !slices.Contains(s.words, native.Text(v)) {
			c.tellWords(at, s.words)
		}
		return
	}
	if s.kind != native.TypeOf(v) {
		c.tell(at, "must be "+s.kind)
		return
	}
	switch v := v.(type) {
	case native.String:
		if s.filled && v == "" {
			c.tell(at, "must not have fewer than 1 characters")
		}
	case native.Number:
		if s.positive && v <= 0 {
			c.tell(at, "must be > 0")
		}
	case native.Array:
		for i, element := range v {
			c.value(below(at, strconv.Itoa(i)), *s.each, element)
		}
	case native.Object:
		c.object(at, s, v)
	}
}

func (c *shapeCheck) object(at string, s shape, o native.Object) {
	var missing []string
	for _, m := range s.members {
		if m.required && o.Get(m.key) == nil {
			missing = append(missing, m.key)
		}
	}
	if len(missing) > 0 {
		c.tell(below(at, missing[0]), "must have required properties "+strings.Join(missing, ", "))
	}
	for _, m := range s.members {
		if v := o.Get(m.key); v != nil {
			c.value(below(at, m.key), m.shape, v)
		}
	}
	if s.each != nil {
		for _, m := range o {
			c.value(below(at, m.Key), *s.each, m.Value)
		}
	}
}

// below is the place of a member.
func below(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

// checkProvider finds what a provider with models of its own lacks. Of one that Pi knows itself nothing is missing; its key
// Pi 1.6 takes from elsewhere too.
func checkProvider(dialect native.Dialect, name string, of native.Value, models native.Array) string {
	if len(models) == 0 || KnownProvider(name) {
		return ""
	}
	if dialect != native.Pi16 {
		for _, key := range []string{"baseUrl", "apiKey"} {
			if native.Text(valueIn(of, key)) == "" {
				return "Provider " + name + `: "` + key + `" is required when defining custom models.`
			}
		}
	}
	for _, m := range models {
		has := func(key string) bool {
			return native.Text(valueIn(m, key)) != "" || native.Text(valueIn(of, key)) != ""
		}
		switch {
		case !has("api"):
			return "Provider " + name + ", model " + native.Text(valueIn(m, "id")) + `: no "api" specified. Set at provider or model level.`
		case !has("baseUrl"):
			return "Provider " + name + `: "baseUrl" is required when defining custom models.`
		}
	}
	return ""
}

// knownProviders are those whose models Pi knows by itself.
var knownProviders = strings.Fields(`
	amazon-bedrock ant-ling anthropic azure azure-openai-responses baseten cerebras cloudflare-ai-gateway cloudflare-workers-ai deepseek
	fireworks github-copilot google google-vertex groq huggingface kimi-coding meta minimax minimax-cn mistral moonshotai moonshotai-cn
	nvidia openai openai-codex opencode opencode-go openrouter qwen-token-plan qwen-token-plan-cn qwen-token-plan-individual
	qwen-token-plan-individual-cn radius together vercel-ai-gateway xai xiaomi xiaomi-token-plan-ams xiaomi-token-plan-cn
	xiaomi-token-plan-sgp zai zai-coding-cn`)

// KnownProvider reports whether Pi knows models of a provider by itself, whatever models.json says.
func KnownProvider(name string) bool { return slices.Contains(knownProviders, strings.ToLower(name)) }
