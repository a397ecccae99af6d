package disk

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
)

// Home is the user's home, without HOME that of the user database, as Node has it; empty: none is known.
func Home() string {
	if home := os.Getenv("HOME"); home != "" {
		return home
	}
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.HomeDir
}

// UnderTilde completes a path that begins in the user's home, written ~.
func UnderTilde(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if home := Home(); ok && home != "" && (rest == "" || rest[0] == '/') {
		return home + rest
	}
	return path
}

// InFolder completes a path that is relative to a folder.
func InFolder(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// UnderHome shortens a path below the user's home.
func UnderHome(dir string) string {
	home := os.Getenv("HOME")
	if rest, ok := strings.CutPrefix(dir, home); ok && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return dir
}
