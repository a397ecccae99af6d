package fakepi_test

import (
	"strings"
	"testing"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// With a scope a session begins with its first model, or with the default if that is in it, and changes within it.
func TestScope(t *testing.T) {
	models := []native.Model{
		{Provider: "p", ID: "a", Reasoning: true, Input: []string{"text"}}, {Provider: "p", ID: "b", Reasoning: true, Input: []string{"text"}},
		{Provider: "p", ID: "c", Input: []string{"text"}},
	}
	both := []fakepi.ScopedModel{{Provider: "p", ID: "b", Level: "low"}, {Provider: "p", ID: "a"}}
	defaults := fakepi.Settings{Global: native.Object{
		{Key: "defaultProvider", Value: native.String("p")}, {Key: "defaultModel", Value: native.String("a")},
	}}
	tests := []struct {
		name     string
		scope    []fakepi.ScopedModel
		settings fakepi.Settings
		asked    string
		want     string // the model and its level, then those after two changes; null: there is no other
		want073  string // where it differs
	}{
		{name: "none", want: "a medium, b medium, c off"},
		{name: "two", scope: both, want: "b low, a low scoped, b low scoped"},
		{name: "the default is one of them", scope: both, settings: defaults, want: "a medium, b low scoped, a low scoped"},
		{name: "one", scope: both[:1], want: "b low, null, null"},
		{name: "another is asked for", scope: both, asked: "c", want: "c off, b low scoped, a low scoped", want073: "c off, a medium scoped, b low scoped"},
		{name: "none of them is there", scope: []fakepi.ScopedModel{{Provider: "p", ID: "z"}}, asked: "a", want: "a medium, null, null"},
	}
	for _, tt := range tests {
		for _, dialect := range []native.Dialect{native.Pi16, native.Pi073} {
			w, err := fakepi.New(fakepi.Config{Mode: "rpc", Driven: true, Dialect: dialect, Models: models, Model: tt.asked, Scope: tt.scope, Settings: tt.settings})
			if err != nil {
				t.Fatal(err)
			}
			w.Step(0, nil)
			var got []string
			for _, line := range []string{`{"type":"get_state"}`, `{"type":"cycle_model"}`, `{"type":"cycle_model"}`} {
				got = append(got, modelSaid(t, w.Send(0, []byte(line), nil)))
			}
			want := tt.want
			if dialect == native.Pi073 && tt.want073 != "" {
				want = tt.want073
			}
			if got := strings.Join(got, ", "); got != want {
				t.Errorf("%s, %s: got %s, want %s", tt.name, dialect, got, want)
			}
		}
	}
}

// modelSaid is the model that a response names, and its thinking level.
func modelSaid(t *testing.T, out []fakepi.Output) string {
	t.Helper()
	for _, o := range out {
		v, err := native.ParseValue(o.Data)
		if r, _ := v.(native.Object); err == nil && o.Stream == fakepi.Out && r.Get("type") == native.Value(native.String("response")) {
			data, ok := r.Get("data").(native.Object)
			if !ok {
				return "null"
			}
			said := string(data.Get("model").(native.Object).Get("id").(native.String)) + " " + string(data.Get("thinkingLevel").(native.String))
			if data.Get("isScoped") == native.Value(native.Bool(true)) {
				said += " scoped"
			}
			return said
		}
	}
	t.Fatal("no response")
	return ""
}
