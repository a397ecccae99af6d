package fakepi

import (
	"bytes"
	"html"
	"strings"

	"fakepi.example/fakepi/native"
)

// SessionPage is a session as a page for a browser, without the looks of Pi's: the messages among the lines of its file.
func SessionPage(id string, lines []byte) string {
	var page strings.Builder
	title := html.EscapeString("Session " + id)
	page.WriteString(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>` + title + `</title>
<style>body{max-width:50em;margin:2em auto;font-family:sans-serif}pre{white-space:pre-wrap;background:#f4f4f4;padding:.5em}</style>
<h1>` + title + `</h1>
`)
	for line := range bytes.Lines(lines) {
		v, _ := native.ParseValue(line) // a line that is torn is left out, as others that are no messages
		if entry, _ := v.(native.Object); entry.Text("type") == "message" {
			m, _ := entry.Get("message").(native.Object)
			page.WriteString("<h2>" + html.EscapeString(m.Text("role")) + "</h2>\n<pre>" + html.EscapeString(pageText(m.Get("content"))) + "</pre>\n")
		}
	}
	page.WriteString("</html>\n")
	return page.String()
}

// pageText is the content of a message as text: of its parts each on lines of its own.
func pageText(content native.Value) string {
	blocks, ok := content.(native.Array)
	if !ok {
		return native.Text(content)
	}
	var parts []string
	for _, block := range blocks {
		b, _ := block.(native.Object)
		switch b.Text("type") {
		case "toolCall":
			parts = append(parts, b.Text("name")+" "+string(native.AppendValue(nil, b.Get("arguments"))))
		default:
			parts = append(parts, b.Text("text")+b.Text("thinking"))
		}
	}
	return strings.Join(parts, "\n")
}
