package script

import (
	"path/filepath"
	"strings"
)

// Does is what a running tool does to the world around it, at a moment of its own.
type Does struct {
	Kind   EffectKind
	Target string // write, append, edit: the file, inside the working directory; push: the remote
	Text   Text   // what is written; edit: what is replaced; commit: the message; run: the command
	New    Text   // edit: what takes its place
}

// EffectKind is a way to change the world.
type EffectKind string

// The ways.
const (
	EffectWrite  EffectKind = "write"  // a file, new or again
	EffectAppend EffectKind = "append" // to a file
	EffectEdit   EffectKind = "edit"   // one text in a file; the tool fails where the file does not have it once
	EffectCommit EffectKind = "commit" // all that changed
	EffectPush   EffectKind = "push"   // to a remote that is a folder
	EffectRun    EffectKind = "run"    // a command, where commands are allowed
)

// DefaultRemote is where a push without a remote goes.
const DefaultRemote = "origin"

// Verb implements Action.
func (Does) Verb() string { return "does" }

func (a *Does) params() []param {
	return []param{
		must(choice("kind", &a.Kind, EffectWrite, EffectAppend, EffectEdit, EffectCommit, EffectPush, EffectRun)),
		a.target(),
		a.text("text", &a.Text),
		a.text("new", &a.New),
	}
}

// target is the name of a file or remote. One in quotes looks like a text, so all texts must follow it, empty ones too.
func (a *Does) target() param {
	p := name("PATH", &a.Target)
	p.accepts = func(t Token) bool { return anyWord(t) || t.Quoted && a.named() }
	read := p.read
	p.read = func(r *reader, tok Token) *Error {
		if tok.Quoted && r.ahead < a.texts() {
			return tok.Refuse("is the file or the text?", a.usage())
		}
		return read(r, tok)
	}
	p.write = func() string { return a.quotedName() }
	return p
}

// text is one that may be left out behind a name without quotes.
func (a *Does) text(what string, t *Text) param {
	p := maybeText(what, t)
	write := p.write
	p.write = func() string {
		if wanted := what == "text" || a.Kind == EffectEdit; wanted && *t == (Text{}) && strings.HasPrefix(a.quotedName(), `"`) && a.texts() > 0 {
			return Quote("")
		}
		return write()
	}
	return p
}

func (a *Does) quotedName() string {
	if a.Target == "" {
		return ""
	}
	return name("", &a.Target).write()
}

// named reports whether the kind has a name.
func (a *Does) named() bool { return a.Kind != EffectCommit && a.Kind != EffectRun }

// texts is how many texts come behind the name.
func (a *Does) texts() int {
	switch a.Kind {
	case EffectWrite, EffectAppend:
		return 1
	case EffectEdit:
		return 2
	}
	return 0
}

func (a *Does) usage() string {
	usage := "write does " + map[EffectKind]string{
		EffectWrite: `write PATH "text"`, EffectAppend: `append PATH "text"`, EffectEdit: `edit PATH "old" "new"`,
		EffectCommit: `commit "message"`, EffectPush: `push [REMOTE]`, EffectRun: `run "command"`,
	}[a.Kind]
	if a.texts() > 0 {
		usage += `; a PATH with spaces is in quotes too, and all texts follow it`
	}
	return usage
}

func (a Does) check() (msg, hint string) {
	usage := a.usage()
	switch a.Kind {
	case EffectWrite, EffectAppend, EffectEdit:
		if msg, hint := a.checkFile(usage); msg != "" {
			return msg, hint
		}
	case EffectPush:
		if a.Text != (Text{}) {
			return "a push has no text", usage
		}
	default:
		if a.Target != "" || a.Text == (Text{}) {
			return "a " + string(a.Kind) + " has one text, in quotes", usage
		}
	}
	if a.Kind != EffectEdit && a.New != (Text{}) {
		return "only an edit has two texts", usage
	}
	return "", ""
}

func (a Does) checkFile(usage string) (msg, hint string) {
	switch {
	case a.Target == "":
		return "which file?", usage
	case strings.ContainsRune(a.Target, 0):
		return "a NUL is in the file's name", "no file can be called so"
	case !filepath.IsLocal(a.Target):
		return a.Target + " is outside the working directory", "name a file below it, without a / in front or .. in between"
	case a.Kind != EffectWrite && a.Text == (Text{}):
		return "an empty text changes nothing", usage
	}
	return "", ""
}
