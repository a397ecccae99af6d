package agentdir

import (
	"path/filepath"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/quirks/javascript"
	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// Accounts are what auth.json says of providers. Those of a fake need no account; but Pi 1.6 asks none for which it has one
// that it cannot use.
type Accounts struct {
	of      native.Object // by the provider
	Null    bool          // the file is null
	Problem string        // why Pi cannot read them, in its words; empty: it can
	Class   string        // of the exception that says so, such as SyntaxError
}

// ReadAccounts reads auth.json of an agent folder.
func ReadAccounts(d native.Dialect, dir string) (a Accounts) {
	text, err := nodefs.ReadText(filepath.Join(dir, "auth.json"))
	if err != nil {
		a.Class, a.Problem = "Error", nodefs.Words(err)
	}
	if text == "" {
		return a
	}
	v, err := native.ParseValue([]byte(text))
	switch v := v.(type) {
	case native.Object:
		a.of = v
	case native.Null:
		a.Null, a.Class, a.Problem = true, "TypeError", "Cannot convert undefined or null to object"
	}
	if err != nil {
		a.Class, a.Problem = "SyntaxError", javascript.ParseError(d, []byte(text))
	}
	for _, m := range a.of {
		if m.Value == native.Value(native.Null{}) {
			a.Class, a.Problem = "TypeError", "Cannot read properties of null (reading 'type')"
		}
	}
	return a
}

// Unusable reports whether a provider has an account that cannot be used: of a key that is no text, or of a login, which
// none of models.json has.
func (a *Accounts) Unusable(provider string) bool {
	account := a.of.Get(provider)
	switch native.Text(valueIn(account, "type")) {
	case "api_key":
		_, isText := valueIn(account, "key").(native.String)
		return !isText
	case "oauth":
		return true
	}
	return false
}

// Broken lists the providers of which auth.json says what is no account at all: Pi 1.6 has their models, and fails to ask.
func (a *Accounts) Broken() (providers []string) {
	for _, m := range a.of {
		switch kind := native.Text(valueIn(m.Value, "type")); {
		case kind == "api_key" || kind == "oauth":
		case m.Value != native.Value(native.Bool(false)) && m.Value != native.Value(native.Number(0)) && m.Value != native.Value(native.String("")):
			providers = append(providers, m.Key)
		}
	}
	return providers
}
