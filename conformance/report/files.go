package report

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// The files of WriteDir.
const (
	FileJSON  = "report.json"
	FileText  = "report.txt"
	FileJUnit = "junit.xml"
)

// WriteDir writes report.json, report.txt and junit.xml into a folder, which is made if need be. A reader sees the old file or the
// new one, never half of one.
func (r Report) WriteDir(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var doc, text, tests bytes.Buffer
	if err := r.JSON(&doc); err != nil {
		return err
	}
	if err := r.text(&text, false, 0); err != nil {
		return err
	}
	if err := r.JUnit(&tests); err != nil {
		return err
	}
	if err := renameio.WriteFile(filepath.Join(dir, FileJUnit), tests.Bytes(), 0o644); err != nil {
		return err
	}
	if err := renameio.WriteFile(filepath.Join(dir, FileJSON), doc.Bytes(), 0o644); err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(dir, FileText), text.Bytes(), 0o644)
}
