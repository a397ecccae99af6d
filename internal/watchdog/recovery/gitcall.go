package recovery

import (
	"context"
	"fmt"
	"strings"

	"fakepi.example/internal/watchdog/evidence"
)

// gitCall reads a shell command that does nothing but one git commit or push, after git add at most. Whatever could do
// more is none: its effect is not that of the commit alone.
func gitCall(command string) (args []string, ok bool) {
	commands, ok := simpleCommands(command)
	if !ok || len(commands) == 0 {
		return nil, false
	}
	for i, c := range commands {
		last := i == len(commands)-1
		if len(c) < 2 || c[0] != "git" || !last && c[1] != "add" || last && c[1] != "commit" && c[1] != "push" {
			return nil, false
		}
	}
	return commands[len(commands)-1][1:], true
}

// simpleCommands splits a shell command into commands joined by && and these into words. Anything that a shell would
// expand, redirect or run otherwise is not simple.
func simpleCommands(command string) (commands [][]string, ok bool) {
	var words []string
	var word strings.Builder
	quote, inWord := byte(0), false
	end := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '"' && strings.IndexByte("$`\\!", c) >= 0:
			return nil, false
		case quote == 0 && (c == '"' || c == '\''):
			quote, inWord = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			end()
		case quote == 0 && strings.HasPrefix(command[i:], "&&"):
			end()
			commands, words, i = append(commands, words), nil, i+1
		case quote == 0 && strings.IndexByte("&|;<>()$`\\\n*?[{#~!=", c) >= 0 && !(c == '=' && inWord && word.Len() > 0 && word.String()[0] == '-'):
			return nil, false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	end()
	return append(commands, words), quote == 0
}

// lookForGit looks whether a commit is reachable from HEAD, or a push has reached the owner's remote.
func (p *Probes) lookForGit(ctx context.Context, c *Call) (Happened, string) {
	args, ok := gitCall(c.raw.Text("command"))
	if !ok || p.State == nil || p.State.Git == nil {
		return Unknown, "nothing shows it; look yourself"
	}
	if args[0] == "commit" {
		return p.lookForCommit(ctx, c, args[1:])
	}
	return p.lookForPush(ctx, args[1:])
}

func (p *Probes) lookForCommit(ctx context.Context, c *Call, args []string) (Happened, string) {
	if c.Began.IsZero() {
		return Unknown, "the session does not say when the call began"
	}
	commits, err := evidence.Commits(ctx, p.Worktree)
	if err != nil {
		return Unknown, "the commits cannot be read"
	}
	subject, newer := subjectOf(args), 0
	for _, commit := range commits {
		if commit.Time < c.Began.Unix() {
			continue
		}
		if newer++; subject == "" || commit.Subject == subject {
			return Yes, fmt.Sprintf("HEAD has the commit %.12s, made since", commit.Commit)
		}
	}
	if newer > 0 {
		return Unknown, "HEAD has another commit that was made since"
	}
	return No, "HEAD has no commit that was made since"
}

// subjectOf finds the first line of a message among the arguments of git commit; "" where there is none.
func subjectOf(args []string) string {
	for i, a := range args {
		if message, ok := strings.CutPrefix(a, "--message="); ok {
			return firstLine(message)
		}
		short := len(a) > 1 && a[0] == '-' && a[1] != '-'
		if (short && strings.HasSuffix(a, "m") || a == "--message") && i+1 < len(args) {
			return firstLine(args[i+1])
		}
	}
	return ""
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}

func (p *Probes) lookForPush(ctx context.Context, args []string) (Happened, string) {
	g := p.State.Git
	short := strings.TrimPrefix(g.Branch, "refs/heads/")
	var names []string
	for _, a := range args {
		switch {
		case a == "-u", a == "--set-upstream", a == "-q", a == "--quiet":
		case strings.HasPrefix(a, "-"):
			return Unknown, "what it was to push cannot be told"
		default:
			names = append(names, a)
		}
	}
	switch {
	case p.Remote == "":
		return Unknown, "name the owner's remote to look there"
	case g.Branch == "" || len(names) > 2 || len(names) == 2 && names[1] != "HEAD" && names[1] != short:
		return Unknown, "what it was to push cannot be told"
	}
	at, err := evidence.RemoteHead(ctx, p.Remote, g.Branch)
	switch {
	case err != nil:
		return Unknown, "the remote cannot be asked"
	case at == g.Head:
		return Yes, fmt.Sprintf("the remote has %s at %.12s", short, at)
	}
	return No, fmt.Sprintf("the remote does not have %s at %.12s", short, g.Head)
}
