package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A Pi without models goes on, and refuses what would ask one.
func TestNoModels(t *testing.T) {
	for _, dialect := range []string{"pi-1.6", "pi-0.73"} {
		home := t.TempDir()
		writeSettings(t, filepath.Join(home, ".pi/agent/models.json"), `{"providers":`)
		p := setup{home: home, env: []string{"FAKEPI_DIALECT=" + dialect}}.start(t, "--mode", "rpc")
		p.send(`{"type":"get_state"}`)
		p.await(`"data":{"model":{"id":"unknown","name":"unknown","api":"unknown","provider":"unknown","baseUrl":"","reasoning":false,"input":[],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":0,"maxTokens":0},"thinkingLevel":"off"`)
		p.send(`{"type":"prompt","message":"go"}`)
		p.await(`"success":false,"error":"No API key found for the selected model.\n\nUse /login`)
		p.send(`{"type":"get_available_models"}`)
		p.await(`"data":{"models":[]}`)
		p.send(`{"type":"set_model","provider":"p","modelId":"a"}`)
		p.await(`"success":false,"error":"Model not found: p/a"`)
		p.in.Close()
		if got, warned := p.end(), strings.HasPrefix(p.err.String(), "Warning: No models available. Use /login"); got != "0" || warned != (dialect == "pi-1.6") {
			t.Errorf("%s: ended by %s: %s", dialect, got, p.err.String())
		}

		for _, mode := range []string{"json", "text"} {
			p = setup{home: home, env: []string{"FAKEPI_DIALECT=" + dialect}}.start(t, "--mode", mode, "-p", "one", "two")
			p.in.Close()
			got := p.end()
			if n := strings.Count(p.err.String(), "No API key found"); got != "1" || n != 1 || strings.Contains(strings.Join(p.seen, ""), "agent_start") {
				t.Errorf("%s, %s: ended by %s, which says %q on stderr, on stdout %q", dialect, mode, got, p.err.String(), p.seen)
			}
		}
	}
}
