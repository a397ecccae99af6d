package recovery

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/watchdog/evidence"
)

// Happened is what a look at the world says of a call that has no result (WDC-SIDE-002).
type Happened string

// What a look can say, and what follows: adopt the effect, repeat the call, or ask the owner.
const (
	Yes     Happened = "happened"
	No      Happened = "did not happen"
	Unknown Happened = "unknown"
)

// Effect is a call without a result, and what a look at the world says of it.
type Effect struct {
	Call     string   `json:"call"`
	Name     string   `json:"name"`
	Happened Happened `json:"happened"`
	Why      string   `json:"why"`
}

// Probes is where the effect of a call is looked for.
type Probes struct {
	Worktree string
	State    *evidence.State // of the worktree now
	Remote   string          // the owner's, where a push is looked for
	Output   *Witness        // the worker's, as far as it is known; nil: not at all
	Command  []string        // the owner's: it gets the call's name and arguments (JSON), exits with 0 if it has happened, 1 if not
}

// LookForEffects looks for the effect of each open call that may have acted: the worktree shows what write and edit did,
// HEAD and the remote what a plain git commit or push did. For the rest there is the owner's command.
func LookForEffects(ctx context.Context, s *Session, p Probes) []Effect {
	if s == nil {
		return nil
	}
	var found []Effect
	for i := range s.Open {
		if c := &s.Open[i]; c.Effects() {
			e := Effect{Call: cut(c.ID, 60), Name: cut(c.Name, 40)}
			e.Happened, e.Why = p.look(ctx, c)
			found = append(found, e)
		}
	}
	return found
}

func (p *Probes) look(ctx context.Context, c *Call) (Happened, string) {
	if p.Output.Ended(c.ID) {
		return Yes, "its end was printed, and the session does not have it"
	}
	switch c.Name {
	case "write":
		return wrote(p.Worktree, c.raw)
	case "edit":
		return edited(p.Worktree, c.raw)
	}
	if len(p.Command) > 0 {
		if happened, why := asked(ctx, p.Command, c); happened != Unknown {
			return happened, why
		}
	}
	if c.Name == "bash" {
		return p.lookForGit(ctx, c)
	}
	return Unknown, "nothing shows it; look yourself"
}

// wrote compares a file with what a write was to put there.
func wrote(worktree string, args native.Object) (Happened, string) {
	name, data, err := readArg(worktree, args)
	switch {
	case name == "":
		return Unknown, "the call names no file in the worktree"
	case errors.Is(err, fs.ErrNotExist):
		return No, name + " is not there"
	case err != nil:
		return Unknown, "the file cannot be read"
	case data == args.Text("content"):
		return Yes, name + " has the contents"
	}
	return Unknown, name + " has other contents: written in part, or changed since"
}

// edited looks for the new and the old text of each edit.
func edited(worktree string, args native.Object) (Happened, string) {
	name, data, err := readArg(worktree, args)
	if name == "" || err != nil {
		return Unknown, "the file cannot be read"
	}
	edits, _ := args.Get("edits").(native.Array)
	if len(edits) == 0 {
		edits = native.Array{args}
	}
	done := 0
	for _, e := range edits {
		o, _ := e.(native.Object)
		before, after := o.Text("oldText"), o.Text("newText")
		switch {
		case before == "" || strings.Contains(after, before) || strings.Contains(before, after):
			return Unknown, "old and new text cannot be told apart"
		case strings.Contains(data, after) && !strings.Contains(data, before):
			done++
		case !strings.Contains(data, before):
			return Unknown, name + " has neither the old nor the new text"
		}
	}
	switch done {
	case len(edits):
		return Yes, name + " has the new text"
	case 0:
		return No, name + " has the old text"
	}
	return Unknown, name + " has a part of the edits"
}

// maxEffect bounds what is read of a file.
const maxEffect = 64 << 20

// readArg reads the file that a call names. It must lie in the worktree; links are followed only inside it.
func readArg(worktree string, args native.Object) (name, data string, err error) {
	name = args.Text("path")
	if filepath.IsAbs(name) {
		if name, err = filepath.Rel(worktree, name); err != nil {
			return "", "", err
		}
	}
	if name = filepath.Clean(name); !filepath.IsLocal(name) {
		return "", "", fs.ErrInvalid
	}
	root, err := os.OpenRoot(worktree)
	if err != nil {
		return name, "", err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err != nil {
		return name, "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxEffect {
		return name, "", fs.ErrInvalid
	}
	bytes, err := root.ReadFile(name)
	return name, string(bytes), err
}

func asked(ctx context.Context, command []string, c *Call) (Happened, string) {
	args := append(command[1:len(command):len(command)], c.Name, string(native.AppendValue(nil, c.raw)))
	ctx, cancel := context.WithTimeout(ctx, AskLimit)
	defer cancel()
	_, err := ask(ctx, append([]string{command[0]}, args...))
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return Yes, command[0] + " says so"
	case ok && exit.ExitCode() == 1:
		return No, command[0] + " says so"
	}
	return Unknown, command[0] + " cannot tell"
}
