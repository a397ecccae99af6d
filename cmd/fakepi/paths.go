package main

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
)

// homeDir is the user's home, without HOME that of the user database, as Node has it; empty: none is known.
func homeDir() string {
	if home := os.Getenv("HOME"); home != "" {
		return home
	}
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.HomeDir
}

// underTilde completes a path that begins in the user's home, written ~.
func underTilde(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if home := homeDir(); ok && home != "" && (rest == "" || rest[0] == '/') {
		return home + rest
	}
	return path
}

// inFolder completes a path that is relative to a folder.
func inFolder(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// underHome shortens a path below the user's home.
func underHome(dir string) string {
	home := os.Getenv("HOME")
	if rest, ok := strings.CutPrefix(dir, home); ok && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return dir
}
