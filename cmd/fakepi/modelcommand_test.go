package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fakepi.example/internal/fakepi/model"
)

// served is a model command that runs.
type served struct {
	t    *testing.T
	url  string
	line string // its first
	code chan int
	stop func()
}

// startModel runs the command with a script of two replies.
func startModel(t *testing.T, args ...string) *served {
	t.Helper()
	file := filepath.Join(t.TempDir(), "two.txtar")
	src := "0s prompt \"one\"\n+0s thinks \"hm\"\n+0s says \"first\"\n+0s settles\n+1s prompt \"two\"\n+0s says \"second\"\n+0s settles\n"
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	r, w := io.Pipe()
	s := &served{t: t, code: make(chan int, 1), stop: stop}
	go func() {
		code := run(ctx, append([]string{"model", "--script", file}, args...), strings.NewReader(""), w, io.Discard)
		w.Close()
		s.code <- code
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("no address (%v), exit %d", err, <-s.code)
	}
	s.line, s.url = line, strings.TrimSpace(line)
	return s
}

func (s *served) ask(prompt string) string {
	s.t.Helper()
	body := `{"model":"fake-1","stream":true,"messages":[{"role":"user","content":"` + prompt + `"}]}`
	resp, err := http.Post(s.url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// The command prints where it is, answers in order, logs, and ends when it is told to.
func TestModelServes(t *testing.T) {
	dir := t.TempDir()
	s := startModel(t, "--write-config", dir+"/agent", "--log", dir+"/log.jsonl", "--library-retries", "0")
	for _, tt := range []struct{ prompt, want string }{{"one", "first"}, {"two", "second"}, {"three", "Noted."}} {
		if got := s.ask(tt.prompt); !strings.Contains(got, `"content":"`+tt.want+`"`) {
			t.Errorf("%s: got %s, want %s", tt.prompt, got, tt.want)
		}
	}
	s.stop()
	if code := <-s.code; code != exitOK {
		t.Errorf("exit %d, want %d", code, exitOK)
	}
	data, err := os.ReadFile(dir + "/agent/models.json")
	if err != nil || !strings.Contains(string(data), `"baseUrl": "`+s.url+`/v1"`) || !strings.Contains(string(data), `"reasoning": true`) {
		t.Errorf("models.json: %s (%v), want the address and a model that reasons", data, err)
	}
	settings, err := os.ReadFile(dir + "/agent/settings.json")
	if err != nil || !strings.Contains(string(settings), `"maxRetries": 0`) {
		t.Errorf("settings.json: %s (%v), want no hidden retries", settings, err)
	}
	log, err := os.ReadFile(dir + "/log.jsonl")
	var first model.Record
	if line, _, _ := strings.Cut(string(log), "\n"); err != nil || json.Unmarshal([]byte(line), &first) != nil || first.Event != "request" || first.N != 1 {
		t.Errorf("log: %s (%v), want a request first", log, err)
	}
}

// With --once it ends by itself behind the last reply.
func TestModelOnce(t *testing.T) {
	s := startModel(t, "--once", "--json", "--listen", "localhost:0")
	var address struct{ URL string }
	if err := json.Unmarshal([]byte(s.line), &address); err != nil {
		t.Fatalf("%q: %v", s.line, err)
	}
	s.url = address.URL
	for _, prompt := range []string{"one", "two"} {
		if got := s.ask(prompt); !strings.HasSuffix(got, "data: [DONE]\n\n") {
			t.Errorf("%s: got %s, want a whole reply", prompt, got)
		}
	}
	if code := <-s.code; code != exitOK {
		t.Errorf("exit %d, want %d", code, exitOK)
	}
}
