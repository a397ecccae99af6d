package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/javascript"
	"fakepi.example/fakepi/native"
)

// makeAgentFiles makes what Pi keeps in its folder and a fake has no use for, empty, as Pi does before a session begins. As
// with Pi nobody is told of what goes wrong.
func (l *launch) makeAgentFiles() {
	names := []string{"auth.json"}
	if l.options.is16() {
		names = append(names, "models-store.json")
	}
	if os.MkdirAll(l.agent, 0o700) != nil {
		return
	}
	for _, name := range names {
		f, err := os.OpenFile(filepath.Join(l.agent, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, _ = f.WriteString("{}")
			_ = f.Close()
		}
	}
}

// accounts are what auth.json says of providers. Those of a fake need no account; but Pi 1.6 asks none for which it has one
// that it cannot use.
type accounts struct {
	of      native.Object // by the provider
	null    bool          // the file says so
	problem string        // why Pi cannot read them, in its words; empty: it can
	class   string        // of the exception that says so
}

// readAccounts reads auth.json of the agent's folder.
func readAccounts(d native.Dialect, agentDir string) (a accounts) {
	text, err := readUTF8(filepath.Join(agentDir, "auth.json"))
	if err != nil {
		a.class, a.problem = "Error", nodeWords(err)
	}
	if text == "" {
		return a
	}
	v, err := native.ParseValue([]byte(text))
	switch v := v.(type) {
	case native.Object:
		a.of = v
	case native.Null:
		a.null, a.class, a.problem = true, "TypeError", "Cannot convert undefined or null to object"
	}
	if err != nil {
		a.class, a.problem = "SyntaxError", javascript.ParseError(d, []byte(text))
	}
	for _, m := range a.of {
		if m.Value == native.Value(native.Null{}) {
			a.class, a.problem = "TypeError", "Cannot read properties of null (reading 'type')"
		}
	}
	return a
}

// spoils reports whether a provider has an account that cannot be used: of a key that is no text, or of a login, which
// none of models.json has.
func (a *accounts) spoils(provider string) bool {
	account := a.of.Get(provider)
	switch textOf(valueIn(account, "type")) {
	case "api_key":
		_, isText := valueIn(account, "key").(native.String)
		return !isText
	case "oauth":
		return true
	}
	return false
}

// spoilt are the providers of which auth.json says what is no account at all: Pi 1.6 has their models, and fails to ask.
func (l *launch) spoilt() (providers []string) {
	if !l.options.is16() {
		return nil
	}
	for _, m := range l.accounts.of {
		switch kind := textOf(valueIn(m.Value, "type")); {
		case kind == "api_key" || kind == "oauth":
		case m.Value != native.Value(native.Bool(false)) && m.Value != native.Value(native.Number(0)) && m.Value != native.Value(native.String("")):
			providers = append(providers, m.Key)
		}
	}
	return providers
}

// noteVersion notes in the settings which version's news the user has seen, as an interactive Pi does for a new session.
func (l *launch) noteVersion() {
	const key = "lastChangelogVersion"
	version := versions[l.options.dialect]
	if seen := textOf(l.settings.Get("", key)); seen != "" && !older(seen, version) {
		return
	}
	change := fakepi.Setting{Key: key, Value: native.String(version)}
	l.settings.Global = change.In(l.settings.Global)
	l.files.save(change)
}

// older reports whether a version such as 0.73.1 came before another.
func older(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, _ := strconv.Atoi(as[i]) // what is no number is the oldest
		y, _ := strconv.Atoi(bs[i])
		if order := cmp.Compare(x, y); order != 0 {
			return order < 0
		}
	}
	return false
}
