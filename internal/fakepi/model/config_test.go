package model_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/model"
)

func readJSON(t *testing.T, file string) any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return v
}

type object = map[string]any

// What is left out of a Config is left to Pi; the model's name, prices and limits are those that fakepi shows.
func TestConfig(t *testing.T) {
	none := 0
	fake := object{
		"id": "fake-1", "name": "fake-1", "reasoning": false, "input": []any{"text"}, "contextWindow": 128000.0, "maxTokens": 16384.0,
		"cost": object{"input": 3.0, "output": 15.0, "cacheRead": 0.3, "cacheWrite": 3.75},
	}
	other := object{}
	for k, v := range fake {
		other[k] = v
	}
	other["id"], other["name"], other["reasoning"], other["contextWindow"] = "m", "m", true, 8000.0
	tests := []struct {
		config   model.Config
		provider object
		settings object
	}{
		{
			model.Config{URL: "http://127.0.0.1:1"},
			object{"baseUrl": "http://127.0.0.1:1/v1", "api": "openai-completions", "apiKey": "fakepi", "models": []any{fake}},
			object{"defaultProvider": "fake", "defaultModel": "fake-1", "defaultThinkingLevel": "off"},
		},
		{
			model.Config{
				URL: "http://[::1]:2", API: model.Anthropic, Model: "m", Thinks: true, ContextWindow: 8000, RetryDelay: 300 * time.Millisecond,
				LibraryRetries: &none, IdleTimeout: time.Minute, ReserveTokens: 1000, KeepRecentTokens: 600,
			},
			object{"baseUrl": "http://[::1]:2", "api": "anthropic-messages", "apiKey": "fakepi", "models": []any{other}},
			object{
				"defaultProvider": "fake", "defaultModel": "m", "defaultThinkingLevel": "medium", "httpIdleTimeoutMs": 60000.0,
				"retry":      object{"baseDelayMs": 300.0, "provider": object{"maxRetries": 0.0}},
				"compaction": object{"reserveTokens": 1000.0, "keepRecentTokens": 600.0},
			},
		},
	}
	for _, tt := range tests {
		dir := filepath.Join(t.TempDir(), "a", "agent")
		if err := tt.config.Write(dir); err != nil {
			t.Fatal(err)
		}
		want := object{"providers": object{"fake": tt.provider}}
		if d := cmp.Diff(any(want), readJSON(t, dir+"/models.json")); d != "" {
			t.Errorf("models: -want +got\n%s", d)
		}
		if d := cmp.Diff(any(tt.settings), readJSON(t, dir+"/settings.json")); d != "" {
			t.Errorf("settings: -want +got\n%s", d)
		}
		if d := cmp.Diff(any(object{"fake": object{"type": "api_key", "key": "fakepi"}}), readJSON(t, dir+"/auth.json")); d != "" {
			t.Errorf("auth: -want +got\n%s", d)
		}
	}
}

// A folder that somebody else has filled stays as it is; one of our own is written again, whatever Pi has added.
func TestConfigFolders(t *testing.T) {
	const theirs = `{"providers":{"fake":{"apiKey":"secret"}}}`
	tests := []struct {
		name, file, text string
		want             error
	}{
		{"empty", "", "", nil},
		{"a stranger's notes", "notes.md", "x", model.ErrForeign},
		{"a stranger's models", "models.json", theirs, model.ErrForeign},
		{"a broken file", "models.json", "{", model.ErrForeign},
		{"more providers", "models.json", `{"providers":{"fake":{"apiKey":"fakepi"},"b":{}}}`, model.ErrForeign},
		{"ours", "models.json", `{"providers":{"fake":{"apiKey":"fakepi"}}}`, nil},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		if tt.file != "" {
			if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := (model.Config{URL: "http://127.0.0.1:1"}).Write(dir); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
		files, err := os.ReadDir(dir)
		if err != nil || tt.want != nil && len(files) != 1 || tt.want == nil && len(files) != 3 {
			t.Errorf("%s: got files %v (%v)", tt.name, files, err)
		}
	}
	dir := t.TempDir()
	for range 2 {
		if err := (model.Config{}).Write(dir); err != nil {
			t.Error(err)
		}
		if err := os.MkdirAll(dir+"/sessions", 0o755); err != nil { // as Pi does
			t.Fatal(err)
		}
	}
}

// A script says what it wants of a real Pi.
func TestConfigOf(t *testing.T) {
	s, err := script.Parse("s", []byte("0s spawn model=slow-1\n+0s prompt \"x\"\n+1s refused transient\n+0s retries 300ms\n+1s thinks \"hm\"\n+0s refused transient\n+0s retries 600ms\n+0s stalls"))
	if err != nil {
		t.Fatal(err)
	}
	want := model.Config{Model: "slow-1", Thinks: true, RetryDelay: 300 * time.Millisecond}
	if d := cmp.Diff(want, model.ConfigOf(s.Steps)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}
