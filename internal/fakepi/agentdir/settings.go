package agentdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// SettingsFiles are Pi's settings on disk: settings.json of the agent folder, which commands change, and that of a working
// directory (docs/pi-formats.md, section 6).
type SettingsFiles struct {
	Dialect native.Dialect
	Dir     string           // the agent folder
	broken  bool             // the file could not be read: nothing is saved until it is read again
	unsaved []fakepi.Setting // what could not be saved; it goes with the next
}

// SettingsProblem is why a file of settings was passed over.
type SettingsProblem struct {
	Scope string // "global" or "project"
	File  string // its path
	Why   string // in Pi's words
}

// Read reads the settings for a session that begins, those of its working directory if that is trusted.
func (f *SettingsFiles) Read(cwd string, trusted bool) (s fakepi.Settings, problems []SettingsProblem) {
	f.unsaved = nil
	var err error
	if s.Global, err = f.readFile(f.file()); err != nil {
		problems = append(problems, SettingsProblem{"global", f.file(), nodefs.Words(err)})
	}
	f.broken = err != nil
	if !trusted {
		return s, problems
	}
	file := filepath.Join(cwd, ".pi", "settings.json")
	if s.Project, err = f.readFile(file); err != nil {
		problems = append(problems, SettingsProblem{"project", file, nodefs.Words(err)})
	}
	return s, problems
}

// file is that of the agent folder.
func (f *SettingsFiles) file() string { return filepath.Join(f.Dir, "settings.json") }

// readFile reads one of the files; one that is missing has nothing. The error is told as Pi tells it.
func (f *SettingsFiles) readFile(file string) (settings native.Object, err error) {
	if _, err := os.Stat(file); err != nil {
		return nil, nil
	}
	err = locked(file, func() error {
		text, err := os.ReadFile(file)
		if err == nil {
			settings, err = parseSettings(f.Dialect, text)
		}
		return err
	})
	return settings, err
}

// Save changes the file as a command asks. As with Pi nobody is told of what goes wrong, and the file is written where it
// is, not replaced.
func (f *SettingsFiles) Save(change fakepi.Setting) {
	if f.broken {
		return
	}
	f.unsaved = append(f.unsaved, change)
	if os.MkdirAll(f.Dir, 0o777) == nil && locked(f.file(), f.saveAll) == nil {
		f.unsaved = nil
	}
}

func (f *SettingsFiles) saveAll() error {
	text, err := os.ReadFile(f.file())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	settings, err := parseSettings(f.Dialect, text)
	if err != nil {
		return err
	}
	for _, change := range f.unsaved {
		settings = change.In(settings)
	}
	if settings == nil {
		settings = native.Object{}
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, native.AppendValue(nil, settings), "", "  "); err != nil {
		return err
	}
	return os.WriteFile(f.file(), indented.Bytes(), 0o666)
}

// parseSettings reads the text of a file. What older versions of Pi have written it reads in today's form.
func parseSettings(d native.Dialect, text []byte) (native.Object, error) {
	if d == native.Pi16 {
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
	}
	if len(text) == 0 {
		return nil, nil
	}
	v, err := native.ParseValue(text)
	if err != nil {
		return nil, errors.New(javascript.ParseError(d, text))
	}
	switch v := v.(type) {
	case native.Object:
		return migrated(v), nil
	case native.Array:
		var o native.Object
		for i, element := range v {
			o = with(o, strconv.Itoa(i), element)
		}
		return o, nil
	}
	return nil, errors.New("Cannot use 'in' operator to search for 'queueMode' in " + plainText(v))
}

// plainText is a number, a boolean, null or a text as JavaScript puts it into another.
func plainText(v native.Value) string {
	if s, ok := v.(native.String); ok {
		return string(s)
	}
	return string(native.AppendValue(nil, v))
}
