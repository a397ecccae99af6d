package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where the command export_html writes, what it answers, and why it does not: as the real Pi of each version was seen to do.
func TestExportHTML(t *testing.T) {
	tests := []struct {
		output      string // HOME stands for the home, which is also the working directory
		pi16, pi073 string // the path that is answered, or why there is none
		file        string // the page
		reason      string
	}{
		{`"HOME/x.html"`, "HOME/x.html", "HOME/x.html", "x.html", ""},
		{`"rel.html"`, "rel.html", "rel.html", "rel.html", "the path comes back as it was sent"},
		{`"none/x.html"`, "ENOENT: no such file or directory, open 'none/x.html'", "ENOENT: no such file or directory, open 'none/x.html'", "", "no folder is made"},
		{`"HOME"`, "EISDIR: illegal operation on a directory, open 'HOME'", "EISDIR: illegal operation on a directory, open 'HOME'", "", ""},
		{`"a\u0000b"`, `The argument 'path' must be a string, Uint8Array, or URL without null bytes. Received 'a\x00b'`,
			`The argument 'path' must be a string, Uint8Array, or URL without null bytes. Received 'a\x00b'`, "", ""},
		{`true`, "normalized.startsWith is not a function", `The "path" argument must be of type string or an instance of Buffer or URL. Received type boolean (true)`, "", ""},
		{`"~/h.html"`, "HOME/h.html", "ENOENT: no such file or directory, open '~/h.html'", "", "Pi 1.6 knows the home"},
		{`"file://HOME/u.html"`, "HOME/u.html", "ENOENT: no such file or directory, open 'file://HOME/u.html'", "", "and URLs"},
	}
	for _, dialect := range []string{"pi-1.6", "pi-0.73"} {
		p := setup{script: "0s prompt \"x\"\n+1s says \"<Hello>\"\n+0s settles\n", env: []string{"FAKEPI_DIALECT=" + dialect}}.start(t, "--mode", "rpc")
		p.send(`{"type":"export_html","outputPath":"early.html"}`)
		p.await(`"error":"Nothing to export yet - start a conversation first"`)
		p.send(`{"type":"prompt","message":"x"}`)
		p.await(`"type":"agent_end"`)
		for _, tt := range tests {
			want := tt.pi16
			if dialect == "pi-0.73" {
				want = tt.pi073
			}
			want = strings.ReplaceAll(want, "HOME", p.home)
			p.send(`{"type":"export_html","outputPath":` + strings.ReplaceAll(tt.output, "HOME", p.home) + `}`)
			var answer struct {
				Data  struct{ Path string }
				Error string
			}
			if err := json.Unmarshal([]byte(p.await(`"command":"export_html"`)), &answer); err != nil {
				t.Fatal(err)
			}
			if got := answer.Data.Path + answer.Error; got != want {
				t.Errorf("%s, %s (%s): got %q, want %q", dialect, tt.output, tt.reason, got, want)
			}
			if tt.file == "" {
				continue
			}
			page, err := os.ReadFile(filepath.Join(p.home, tt.file))
			if err != nil || !strings.Contains(string(page), "&lt;Hello&gt;") {
				t.Errorf("%s, %s: got page %q, %v", dialect, tt.output, page, err)
			}
		}
		p.in.Close()
		if got := p.end(); got != "0" {
			t.Errorf("%s: ended by %s", dialect, got)
		}
	}
}
