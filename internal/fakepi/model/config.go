package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/provider"
)

// ErrForeign: a folder whose files are not ours to replace.
var ErrForeign = errors.New("not an agent folder of fakepi")

// Config is what a real Pi must be told so that it asks the endpoint, and that it shows itself as fakepi does: provider
// fake, model fake-1, the same prices and limits. What is zero is left to Pi.
type Config struct {
	URL              string        // of the endpoint: "http://127.0.0.1:8080"
	API              API           // default OpenAI
	Model            string        // default fake-1
	Thinks           bool          // the model reasons, at level medium; otherwise at level off
	ContextWindow    int64         // tokens; default that of the fake's model
	RetryDelay       time.Duration // before Pi's first retry; it doubles
	LibraryRetries   *int          // hidden retries of the client library (docs/pi-formats.md, section 11)
	IdleTimeout      time.Duration // after which Pi gives up a silent response (1.6)
	ReserveTokens    int64         // free in the context, below which Pi compacts
	KeepRecentTokens int64         // that a compaction keeps
}

// ConfigOf is what the steps of a worker want of a real Pi: the model's name, whether it thinks aloud, the first delay of
// a retry.
func ConfigOf(steps []script.Step) Config {
	var c Config
	for _, s := range steps {
		switch a := s.Action.(type) {
		case script.Spawn:
			c.Model = a.Model
		case script.Thinks:
			c.Thinks = c.Thinks || a.Text != script.Text{}
		case script.Retries:
			if !a.Hidden && c.RetryDelay == 0 {
				c.RetryDelay = a.Delay.D
			}
		}
	}
	return c
}

// The provider under which Pi knows the endpoint, and the key that it sends, which is how Write knows its own folders.
const (
	providerName = provider.Name
	apiKey       = "fakepi"
)

// Write writes models.json, settings.json and auth.json into an agent folder, each whole or not at all, and makes the
// folder. One that has other files is ErrForeign unless Write has written it before.
func (c Config) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := checkOwn(dir); err != nil {
		return err
	}
	files := []struct {
		name string
		v    any
	}{
		{"auth.json", object{providerName: object{"type": "api_key", "key": apiKey}}},
		{"settings.json", c.settings()},
		{"models.json", c.models()},
	}
	for _, f := range files {
		data, err := json.MarshalIndent(f.v, "", "  ")
		if err != nil {
			return err
		}
		if err := renameio.WriteFile(filepath.Join(dir, f.name), append(data, '\n'), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// checkOwn reports whether Write may write a folder: it is empty, or its models.json is one of Write's.
func checkOwn(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return err
	}
	foreign := fmt.Errorf("%w: %s; give an empty folder", ErrForeign, dir)
	data, err := os.ReadFile(filepath.Join(dir, "models.json"))
	if err != nil {
		return foreign
	}
	var models struct {
		Providers map[string]struct{ APIKey string } `json:"providers"`
	}
	if json.Unmarshal(data, &models) != nil || len(models.Providers) != 1 || models.Providers[providerName].APIKey != apiKey {
		return foreign
	}
	return nil
}

type object map[string]any

func (c Config) models() object {
	api, url := c.API, c.URL
	if api != Anthropic { // whose client library adds the version by itself
		api, url = OpenAI, url+"/v1"
	}
	id, price := c.id(), provider.Price()
	window := c.ContextWindow
	if window == 0 {
		window = provider.ContextWindow
	}
	return object{"providers": object{providerName: object{
		"baseUrl": url, "api": api, "apiKey": apiKey,
		"models": []object{{
			"id": id, "name": id, "reasoning": c.Thinks, "input": []string{"text"}, "contextWindow": window,
			"maxTokens": provider.MaxTokens, "cost": cost{price.Input, price.Output, price.CacheRead, price.CacheWrite},
		}},
	}}}
}

// cost has its keys in the order in which Pi shows what the file has.
type cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

func (c Config) id() string {
	if c.Model == "" {
		return provider.Model
	}
	return c.Model
}

func (c Config) settings() object {
	level := "off"
	if c.Thinks {
		level = "medium"
	}
	s := object{"defaultProvider": providerName, "defaultModel": c.id(), "defaultThinkingLevel": level}
	retry, compaction := object{}, object{}
	if c.RetryDelay > 0 {
		retry["baseDelayMs"] = c.RetryDelay.Milliseconds()
	}
	if c.LibraryRetries != nil {
		retry["provider"] = object{"maxRetries": *c.LibraryRetries}
	}
	if c.ReserveTokens > 0 {
		compaction["reserveTokens"] = c.ReserveTokens
	}
	if c.KeepRecentTokens > 0 {
		compaction["keepRecentTokens"] = c.KeepRecentTokens
	}
	if len(retry) > 0 {
		s["retry"] = retry
	}
	if len(compaction) > 0 {
		s["compaction"] = compaction
	}
	if c.IdleTimeout > 0 {
		s["httpIdleTimeoutMs"] = c.IdleTimeout.Milliseconds()
	}
	return s
}
