package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"fakepi.example/fakepi"
	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// systemPrompt is what options and files say of the system prompt of a session in a working directory: SYSTEM.md and
// APPEND_SYSTEM.md of its .pi, if it is trusted, or else of the agent's folder stand in for options that are not given
// (docs/pi-formats.md, section 2).
func (l *launch) systemPrompt(cwd string, trusted bool) (p fakepi.SystemPrompt) {
	o := &l.options
	find := func(name string) string {
		if path := filepath.Join(cwd, ".pi", name); trusted && nodefs.Exists(path) {
			return path
		}
		if path := filepath.Join(l.agent, name); nodefs.Exists(path) {
			return path
		}
		return ""
	}
	if !o.noContext {
		p.Context = l.contextFiles(cwd)
	}
	own, added := o.systemPrompt, o.appended
	if own == nil {
		found := find("SYSTEM.md")
		own = &found
	}
	if added == nil {
		added = []string{find("APPEND_SYSTEM.md")}
	}
	p.Own = promptText(*own, "system prompt")
	for _, text := range added {
		if text != "" {
			p.Added = append(p.Added, promptText(text, "append system prompt"))
		}
	}
	return p
}

// promptText is a text, or that of the file that it names. A file that cannot be read stays a name, with a warning.
func promptText(text, what string) string {
	if text == "" || !nodefs.Exists(text) {
		return text
	}
	data, err := nodefs.ReadText(text)
	if err != nil {
		fmt.Fprintf(os.Stderr, "Warning: Could not read %s file %s: Error: %s\n", what, text, nodefs.Words(err))
		return text
	}
	return data
}

// contextFiles are the files with instructions for a project: that of the agent's folder, then those from the root down to
// the working directory.
func (l *launch) contextFiles(cwd string) []fakepi.ContextFile {
	var files []fakepi.ContextFile
	own, ok := l.contextFile(l.agent)
	for dir := filepath.Clean(cwd); ; dir = filepath.Dir(dir) {
		if f, ok := l.contextFile(dir); ok && f.Path != own.Path {
			files = append(files, f)
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if ok {
		files = append(files, own)
	}
	slices.Reverse(files)
	return files
}

// contextFile finds a folder's file with instructions. One that cannot be read is passed over with a warning.
func (l *launch) contextFile(dir string) (f fakepi.ContextFile, ok bool) {
	for _, name := range l.rules.contextNames {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil || l.rules.contextRegular && !info.Mode().IsRegular() {
			continue
		}
		text, err := nodefs.ReadText(path)
		if err == nil {
			return fakepi.ContextFile{Path: path, Text: text}, true
		}
		fmt.Fprintf(os.Stderr, "Warning: Could not read %s: Error: %s\n", path, nodefs.Words(err))
	}
	return f, false
}
