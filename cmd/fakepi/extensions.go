package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"fakepi.example/internal/fakepi/cli/disk"
	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// packageForm is an extension that Pi would fetch.
var packageForm = regexp.MustCompile(`^\s*(npm|git|github|https?|ssh):`)

// moduleSuffixes are those of files that Pi loads.
var moduleSuffixes = []string{"", ".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"}

// checkExtensions diagnoses extensions of the command line that are not there, or can be none: first Pi's own, then files.
// The others have no effect on a fake, which does not run them.
func (o *options) checkExtensions(cwd string) {
	var files []string
	for _, name := range o.extensions {
		builtin, ok := strings.CutPrefix(name, "builtin:")
		switch {
		case packageForm.MatchString(name):
		case !ok || o.rules.builtins == nil:
			files = append(files, name)
		case !slices.Contains(o.rules.builtins, builtin):
			o.failExtension(name, "Unknown built-in extension: "+name)
		}
	}
	for _, name := range files {
		path := disk.InFolder(cwd, disk.Of(o.dialect).Path(name))
		if why := extensionProblem(path); why != "" {
			o.failExtension(path, why)
		}
	}
}

// extensionProblem is why the extension at a path cannot be loaded, whatever it would do; empty: nobody can tell who does
// not run it.
func extensionProblem(path string) string {
	const failed = "Failed to load extension: "
	info, err := os.Stat(path)
	if err != nil {
		return "Extension path does not exist: " + path
	}
	if info.IsDir() {
		return ""
	}
	if suffix := filepath.Ext(path); !slices.Contains(moduleSuffixes, suffix) {
		return failed + `Unknown file extension "` + suffix + `" for ` + path
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return failed + nodefs.Words(err)
	}
	if !bytes.Contains(text, []byte("export")) {
		return "Extension does not export a valid factory function: " + path
	}
	return ""
}

func (o *options) failExtension(name, why string) {
	o.fail(`Failed to load extension "` + name + `": ` + why)
	o.hint = o.rules.extensionHint
}
