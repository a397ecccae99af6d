package scenarios

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// headerKeys lists the keys of the header.
func headerKeys() []string {
	return []string{"id", "title", "requires", "policy", "family", "profile", "features", "spawner", "dialects", "renames", "note"}
}

var (
	idForm          = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$`)
	requirementForm = regexp.MustCompile(`^WDC-[A-Z]+-[0-9]{3}$`)
	nameForm        = regexp.MustCompile(`^[a-z0-9]+([._-][a-z0-9]+)*$`)
	renameForm      = regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
	settingForm     = regexp.MustCompile(`^([a-z_.]+)(?:\[([^\]]*)\])?=(.+)$`)
)

// free reads a line of the header whose text is for people: title and note.
func (f *file) free(pos script.Pos, text string) bool {
	key, rest, ok := strings.Cut(strings.TrimRight(text, " \t"), " ")
	if !ok || key != "title" && key != "note" {
		return false
	}
	rest = strings.TrimSpace(rest)
	if !utf8.ValidString(rest) || strings.ContainsFunc(rest, unicode.IsControl) {
		f.fail(pos, "the "+key+" holds bytes that are no text", "write it in UTF-8, on one line")
	}
	if key == "note" {
		f.Note = strings.TrimPrefix(f.Note+"\n"+rest, "\n")
	} else {
		f.once(script.Token{Pos: pos, Text: key})
		f.Title = rest
	}
	f.lines = append(f.lines, line{header, script.Row{Head: key, Body: rest}})
	return true
}

// once notes that a key was given.
func (f *file) once(key script.Token) {
	if f.seen[key.Text] {
		f.fail(key.Pos, key.Text+" is given twice", "give it once")
	}
	f.seen[key.Text] = true
}

// header reads a line of the header but title and note.
func (f *file) header(key script.Token, values []script.Token) script.Row {
	if f.section != header {
		f.fail(key.Pos, key.Text+" stands below the first step", "put the header on top")
	}
	f.once(key)
	if key.Text == "dialects" {
		f.limitedAt = key.Pos
	}
	if len(values) == 0 {
		f.fail(key.Pos, key.Text+" has no value", "write it behind the key")
		return script.Row{}
	}
	single := key.Text == "id" || key.Text == "family" || key.Text == "profile" || key.Text == "spawner"
	if single && len(values) > 1 {
		f.add(values[1].Refuse("is one value too many", key.Text+" has one value"))
	}
	var words []string
	for _, tok := range values {
		f.add(f.value(key.Text, tok))
		words = append(words, tok.String())
	}
	if key.Text == "id" {
		f.Pos = key.Pos
	}
	return script.Row{Head: key.Text, Body: strings.Join(words, " ")}
}

// value reads one word of a header line.
func (f *file) value(key string, tok script.Token) *script.Error {
	switch key {
	case "id":
		f.ID = tok.Text
		return fits(tok, idForm, "is no id", "write FOLDER/NAME in lower case, as in stall/silent-after-tool")
	case "requires":
		if slices.Contains(f.Requires, tok.Text) {
			return tok.Refuse("is given twice", "give it once")
		}
		f.Requires = append(f.Requires, tok.Text)
		return fits(tok, requirementForm, "is no id of a requirement", "write WDC-AREA-NNN, as in WDC-STALL-002")
	case "policy":
		return f.setting(tok)
	case "family":
		f.Family = tok.Text
		return tok.OneOf("family", familyCodes())
	case "profile":
		f.Profile = tok.Text
		return tok.OneOf("profile", Profiles())
	case "spawner":
		f.Spawner = watchdog.Spawner(tok.Text)
		return tok.OneOf("spawner", words([]watchdog.Spawner{watchdog.SpawnerPlain, watchdog.SpawnerKeyed, watchdog.SpawnerFenced}))
	case "features":
		f.Features = append(f.Features, tok.Text)
	case "dialects":
		return f.dialect(tok)
	case "renames":
		return f.rename(tok)
	}
	return fits(tok, nameForm, "is no name", "write lower-case words, as in pi-1.6")
}

func fits(tok script.Token, form *regexp.Regexp, msg, hint string) *script.Error {
	if tok.Quoted || tok.Key != "" || !form.MatchString(tok.Text) {
		return tok.Refuse(msg, hint)
	}
	return nil
}

func familyCodes() []string {
	var codes []string
	for _, f := range Families() {
		codes = append(codes, f.Code)
	}
	return codes
}

// setting reads one word of the policy line: LIMIT=VALUE, or LIMIT[model=M]=VALUE.
func (f *file) setting(tok script.Token) *script.Error {
	m := settingForm.FindStringSubmatch(tok.String())
	if m == nil {
		return tok.Refuse("sets no limit", "write LIMIT=VALUE, or LIMIT[model=M]=VALUE for a worker, model or tool")
	}
	s := Setting{Name: m[1], Value: m[3]}
	if err := s.scope(tok, m[2]); err != nil {
		return err
	}
	if s.Name == "preset" && m[2] == "" {
		return f.preset(tok, s)
	}
	limits := f.Policy.Limits
	if err := limits.Set(s.Name, s.Value); err != nil {
		return &script.Error{Pos: tok.Pos, Msg: err.Error(), Hint: "a policy line sets limits as in first_token=90s"}
	}
	for _, other := range f.Settings {
		if other.Name == s.Name && other.Worker == s.Worker && other.Model == s.Model && other.Tool == s.Tool {
			return tok.Refuse("is set twice", "set it once")
		}
	}
	f.Settings = append(f.Settings, s)
	if s.Worker+s.Model+s.Tool == "" {
		f.Policy.Limits = limits
		return nil
	}
	f.Policy.Overrides = append(f.Policy.Overrides, watchdog.Override{
		Worker: s.Worker, Model: s.Model, Tool: s.Tool, Set: map[string]string{s.Name: s.Value},
	})
	return nil
}

// preset reads preset=NAME, which gives every effect class a permission.
func (f *file) preset(tok script.Token, s Setting) *script.Error {
	effects, ok := watchdog.Preset(s.Value)
	switch {
	case !ok:
		return tok.Refuse("is no preset", "write preset=attended or preset=autonomous")
	case len(f.Settings) > 0:
		return tok.Refuse("stands too low", "give the preset first: it sets every effect class")
	}
	f.Settings, f.Policy.Effects = append(f.Settings, s), effects
	return nil
}

// scope reads what stands in brackets.
func (s *Setting) scope(tok script.Token, scope string) *script.Error {
	if scope == "" {
		return nil
	}
	key, value, _ := strings.Cut(scope, "=")
	fields := map[string]*string{"worker": &s.Worker, "model": &s.Model, "tool": &s.Tool}
	field, ok := fields[key]
	if !ok || value == "" {
		return tok.Refuse("names no worker, model or tool", "write LIMIT[worker=W]=VALUE, LIMIT[model=M]=VALUE or LIMIT[tool=T]=VALUE")
	}
	*field = value
	return nil
}
