package evidence

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// writeManifest seals a snapshot: the SHA-256 of every file, in path order, as sha256sum writes them.
func writeManifest(root *os.Root) error {
	names, err := filesOf(root)
	if err != nil {
		return err
	}
	f, err := root.OpenFile(ManifestFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w, buf := bufio.NewWriter(f), make([]byte, 64<<10)
	for _, name := range names {
		sum, err := sumFile(root, name, buf)
		if err != nil {
			return errors.Join(err, f.Close())
		}
		fmt.Fprintln(w, manifestLine(sum, name))
	}
	return errors.Join(w.Flush(), f.Close())
}

// manifestLine is a line of sha256sum: one with a line end in the name begins with a backslash and is escaped.
func manifestLine(sum, name string) string {
	if strings.ContainsAny(name, "\n\r\\") {
		return `\` + sum + "  " + strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(name)
	}
	return sum + "  " + name
}

func parseManifestLine(line string) (sum, name string, err error) {
	rest, escaped := strings.CutPrefix(line, `\`)
	sum, name, ok := strings.Cut(rest, "  ")
	if !ok || len(sum) != 64 || strings.Trim(sum, "0123456789abcdef") != "" {
		return "", "", fmt.Errorf("%w: %s has the line %q", ErrDamaged, ManifestFile, line)
	}
	if escaped {
		name = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r").Replace(name)
	}
	if !plain(name) {
		return "", "", fmt.Errorf("%w: %s names %q", ErrDamaged, ManifestFile, name)
	}
	return sum, name, nil
}

// checkManifest compares a snapshot with its manifest: every file as it was, none missing, none added.
func checkManifest(root *os.Root) error {
	data, err := root.ReadFile(ManifestFile)
	if err != nil {
		return fmt.Errorf("%w: it is not sealed: %w", ErrDamaged, err)
	}
	var listed []string
	buf := make([]byte, 64<<10)
	for line := range bytes.Lines(data) {
		sum, name, err := parseManifestLine(strings.TrimSuffix(string(line), "\n"))
		if err != nil {
			return err
		}
		if len(listed) > 0 && listed[len(listed)-1] >= name {
			return fmt.Errorf("%w: %s names %q out of its order", ErrDamaged, ManifestFile, name)
		}
		now, err := sumFile(root, name, buf)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%w: %q is missing", ErrDamaged, name)
		case err != nil:
			return err
		case now != sum:
			return fmt.Errorf("%w: %q was changed: its SHA-256 is %s, the manifest says %s", ErrDamaged, name, now, sum)
		}
		listed = append(listed, name)
	}
	names, err := filesOf(root)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, ok := slices.BinarySearch(listed, name); !ok {
			return fmt.Errorf("%w: %q was added", ErrDamaged, name)
		}
	}
	return nil
}

// filesOf lists all files but the manifest, sorted. A link is none of a snapshot's own.
func filesOf(root *os.Root) ([]string, error) {
	var names []string
	var walk func(dir string) error
	walk = func(dir string) error {
		entries, err := readDir(root, dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			switch {
			case e.IsDir():
				before := len(names)
				if err := walk(name); err != nil {
					return err
				}
				if len(names) == before && !strings.Contains("/"+name+"/", "/"+StateDir+"/") { // git's own may be empty
					return fmt.Errorf("%w: the folder %q was added: it is empty", ErrDamaged, name)
				}
			case !e.Type().IsRegular():
				return fmt.Errorf("%w: %q is no plain file", ErrDamaged, name)
			case name != ManifestFile:
				names = append(names, name)
			}
		}
		return nil
	}
	err := walk(".")
	slices.Sort(names)
	return names, err
}
