package fidelity

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fakepi.example/fakepi/script"
)

// Act is one step of the client's half of a script. The lines are, in the order in which they are done:
//
//	prompt ["TEXT"]     sends a prompt, by default the script's next, and awaits the response
//	command JSON        sends a command with an id and awaits its response
//	send JSON           sends a line as it is
//	send "BYTES"        the same, of bytes that are no JSON; the line end is to be written out
//	answer "VALUE"      answers the last dialog; yes and no a confirm
//	cancel              closes it without an answer
//	on EVENT [xN]       awaits the N-th such record behind the one awaited before
//	on settled          awaits the end of the run
//	wait DURATION       lets time pass in a silence
//	until FILE "TEXT"   awaits that a file of the worktree holds a text
//	eof                 closes stdin
//	signal NAME         sends a signal
//	stop                one of the header's stops: a signal, eof, or abort and its response
//	exited              awaits the exit
//	start [ARG...]      lets this Pi leave, as at the end, and starts the next one with these arguments
//	beside [ARG...]     starts the next Pi beside this one
//	process N           turns to the N-th Pi again, from 1
//
// In JSON, $SESSION is the session file that a get_state last named, $ENTRY the first entry of the last get_fork_messages,
// $CWD the worktree. At the end, stdin is closed unless a signal was sent, and the exit awaited.
type Act struct {
	Pos  script.Pos
	Verb string
	Text string        // of prompt, command, send, answer, until; the event; the signal's name
	File string        // of until
	N    int           // of on, process; 1 where the line says none
	Wait time.Duration // of wait
	Args []string      // of start and beside
	Next bool          // the prompt is the script's next
	Raw  bool          // of send: bytes
}

var eventForm = regexp.MustCompile(`^[a-z_]+(\([A-Za-z_]+\))?$`)

// parseAct reads a line of the client's half.
func parseAct(pos script.Pos, text string) (Act, *script.Error) {
	verb, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	a := Act{Pos: pos, Verb: verb, N: 1}
	if strings.HasPrefix(rest, "{") && (verb == "command" || verb == "send") {
		a.Text = rest
		return a, a.checkJSON()
	}
	line, err := script.LexLine(script.Pos{File: pos.File, Line: pos.Line, Col: pos.Col + len(text) - len(rest)}, rest)
	if err != nil {
		return a, err
	}
	if msg, hint := a.read(line.Tokens); msg != "" {
		return a, &script.Error{Pos: pos, Msg: msg, Hint: hint}
	}
	return a, nil
}

// checkJSON refuses what would be sent broken by mistake. Placeholders stand in strings.
func (a *Act) checkJSON() *script.Error {
	if json.Valid([]byte(a.Text)) {
		return nil
	}
	return &script.Error{Pos: a.Pos, Msg: "this is no JSON", Hint: `write bytes that are to be no JSON in quotes: send "{\n"`}
}

// read takes the words behind the verb.
func (a *Act) read(tokens []script.Token) (msg, hint string) {
	words := make([]string, len(tokens))
	for i, tok := range tokens {
		if words[i] = tok.String(); tok.Quoted && tok.Key == "" {
			words[i] = tok.Text
		}
	}
	n := len(words)
	switch a.Verb {
	case "prompt":
		a.Next = n == 0
		return a.text(words, min(n, 1))
	case "send", "answer":
		a.Raw = true
		return a.text(words, 1)
	case "until":
		if n != 2 {
			return "until needs a file and a text", `write until out.txt "end"`
		}
		a.File, a.Text = words[0], words[1]
	case "on":
		return a.event(words)
	case "wait":
		return a.duration(words)
	case "signal":
		if n != 1 || signalOf(words[0]) == 0 {
			return "signal needs a name", "known: " + strings.Join(signalNames(), ", ")
		}
		a.Text = words[0]
	case "process":
		var err error
		if a.N, err = strconv.Atoi(strings.Join(words, " ")); err != nil || a.N < 1 {
			return "process needs a number", "the first Pi is 1"
		}
	case "start", "beside":
		a.Args = words
	case "cancel", "eof", "stop", "exited":
		return a.text(words, 0)
	default:
		return fmt.Sprintf("unknown verb %q of the client", a.Verb), script.Suggest(a.Verb, clientVerbs)
	}
	return "", ""
}

var clientVerbs = []string{
	"prompt", "command", "send", "answer", "cancel", "on", "wait", "until", "eof", "signal", "stop", "exited",
	"start", "beside", "process",
}

func (a *Act) text(words []string, n int) (msg, hint string) {
	if len(words) != n {
		return fmt.Sprintf("%s takes %d texts, not %d", a.Verb, n, len(words)), "put a text in quotes"
	}
	if n == 1 {
		a.Text = words[0]
	}
	return "", ""
}

func (a *Act) event(words []string) (msg, hint string) {
	n := len(words)
	if n == 2 {
		var err error
		if a.N, err = strconv.Atoi(strings.TrimPrefix(words[1], "x")); err != nil || a.N < 1 || words[1][0] != 'x' {
			return fmt.Sprintf("%q is no number of times", words[1]), "write x2 for the second"
		}
	}
	if n < 1 || n > 2 || !eventForm.MatchString(words[0]) {
		return "on needs an event", "write on text_delta, on message_end(user), on tool_execution_start(bash) x2"
	}
	a.Text = words[0]
	return "", ""
}

func (a *Act) duration(words []string) (msg, hint string) {
	var err error
	if a.Wait, err = time.ParseDuration(strings.Join(words, " ")); err != nil || a.Wait <= 0 {
		return "wait needs a duration", "write wait 300ms"
	}
	return "", ""
}

// The signals that a client may send.
var signals = []struct {
	name   string
	signal syscall.Signal
}{
	{"SIGKILL", syscall.SIGKILL}, {"SIGTERM", syscall.SIGTERM}, {"SIGINT", syscall.SIGINT}, {"SIGHUP", syscall.SIGHUP},
	{"SIGSTOP", syscall.SIGSTOP}, {"SIGCONT", syscall.SIGCONT},
}

// signalOf is a signal by its name, or 0.
func signalOf(name string) syscall.Signal {
	for _, s := range signals {
		if s.name == name {
			return s.signal
		}
	}
	return 0
}

func signalNames() []string {
	var names []string
	for _, s := range signals {
		names = append(names, s.name)
	}
	return names
}
