package agentdir_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/agentdir"
)

// What Pi says of a models.json, as the real Pi of each version was seen to say it, and which models it then has.
func TestModels(t *testing.T) {
	provider := func(model string) string {
		return `{"providers":{"p":{"baseUrl":"http://x","api":"openai-completions","apiKey":"k","models":[` + model + `]}}}`
	}
	tests := []struct {
		name, text string
		problem16  string
		problem073 string // where it differs
		models     string // ids; "none": there is no model to ask; empty: the fake makes its own
		only16     bool   // Pi 1.6 alone has the models
	}{
		{name: "as it should be", text: provider(`{"id":"a"},{"id":"b","x":[]}`), models: "a b"},
		{name: "comments", text: "{ // all\n\"providers\":{},}", models: ""},
		{name: "a known provider that is elsewhere", text: `{"providers":{"anthropic":{"baseUrl":"http://x"}}}`, models: ""},
		{name: "a model of a known provider", text: `{"providers":{"openai":{"models":[{"id":"a"}]}}}`, models: "a"},
		{name: "empty", text: "", problem16: "Failed to parse models.json: Unexpected end of JSON input\n\nFile: FILE", models: "none"},
		{name: "damaged", text: `{"providers":`, problem16: "Failed to parse models.json: Unexpected end of JSON input\n\nFile: FILE", models: "none"},
		{name: "no providers", text: `{"x":1}`, problem16: "Invalid models.json schema:\n  - providers: must have required properties providers\n\nFile: FILE", models: "none"},
		{name: "no object", text: `[]`, problem16: "Invalid models.json schema:\n  - root: must be object\n\nFile: FILE", models: "none"},
		{
			name: "all sorts", text: provider(`{"id":"a","thinkingLevelMap":{"low":5}},{"id":""},{"name":"x"},{"id":"b","input":["video"],"contextWindow":0,"cost":{"input":"1"}}`), models: "none",
			problem16: "Invalid models.json schema:" +
				"\n  - providers.p.models.0.thinkingLevelMap.low: must be string" +
				"\n  - providers.p.models.0.thinkingLevelMap.low: must be null" +
				"\n  - providers.p.models.0.thinkingLevelMap.low: must match a schema in anyOf" +
				"\n  - providers.p.models.1.id: must not have fewer than 1 characters" +
				"\n  - providers.p.models.2.id: must have required properties id" +
				"\n  - providers.p.models.3.input.0: must be equal to one of the allowed values" +
				"\n  - providers.p.models.3.cost.output: must have required properties output, cacheRead, cacheWrite" +
				"\n  - providers.p.models.3.cost.input: must be number" +
				"\n\nFile: FILE",
			problem073: "Invalid models.json schema:" +
				"\n  - providers.p.models.0.thinkingLevelMap.low: must be string" +
				"\n  - providers.p.models.0.thinkingLevelMap.low: must be null" +
				"\n  - providers.p.models.0.thinkingLevelMap.low: must match a schema in anyOf" +
				"\n  - providers.p.models.1.id: must not have fewer than 1 characters" +
				"\n  - providers.p.models.2.id: must have required properties id" +
				"\n  - providers.p.models.3.input.0: must be equal to constant" +
				"\n  - providers.p.models.3.input.0: must be equal to constant" +
				"\n  - providers.p.models.3.input.0: must match a schema in anyOf" +
				"\n\nFile: FILE",
		},
		{
			name: "no api", text: `{"providers":{"p":{"baseUrl":"http://x","apiKey":"k","models":[{"id":"a"}]}}}`, models: "none",
			problem16:  `Provider "p": Provider p, model a: no "api" specified. Set at provider or model level.`,
			problem073: "Failed to load models.json: Provider p, model a: no \"api\" specified. Set at provider or model level.\n\nFile: FILE",
		},
		{
			name: "no key", text: `{"providers":{"p":{"baseUrl":"http://x","api":"openai-completions","models":[{"id":"a"}]}}}`, models: "a", only16: true,
			problem073: "Failed to load models.json: Provider p: \"apiKey\" is required when defining custom models.\n\nFile: FILE",
		},
	}
	for _, tt := range tests {
		for _, dialect := range []native.Dialect{native.Pi16, native.Pi073} {
			dir := t.TempDir()
			file := filepath.Join(dir, "models.json")
			writeText(t, file, tt.text)
			problem, models := tt.problem16, tt.models
			if dialect == native.Pi073 {
				if tt.problem073 != "" {
					problem = tt.problem073
				}
				if tt.only16 {
					models = "none"
				}
			}
			got := agentdir.ReadModels(dialect, dir)
			want := []string{problem, models}
			if diff := cmp.Diff(want, []string{strings.ReplaceAll(got.Problem, file, "FILE"), idsOf(got.List)}); diff != "" {
				t.Errorf("%s, %s: -want +got\n%s", tt.name, dialect, diff)
			}
		}
	}
}

func idsOf(models []native.Model) string {
	if models == nil {
		return ""
	}
	if len(models) == 0 {
		return "none"
	}
	ids := make([]string, len(models))
	for i := range models {
		ids[i] = models[i].ID
	}
	return strings.Join(ids, " ")
}
