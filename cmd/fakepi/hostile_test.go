package main

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Clients that send anything to a process, about files of every damage: it answers in whole lines of JSON, and ends by itself
// when its stdin does. (fakepi's TestClient draws ten thousand such clients for the worker alone.)
func TestHostileClients(t *testing.T) {
	t.Parallel()
	whole := wholeSession(t)
	long := strings.Repeat("long ", 300_000)
	files := map[string]string{
		"whole": whole, "empty": "", "torn": whole[:len(whole)*2/3], "headless": whole[strings.Index(whole, "\n")+1:], "crlf": strings.ReplaceAll(whole, "\n", "\r\n"),
		"binary": "\x7fELF\x00\xff\n\x00", "version": strings.Replace(whole, `"version":3`, `"version":1e400`, 1), "circle": strings.ReplaceAll(whole, `"parentId":null`, `"parentId":"`+lastID(whole)+`"`),
		"elsewhere": strings.Replace(whole, `"cwd":"`, `"cwd":"/no/such/folder`, 1), "long": whole + `{"type":"custom","id":"l","parentId":null,"data":"` + long + "\"}\n", "deep": whole + strings.Repeat("[", 50_000) + "\n",
	}
	lines := []string{
		`{"type":"prompt","message":"x"}`, `{"type":"steer","message":"` + long + `"}`, `{"type":"switch_session","sessionPath":"FILE"}`, `{"type":"switch_session","sessionPath":"FILE"}`,
		`{"type":"get_entries"}`, `{"type":"get_tree"}`, `{"type":"get_messages"}`, `{"type":"get_state"}`, `{"type":"clone"}`, `{"type":"fork","entryId":"` + lastID(whole) + `"}`, `{"type":"get_fork_messages"}`,
		`{"type":"get_session_stats"}`, `{"type":"export_html","outputPath":"x.html"}`, `{"type":"export_html","outputPath":"FILE/x"}`, `{"type":"new_session"}`, `{"type":"compact"}`, `{"type":"abort"}`,
		`{"type":"bash","command":"ls"}`, `{"type":"set_session_name","name":"\u0000\ud83d"}`, "\xff\xfe", "\x00", "{\"type\":\"get_state\",\"id\":\"\u2028\"}\r", `{"type":"b","id":[1e400,{}]}`, strings.Repeat("[", 8_000_000), "",
	}
	for seed := range uint64(12) {
		dialect := []string{"pi-1.6", "pi-0.73"}[seed%2]
		r := rand.New(rand.NewPCG(seed, 2))
		home := t.TempDir()
		var paths []string
		for _, name := range slices.Sorted(maps.Keys(files)) {
			path := filepath.Join(home, name+".jsonl")
			if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		p := setup{home: home, script: "0s prompt \"x\"\n+1s says \"a b\" over 1s\n+0s settles\n", env: []string{"FAKEPI_TIME=virtual", "FAKEPI_DIALECT=" + dialect}}.start(t, "--mode", "rpc")
		var sent strings.Builder
		for range 60 {
			sent.WriteString(strings.ReplaceAll(lines[r.IntN(len(lines))], "FILE", paths[r.IntN(len(paths))]) + "\n")
		}
		written := make(chan error, 1)
		go func() {
			_, err := p.in.Write([]byte(sent.String()))
			written <- errors.Join(err, p.in.Close())
		}()
		if got := p.end(); got != "0" || p.err.Len() > 0 {
			t.Errorf("%s, seed %d: ended by %s: %s", dialect, seed, got, p.err.String())
		}
		if err := <-written; err != nil && !errors.Is(err, syscall.EPIPE) {
			t.Error(err)
		}
		for _, line := range p.seen {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s, seed %d: no JSON: %.200s", dialect, seed, line)
			}
		}
		if len(p.seen) < 30 {
			t.Errorf("%s, seed %d: only %d lines", dialect, seed, len(p.seen))
		}
	}
}

// lastID is the id of the last entry of a session file.
func lastID(session string) string {
	id := session[strings.LastIndex(session, `"id":"`)+len(`"id":"`):]
	return id[:8]
}
