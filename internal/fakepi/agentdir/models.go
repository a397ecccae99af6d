// Package agentdir is Pi's folder of settings, models, accounts and trust, as each Pi reads it (docs/pi-formats.md, section 6).
// What is wrong about a file is told in Pi's words.
package agentdir

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/provider"
	"fakepi.example/internal/fakepi/quirks/javascript"
	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// Models is what models.json says.
type Models struct {
	List    []native.Model // in its order, with Pi's defaults; nil: it has none, and the fake makes its own; empty: there is none to ask
	Problem string         // why it, or a provider of it, cannot be read, as Pi tells it; empty: it can
}

// ReadModels reads models.json of an agent folder. One that cannot be read leaves Pi without a model that it could ask.
func ReadModels(dialect native.Dialect, dir string) Models {
	path := filepath.Join(dir, "models.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return Models{}
	}
	unreadable := func(problem string) Models { return Models{[]native.Model{}, problem + "\n\nFile: " + path} }
	if err != nil {
		return unreadable("Failed to load models.json: " + nodefs.Words(err))
	}
	if dialect == native.Pi16 {
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	text = withoutComments(text)
	file, err := native.ParseValue(text)
	if err != nil {
		return unreadable("Failed to parse models.json: " + javascript.ParseError(dialect, text))
	}
	if problems := checkModels(dialect, file); len(problems) > 0 {
		return unreadable("Invalid models.json schema:\n  - " + strings.Join(problems, "\n  - "))
	}
	var read Models
	for _, p := range objectIn(file, "providers") {
		models, _ := valueIn(p.Value, "models").(native.Array)
		problem := checkProvider(dialect, p.Key, p.Value, models)
		if problem != "" && dialect != native.Pi16 {
			return unreadable("Failed to load models.json: " + problem)
		}
		if problem != "" { // Pi 1.6 leaves out the provider alone
			read.leaveOut(`Provider "` + p.Key + `": ` + problem)
			continue
		}
		for _, m := range models {
			read.List = append(read.List, modelOf(p.Key, p.Value, m))
		}
	}
	return read
}

// leaveOut notes why a provider is left out.
func (m *Models) leaveOut(problem string) {
	if m.Problem != "" {
		problem = m.Problem + "\n" + problem
	}
	m.Problem = problem
	if m.List == nil {
		m.List = []native.Model{}
	}
}

// commentForm is a comment, or a text, in which what looks like one is none; commaForm a comma behind the last of a list.
var (
	commentForm = regexp.MustCompile(`"(?:\\.|[^"\\])*"|//[^\n]*`)
	commaForm   = regexp.MustCompile(`"(?:\\.|[^"\\])*"|,\s*[}\]]`)
)

// withoutComments takes out what Pi allows in models.json beside JSON.
func withoutComments(text []byte) []byte {
	text = commentForm.ReplaceAllFunc(text, func(b []byte) []byte {
		if b[0] == '"' {
			return b
		}
		return nil
	})
	return commaForm.ReplaceAllFunc(text, func(b []byte) []byte {
		if b[0] == '"' {
			return b
		}
		return b[1:]
	})
}

// modelOf is a model of a provider of models.json.
func modelOf(name string, of, m native.Value) native.Model {
	text := func(key string) string { return cmp.Or(native.Text(valueIn(m, key)), native.Text(valueIn(of, key))) }
	number := func(key string, otherwise int64) int64 {
		if n, ok := valueIn(m, key).(native.Number); ok {
			return int64(n)
		}
		return otherwise
	}
	reasoning, _ := valueIn(m, "reasoning").(native.Bool)
	id := native.Text(valueIn(m, "id"))
	return native.Model{
		ID: id, Name: cmp.Or(native.Text(valueIn(m, "name")), id), API: text("api"), Provider: name, BaseURL: text("baseUrl"),
		Reasoning: bool(reasoning), ThinkingLevelMap: valueIn(m, "thinkingLevelMap"), Input: inputOf(m), Cost: costOf(m),
		ContextWindow: number("contextWindow", provider.ContextWindow), MaxTokens: number("maxTokens", provider.MaxTokens),
		Compat: compatOf(of, m),
	}
}

func inputOf(m native.Value) []string {
	input := []string{}
	kinds, ok := valueIn(m, "input").(native.Array)
	if !ok {
		return append(input, "text")
	}
	for _, kind := range kinds {
		input = append(input, native.Text(kind))
	}
	return input
}

func costOf(m native.Value) native.ModelCost {
	price := func(key string) float64 {
		n, _ := valueIn(objectIn(m, "cost"), key).(native.Number)
		return float64(n)
	}
	return native.ModelCost{Input: price("input"), Output: price("output"), CacheRead: price("cacheRead"), CacheWrite: price("cacheWrite")}
}

// compatOf is what the provider and the model say of how the provider's API is to be used; nil: nothing.
func compatOf(of, m native.Value) native.Value {
	own, all := objectIn(m, "compat"), objectIn(of, "compat")
	if own == nil && all == nil {
		return nil
	}
	for _, member := range own {
		all = with(all, member.Key, member.Value)
	}
	return all
}

// valueIn is a member of an object, nil where there is none.
func valueIn(v native.Value, key string) native.Value {
	o, _ := v.(native.Object)
	return o.Get(key)
}

func objectIn(v native.Value, key string) native.Object {
	o, _ := valueIn(v, key).(native.Object)
	return o
}
