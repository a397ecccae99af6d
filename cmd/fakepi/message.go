package main

import (
	"bytes"
	"errors"
	"image"
	_ "image/gif" // so that image.Decode knows what is broken
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
	"strings"
	"syscall"

	"golang.org/x/term"

	"fakepi.example/fakepi/native"
)

// readMessages completes the messages of the command line: the first is what is piped in, then the @files, then its own
// text; Pi 1.6 tells behind it of images that it cannot read. The error is a usageError, or that of stdin.
func (o *options) readMessages(in *os.File, cwd string) error {
	var first, omitted strings.Builder
	if !term.IsTerminal(int(in.Fd())) {
		piped, err := io.ReadAll(in)
		if err != nil && !errors.Is(err, syscall.EISDIR) { // to Node a folder is empty
			return err
		}
		first.WriteString(strings.TrimSpace(string(piped)))
	}
	for _, name := range o.files {
		f, err := readFileArg(inFolder(cwd, underTilde(name)))
		switch {
		case err != nil:
			return err
		case f.broken && o.is16():
			omitted.WriteString("\n" + imageOmitted)
		case f.broken:
			f.text = imageOmitted
		}
		first.WriteString(f.shown())
	}
	if len(o.messages) > 0 {
		first.WriteString(o.messages[0])
		o.messages = o.messages[1:]
	}
	if omitted.Len() > 0 {
		first.WriteString("\n" + omitted.String())
	}
	if first.Len() > 0 {
		o.messages = append([]string{first.String()}, o.messages...)
	}
	return nil
}

// imageOmitted stands for an image that cannot be read.
const imageOmitted = "[Image omitted: could not be resized below the inline image size limit.]"

// fileArg is a file of the command line.
type fileArg struct {
	path   string
	text   string // of one that is no image, with the line feeds around it
	empty  bool
	broken bool // an image that cannot be read
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
		return f, usageError("File not found: " + path)
	}
	if f.empty = info.Size() == 0; f.empty {
		return f, nil
	}
	data, err := os.ReadFile(path)
	switch {
	case err != nil:
	case isImage(data):
		_, _, wrong := image.Decode(bytes.NewReader(data))
		f.broken = wrong != nil && !isWebP(data) // which is taken on trust
	default:
		f.text = "\n" + strings.TrimPrefix(string(native.DecodeUTF8(data)), "\ufeff") + "\n"
	}
	return f, err
}

// isImage reports whether Pi takes a file for an image that it can show: by its first bytes, and of a PNG by its header.
func isImage(data []byte) bool {
	const png = "\x89PNG\r\n\x1a\n"
	for _, magic := range []string{"\xff\xd8\xff", png + "\x00\x00\x00\rIHDR", "GIF87a", "GIF89a"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return true
		}
	}
	return isWebP(data)
}

func isWebP(data []byte) bool {
	return len(data) >= 12 && bytes.HasPrefix(data, []byte("RIFF")) && string(data[8:12]) == "WEBP"
}
