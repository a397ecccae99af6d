package main

import (
	"regexp"
	"slices"
	"strings"
)

// packageForm is an extension that Pi would fetch.
var packageForm = regexp.MustCompile(`^\s*(npm|git|github|https?|ssh):`)

// builtinExtensions are those of Pi 1.6 itself.
var builtinExtensions = []string{"llama.cpp", "codemode", "tool-search", "mcp"}

// checkExtensions diagnoses extensions of the command line that are not there: first Pi's own, then files. The others have
// no effect on a fake, which does not read them.
func (o *options) checkExtensions(cwd string) {
	var files []string
	for _, name := range o.extensions {
		builtin, ok := strings.CutPrefix(name, "builtin:")
		switch {
		case packageForm.MatchString(name):
		case !ok || !o.is16():
			files = append(files, name)
		case !slices.Contains(builtinExtensions, builtin):
			o.failExtension(name, "Unknown built-in extension: "+name)
		}
	}
	for _, name := range files {
		if path := inFolder(cwd, disk{is16: o.is16()}.Path(name)); !exists(path) {
			o.failExtension(path, "Extension path does not exist: "+path)
		}
	}
}

func (o *options) failExtension(name, why string) {
	o.fail(`Failed to load extension "` + name + `": ` + why)
	if o.is16() {
		o.hint = `Hint: Start without extensions using "pi -ne".`
	}
}
