package fidelity

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/fidelity/realpi"
	"fakepi.example/internal/fakepi/model"
)

// writeConfig gives a Pi its settings and its models. A Pi that is not the first of its case finds the settings that were
// left, and asks a model at another address.
func writeConfig(c Case, at Place, url string, first bool) error {
	dir := realpi.AgentDir(at.Home)
	settings := filepath.Join(dir, "settings.json")
	left, readErr := os.ReadFile(settings)
	if readErr != nil && !errors.Is(readErr, fs.ErrNotExist) {
		return readErr
	}
	var err error
	if first || c.Script.Agent["models.json"] == nil {
		err = writeAll(c, dir, url)
	}
	err = errors.Join(err, writeAgent(c.Script, dir, url))
	switch {
	case err != nil || first:
		return err
	case readErr != nil:
		return os.Remove(settings)
	}
	return os.WriteFile(settings, left, 0o600)
}

// writeAll writes what a case begins with. Retries are short, and the provider's library makes none of its own (rule 8);
// what the script sets comes on top.
func writeAll(c Case, dir, url string) error {
	s := c.Script
	if s.Recorded != nil {
		return writeRecordedConfig(s.Recorded.Meta, dir, url)
	}
	config := model.ConfigOf(s.Worker.For(script.DefaultActor))
	config.URL, config.ContextWindow = url, s.Window
	if s.Anthropic {
		config.API = model.Anthropic
	}
	if !s.LibraryRetries {
		config.LibraryRetries = new(int)
	}
	if err := config.Write(dir); err != nil {
		return err
	}
	if len(s.Settings) == 0 {
		return nil
	}
	return mergeSettings(filepath.Join(dir, "settings.json"), s.Settings)
}

// writeAgent writes the script's own files of the agent folder.
func writeAgent(s *Script, dir, url string) error {
	for name, data := range s.Agent {
		text := strings.ReplaceAll(string(data), "$URL", url)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// mergeSettings puts keys into a file of settings.
func mergeSettings(file string, more json.RawMessage) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	settings := map[string]json.RawMessage{}
	if err := errors.Join(json.Unmarshal(text, &settings), json.Unmarshal(more, &settings)); err != nil {
		return err
	}
	if text, err = json.Marshal(settings); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// readSettings reads the settings that a Pi left, empty where there are none.
func readSettings(at Place) (string, error) {
	text, err := os.ReadFile(filepath.Join(realpi.AgentDir(at.Home), "settings.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}
