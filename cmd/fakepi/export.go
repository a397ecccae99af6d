package main

import (
	"os"
	"path/filepath"
	"strings"

	"fakepi.example/fakepi"
	"fakepi.example/internal/fakepi/cli/disk"
	"fakepi.example/internal/fakepi/cli/refusal"
	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// export writes a session as a page that a browser shows, and returns the page's name. The error is a usageError, or that
// of a file.
func (s *sessions) export(name, page string) (string, error) {
	path, output := s.rules.disk.Path(name), s.rules.disk.Path(page)
	if s.rules.completes {
		path = disk.InFolder(s.cwd, path)
	}
	if !nodefs.Exists(path) {
		return "", refusal.UsageError("File not found: " + path)
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
