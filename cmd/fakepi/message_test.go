package main

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/fakepi/native"
)

// A folder as stdin is empty, as to the real Pi.
func TestFolderAsStdin(t *testing.T) {
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	o := options{dialect: native.Pi16, messages: []string{"go"}}
	if err := o.readMessages(dir, "/", true); err != nil || len(o.messages) != 1 || o.messages[0] != "go" {
		t.Errorf("got %q (%v), want the message alone", o.messages, err)
	}
}

// How @files stand in the first message: as the real Pi of each version was seen to put them.
func TestFilesOfMessage(t *testing.T) {
	png, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	omitted := "[Image omitted: could not be resized below the inline image size limit.]"
	tests := []struct{ name, data, want, pi073 string }{
		{"text", "a\xffb\n", "<file name=\"F\">\na\ufffdb\n\n</file>\nhi", ""},
		{"an empty file", "", "hi", ""},
		{"an image", string(png), "<file name=\"F\"></file>\nhi", ""},
		{"a cut one", string(png[:40]), "<file name=\"F\"></file>\nhi\n\n" + omitted, "<file name=\"F\">" + omitted + "</file>\nhi"},
		{"GIF", "GIF89a\x01\x00\x01\x00", "<file name=\"F\"></file>\nhi\n\n" + omitted, "<file name=\"F\">" + omitted + "</file>\nhi"},
		{"PNG without its header", "\x89PNG\r\n\x1a\nxxxx", "<file name=\"F\">\n\ufffdPNG\r\n\x1a\nxxxx\n</file>\nhi", ""},
		{"an icon", "\x00\x00\x01\x00", "<file name=\"F\">\n\x00\x00\x01\x00\n</file>\nhi", ""},
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, tt := range tests {
		for _, dialect := range []native.Dialect{native.Pi16, native.Pi073} {
			want := tt.want
			if dialect == native.Pi073 && tt.pi073 != "" {
				want = tt.pi073
			}
			dir := t.TempDir()
			file := filepath.Join(dir, "f")
			writeSettings(t, file, tt.data)
			o := parseOptions([]string{"-p", "hi", "@f", "then"}, dialect)
			if err := o.readMessages(null, dir, true); err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(strings.Join(o.messages, "|"), file, "F")
			if diff := cmp.Diff(want+"|then", got); diff != "" {
				t.Errorf("%s, %s: -want +got\n%s", tt.name, dialect, diff)
			}
		}
	}
}

// Sound images of @files go along with the first message, in each Pi's order of keys; a broken one does not.
func TestImagesOfMessage(t *testing.T) {
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	png, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		t.Fatal(err)
	}
	for dialect, keys := range map[native.Dialect]string{
		native.Pi16:  `{"type":"image","data":"` + pixel + `","mimeType":"image/png"}`,
		native.Pi073: `{"type":"image","mimeType":"image/png","data":"` + pixel + `"}`,
	} {
		home := t.TempDir()
		writeSettings(t, filepath.Join(home, "cut.png"), string(png[:40]))
		writeSettings(t, filepath.Join(home, "a.png"), string(png))
		p := setup{home: home, env: []string{"FAKEPI_DIALECT=" + string(dialect)}}.start(t, "--mode", "json", "@cut.png", "@a.png", "Look.")
		p.in.Close()
		if end := p.end(); end != "0" {
			t.Errorf("%s: it ended with %s", dialect, end)
		}
		out := strings.Join(p.seen, "")
		if got := strings.Count(out, `"type":"image"`); got != strings.Count(out, keys) || got < 2 {
			t.Errorf("%s: %d images, not all %s:\n%s", dialect, got, keys, out)
		}
	}
}
