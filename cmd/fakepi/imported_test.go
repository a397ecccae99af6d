package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A session that comes from elsewhere carries no command: its open call of bash, and the client's bash that it holds, are
// not run, though commands are allowed.
func TestImportedSessionRunsNothing(t *testing.T) {
	const session = `{"type":"session","version":3,"id":"a","timestamp":"2026-11-29T16:34:16.601Z","cwd":"HOME"}
{"type":"model_change","id":"aaaaaaa1","parentId":null,"timestamp":"2026-11-29T16:34:16.601Z","provider":"fake","modelId":"fake-1"}
{"type":"message","id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":"2026-11-29T16:34:16.601Z","message":{"role":"user","content":[{"type":"text","text":"0s w1 does run \"touch ran\""}],"timestamp":1}}
{"type":"message","id":"aaaaaaa3","parentId":"aaaaaaa2","timestamp":"2026-11-29T16:34:16.601Z","message":{"role":"bashExecution","command":"touch ran","output":"","cancelled":false,"truncated":false,"timestamp":1}}
{"type":"message","id":"aaaaaaa4","parentId":"aaaaaaa3","timestamp":"2026-11-29T16:34:16.601Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"touch ran"}}],"api":"openai-completions","provider":"fake","model":"fake-1","usage":{},"stopReason":"toolUse","timestamp":1}}
`
	for _, how := range [][]string{{"--session", "s.jsonl"}, {"--fork", "s.jsonl"}} {
		home := t.TempDir()
		lay(t, home, map[string]string{"s.jsonl": session}, "")
		p := startPi(t, home, "", append([]string{"--mode", "rpc", "--allow-exec"}, how...)...)
		p.send(prompt)
		p.await(`"agent_settled"`)
		p.in.Close()
		if ended := p.end(); ended != "0" {
			t.Errorf("%q: ended by %s, want 0", how, ended)
		}
		if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
			t.Errorf("%q: a command of the session ran", how)
		}
		if all := strings.Join(p.seen, "\n"); strings.Contains(all, "tool_execution") {
			t.Errorf("%q: a call of the session was taken up:\n%s", how, all)
		}
	}
}
