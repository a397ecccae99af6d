package fidelity

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"fakepi.example/fakepi/script"
)

// Act is one step of the client's half of a script, in the order in which they are done:
//
//	prompt ["TEXT"]     sends a prompt, by default the script's next, and awaits the response
//	command JSON        sends a command with an id and awaits its response
//	send JSON           sends a line as it is
//	send "BYTES"        the same, of bytes that are no JSON; the line end is to be written out
//	answer "VALUE"      answers the last dialog; yes and no a confirm
//	cancel              closes it without an answer
//	on EVENT [xN]       awaits the N-th such record behind the one awaited before, named as by [Kind]
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
// $SESSION is the session file that a get_state last named, $ENTRY the first entry of the last get_fork_messages, $DIALOG the
// id of the last dialog awaited, $CWD the worktree, $DIR the folder of its sessions. At the end, stdin is closed unless a signal was sent, and the exit awaited.
type Act struct {
	Pos  script.Pos
	Verb string
	Text string        // of prompt, command, send, answer, until; the event; the signal's name
	File string        // of until
	N    int           // of on and process; 1 where the line says none
	Wait time.Duration // of wait
	Args []string      // of start and beside
	Next bool          // the prompt is the script's next
	Raw  bool          // of send: bytes
}

// verb is what a word of the client's half means: how the words behind it are read, and what is done.
type verb struct {
	name string
	read func(a *Act, words []string) (msg, hint string) // nil: no script has it
	do   func(d *driver, p *process, a Act) error
}

// verbs are all of them. The last two are made of others: what a recording's client awaits, and the end of a case.
func verbs() []verb {
	return []verb{
		{"prompt", (*Act).readPrompt, (*driver).prompt},
		{"command", (*Act).readJSON, (*driver).command},
		{"send", (*Act).readSend, (*driver).send},
		{"answer", (*Act).readText, (*driver).answer},
		{"cancel", (*Act).readNothing, (*driver).answer},
		{"on", (*Act).readEvent, (*driver).on},
		{"wait", (*Act).readDuration, (*driver).wait},
		{"until", (*Act).readFile, (*driver).until},
		{"eof", (*Act).readNothing, (*driver).eof},
		{"signal", (*Act).readSignal, (*driver).signal},
		{"stop", (*Act).readNothing, nil}, // a case puts another act in its place
		{"exited", (*Act).readNothing, (*driver).exited},
		{"start", (*Act).readArgs, (*driver).next},
		{"beside", (*Act).readArgs, (*driver).beside},
		{"process", (*Act).readNumber, (*driver).turn},
		{"lines", nil, (*driver).lines},
		{"leave", nil, (*driver).leave},
	}
}

// verbOf finds a verb by its name.
func verbOf(name string) (verb, bool) {
	all := verbs()
	i := slices.IndexFunc(all, func(v verb) bool { return v.name == name })
	if i < 0 {
		return verb{}, false
	}
	return all[i], true
}

// parseAct reads a line of the client's half.
func parseAct(pos script.Pos, text string) (Act, *script.Error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	a := Act{Pos: pos, Verb: name, N: 1}
	v, ok := verbOf(name)
	if !ok || v.read == nil {
		return a, &script.Error{Pos: pos, Msg: fmt.Sprintf("unknown verb %q of the client", name), Hint: script.Suggest(name, verbNames())}
	}
	words := []string{rest}
	if a.Raw = !strings.HasPrefix(rest, "{"); a.Raw { // JSON is no words
		line, err := script.LexLine(script.Pos{File: pos.File, Line: pos.Line, Col: pos.Col + len(text) - len(rest)}, rest)
		if err != nil {
			return a, err
		}
		words = wordsOf(line.Tokens)
	}
	if msg, hint := v.read(&a, words); msg != "" {
		return a, &script.Error{Pos: pos, Msg: msg, Hint: hint}
	}
	a.Raw = a.Raw && name == "send"
	return a, nil
}

func verbNames() []string {
	var names []string
	for _, v := range verbs() {
		if v.read != nil {
			names = append(names, v.name)
		}
	}
	return names
}

func wordsOf(tokens []script.Token) []string {
	words := make([]string, len(tokens))
	for i, tok := range tokens {
		if words[i] = tok.String(); tok.Quoted && tok.Key == "" {
			words[i] = tok.Text
		}
	}
	return words
}

func (a *Act) readNothing(words []string) (msg, hint string) {
	if len(words) > 0 {
		return a.Verb + " stands alone", "leave out what stands behind it"
	}
	return "", ""
}

func (a *Act) readText(words []string) (msg, hint string) {
	if len(words) != 1 {
		return a.Verb + " needs one text", "put it in quotes"
	}
	a.Text = words[0]
	return "", ""
}

func (a *Act) readPrompt(words []string) (msg, hint string) {
	if a.Next = len(words) == 0; a.Next {
		return "", ""
	}
	return a.readText(words)
}

// readJSON refuses what would be sent broken by mistake. Placeholders stand in strings.
func (a *Act) readJSON(words []string) (msg, hint string) {
	if len(words) != 1 || !json.Valid([]byte(words[0])) || words[0][0] != '{' {
		return "this is no JSON object", `write command {"type":"get_state"}; bytes that are to be no JSON are sent by send "{\n"`
	}
	a.Text = words[0]
	return "", ""
}

func (a *Act) readSend(words []string) (msg, hint string) {
	if a.Raw {
		return a.readText(words)
	}
	return a.readJSON(words)
}

var eventForm = regexp.MustCompile(`^[a-z_]+(\([A-Za-z_]+\))?$`)

func (a *Act) readEvent(words []string) (msg, hint string) {
	if len(words) == 2 {
		n, err := strconv.Atoi(strings.TrimPrefix(words[1], "x"))
		if err != nil || n < 1 || words[1][0] != 'x' {
			return fmt.Sprintf("%q is no number of times", words[1]), "write x2 for the second"
		}
		a.N, words = n, words[:1]
	}
	if len(words) != 1 || !eventForm.MatchString(words[0]) {
		return "on needs an event", "write on text_delta, on message_end(user), on tool_execution_start(bash) x2"
	}
	a.Text = words[0]
	return "", ""
}

func (a *Act) readDuration(words []string) (msg, hint string) {
	var err error
	if a.Wait, err = time.ParseDuration(strings.Join(words, " ")); err != nil || a.Wait <= 0 {
		return "wait needs a duration", "write wait 300ms"
	}
	return "", ""
}

func (a *Act) readFile(words []string) (msg, hint string) {
	if len(words) != 2 {
		return "until needs a file and a text", `write until out.txt "end"`
	}
	a.File, a.Text = words[0], words[1]
	return "", ""
}

func (a *Act) readSignal(words []string) (msg, hint string) {
	if len(words) != 1 || signalOf(words[0]) == 0 {
		return "signal needs a name", "known: " + strings.Join(signalNames(), ", ")
	}
	a.Text = words[0]
	return "", ""
}

func (a *Act) readNumber(words []string) (msg, hint string) {
	var err error
	if a.N, err = strconv.Atoi(strings.Join(words, " ")); err != nil || a.N < 1 {
		return a.Verb + " needs a number", "the first Pi is 1"
	}
	return "", ""
}

func (a *Act) readArgs(words []string) (msg, hint string) {
	a.Args = words
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
