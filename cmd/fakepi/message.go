package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"

	"golang.org/x/term"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/cli/disk"
	"fakepi.example/internal/fakepi/cli/refusal"
)

// readMessages completes the messages of the command line: the first is what is piped in, then the @files, then its own
// text; behind it or beside the file stands what Pi has done to images, which go along, and are made to fit unless a setting forbids that.
// The error is a usageError, or that of stdin.
func (o *options) readMessages(in *os.File, cwd string, resize bool) error {
	var first strings.Builder
	var notes []string
	if !term.IsTerminal(int(in.Fd())) {
		piped, err := io.ReadAll(in)
		if err != nil && !errors.Is(err, syscall.EISDIR) { // to Node a folder is empty
			return err
		}
		first.WriteString(strings.TrimSpace(string(piped)))
	}
	for _, name := range o.files {
		f, err := readFileArg(disk.InFolder(cwd, disk.UnderTilde(name)))
		if err != nil {
			return err
		}
		if f.mime != "" {
			told := o.attachImage(f, resize)
			if o.rules.imagesLast {
				notes = append(notes, told...)
			} else {
				f.text = strings.Join(told, "\n")
			}
		}
		first.WriteString(f.shown())
	}
	if len(o.messages) > 0 {
		first.WriteString(o.messages[0])
		o.messages = o.messages[1:]
	}
	if len(notes) > 0 {
		first.WriteString("\n\n" + strings.Join(notes, "\n"))
	}
	if first.Len() > 0 {
		o.messages = append([]string{first.String()}, o.messages...)
	}
	return nil
}

// attachImage has an image go along, and returns what is told of it.
func (o *options) attachImage(f fileArg, resize bool) (notes []string) {
	b, notes := fakepi.FitImage(f.data, f.mime, resize)
	if b == nil {
		return notes
	}
	if o.rules.imageKeys != nil {
		b.Odd = &native.Odd{Keys: o.rules.imageKeys}
	}
	o.images = append(o.images, b)
	return notes
}

// fileArg is a file of the command line.
type fileArg struct {
	path  string
	data  []byte
	mime  string // of an image that Pi can show
	text  string // what stands for it, of a text with the line feeds around it
	empty bool
}

// shown is the file as the model is shown it; an empty one is not.
func (f *fileArg) shown() string {
	if f.empty {
		return ""
	}
	return `<file name="` + f.path + `">` + f.text + "</file>\n"
}

// readFileArg reads a file of the command line. The error is a usageError, or that of the file.
func readFileArg(path string) (f fileArg, err error) {
	f.path = path
	info, err := os.Stat(path)
	if err != nil {
		return f, refusal.UsageError("File not found: " + path)
	}
	if f.empty = info.Size() == 0; f.empty {
		return f, nil
	}
	if f.data, err = os.ReadFile(path); err != nil {
		return f, err
	}
	if f.mime = imageType(f.data); f.mime == "" {
		f.text = "\n" + strings.TrimPrefix(string(native.DecodeUTF8(f.data)), "\ufeff") + "\n"
	}
	return f, nil
}

// imageType is the MIME type of a file that Pi takes for an image which it can show, by its first bytes, of a PNG by its
// header; empty: it is none.
func imageType(data []byte) string {
	for _, kind := range []struct{ magic, mime string }{
		{"\xff\xd8\xff", "image/jpeg"}, {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/png"}, {"GIF87a", "image/gif"}, {"GIF89a", "image/gif"},
	} {
		if bytes.HasPrefix(data, []byte(kind.magic)) {
			return kind.mime
		}
	}
	if len(data) >= 12 && bytes.HasPrefix(data, []byte("RIFF")) && string(data[8:12]) == "WEBP" {
		return "image/webp"
	}
	return ""
}
