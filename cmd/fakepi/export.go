package main

import (
	"bytes"
	"encoding/json"
	"html/template"
	"os"
	"path/filepath"
	"strings"

	"fakepi.example/fakepi/nodefs"
)

// export writes a session as a page that a browser shows, and returns the page's name. The error is a usageError, or that
// of a file.
func (s *sessions) export(name, output string) (string, error) {
	path := name
	if s.is16 {
		path, output = inFolder(s.cwd, disk{is16: true}.Path(name)), disk{is16: true}.Path(output)
	}
	if !nodefs.Exists(path) {
		return "", usageError("File not found: " + path)
	}
	if _, err := s.open(path); err != nil { // which also mends the file, as Pi's export does
		return "", err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if output == "" {
		output = "pi-session-" + strings.TrimSuffix(filepath.Base(path), ".jsonl") + ".html"
	}
	var page bytes.Buffer
	if err := pageOf(data).write(&page); err != nil {
		return "", err
	}
	return output, os.WriteFile(output, page.Bytes(), 0o644)
}

// sessionPage is what the page of a session shows.
type sessionPage struct {
	Title    string
	Messages []shownMessage
}

type shownMessage struct{ Role, Text string }

// pageOf takes the messages out of a session file; other entries are not shown.
func pageOf(data []byte) sessionPage {
	h, offset, _ := headerOf(data)
	p := sessionPage{Title: h.ID}
	for line := range bytes.Lines(data[offset:]) {
		var e infoEntry
		if json.Unmarshal(line, &e) != nil || e.Type != "message" {
			continue
		}
		p.Messages = append(p.Messages, shownMessage{e.Message.Role, shownText(e.Message.Content)})
	}
	return p
}

// shownText is the content of a message as text.
func shownText(content json.RawMessage) string {
	var blocks []struct {
		Type, Text, Thinking, Name string
		Arguments                  json.RawMessage
	}
	if json.Unmarshal(content, &blocks) != nil {
		return string(content)
	}
	var parts []string
	for _, b := range blocks {
		switch b.Type {
		case "toolCall":
			parts = append(parts, b.Name+" "+string(b.Arguments))
		default:
			parts = append(parts, b.Text+b.Thinking)
		}
	}
	return strings.Join(parts, "\n")
}

func (p sessionPage) write(w *bytes.Buffer) error {
	t, err := template.New("page").Parse(pageSource)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

const pageSource = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Session {{.Title}}</title>
<style>body{max-width:50em;margin:2em auto;font-family:sans-serif}pre{white-space:pre-wrap;background:#f4f4f4;padding:.5em}</style>
<h1>Session {{.Title}}</h1>
{{range .Messages}}<h2>{{.Role}}</h2>
<pre>{{.Text}}</pre>
{{end}}</html>
`
