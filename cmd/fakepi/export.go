package main

import (
	"os"
	"path/filepath"
	"strings"

	"fakepi.example/fakepi"
	"fakepi.example/internal/fakepi/quirks/nodefs"
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
	h, offset, _ := headerOf(data)
	return output, os.WriteFile(output, []byte(fakepi.SessionPage(h.ID, data[offset:])), 0o644)
}
