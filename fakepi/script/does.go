package script

import "path/filepath"

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
		word("PATH", &a.Target),
		maybeText("text", &a.Text),
		maybeText("new", &a.New),
	}
}

func (a Does) check() (msg, hint string) {
	usage := "write does " + map[EffectKind]string{
		EffectWrite: `write PATH "text"`, EffectAppend: `append PATH "text"`, EffectEdit: `edit PATH "old" "new"`,
		EffectCommit: `commit "message"`, EffectPush: `push [REMOTE]`, EffectRun: `run "command"`,
	}[a.Kind]
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
	case !filepath.IsLocal(a.Target):
		return a.Target + " is outside the working directory", "name a file below it, without a / in front or .. in between"
	case a.Kind != EffectWrite && a.Text == (Text{}):
		return "an empty text changes nothing", usage
	}
	return "", ""
}
