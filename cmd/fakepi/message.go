package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"strings"

	"golang.org/x/term"
)

// readMessages completes the messages of the command line: the first is what is piped in, then the @files, then its own
// text. The error is a usageError, or that of stdin.
func (o *options) readMessages(in *os.File, cwd string) error {
	var first strings.Builder
	if !term.IsTerminal(int(in.Fd())) {
		piped, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		first.WriteString(strings.TrimSpace(string(piped)))
	}
	for _, name := range o.files {
		text, err := readFileArg(name, cwd)
		if err != nil {
			return err
		}
		first.WriteString(text)
	}
	if len(o.messages) > 0 {
		first.WriteString(o.messages[0])
		o.messages = o.messages[1:]
	}
	if first.Len() > 0 {
		o.messages = append([]string{first.String()}, o.messages...)
	}
	return nil
}

// readFileArg is a file of the command line as the model is shown it; an empty one is not.
func readFileArg(name, cwd string) (string, error) {
	path := inFolder(cwd, underTilde(name))
	info, err := os.Stat(path)
	if err != nil {
		return "", usageError("File not found: " + path)
	}
	if info.Size() == 0 {
		return "", nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(http.DetectContentType(data), "image/") {
		return `<file name="` + path + "\"></file>\n", nil
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	return `<file name="` + path + "\">\n" + string(data) + "\n</file>\n", nil
}
