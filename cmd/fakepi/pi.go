package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
	"fakepi.example/scenarios"
)

// piVersion is the version of Pi that is played.
const piVersion = "1.6.0"

var errTime = errors.New("FAKEPI_TIME must be real, virtual, or x and a number above 0, as x60")

// runPi is the process in the place of pi.
func runPi(args []string) fakepi.Exit {
	o, err := parseOptions(args)
	switch {
	case err != nil:
	case o.version:
		fmt.Println(piVersion)
		return fakepi.Exit{}
	case o.help:
		fmt.Print(piHelp)
		return fakepi.Exit{}
	default:
		var p *process
		if p, err = newProcess(o); err != nil {
			break
		}
		var exit fakepi.Exit
		if exit, err = p.run(); err == nil {
			return exit
		}
	}
	fmt.Fprintf(os.Stderr, "Error: %v\n", err)
	return fakepi.Exit{Code: 1}
}

// newProcess makes the worker and joins it to the process's surroundings. A one-shot reads stdin to its end first,
// unless a terminal is there (docs/pi-formats.md, section 1).
func newProcess(o options) (*process, error) {
	if o.mode == "" {
		return nil, errInteractive
	}
	speed, err := speedOf(os.Getenv("FAKEPI_TIME"))
	if err != nil {
		return nil, err
	}
	played, err := readScript(o.script)
	if err != nil {
		return nil, err
	}
	p := &process{speed: speed, out: os.Stdout, err: os.Stderr}
	steps, model := withoutSpawn(played.For(script.DefaultActor))
	if o.model == "" {
		o.model = model
	}
	if o.mode == script.ModeRPC {
		p.lines = readLines(os.Stdin)
	} else {
		if o.messages, err = withStdin(o.messages, os.Stdin); err != nil {
			return nil, err
		}
		if steps = oneShot(steps, o.messages); len(o.messages) == 0 {
			steps = append(steps, script.Step{Action: script.Exits{}})
		}
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP)
	p.signals = signals
	return p, p.join(o, steps, played.Files)
}

// join makes the worker and opens its session.
func (p *process) join(o options, steps []script.Step, files map[string][]byte) error {
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	dir, err := sessionDir(o, cwd)
	if err != nil {
		return err
	}
	switch {
	case o.session != "":
		o.session, err = filepath.Abs(o.session)
	case o.goOn:
		o.session = newestSession(dir)
	}
	if err != nil {
		return err
	}
	var history *fakepi.History
	if o.session != "" && !o.noSession {
		if history, p.session, err = openSession(o.session); err != nil {
			return err
		}
	}
	p.worker, err = fakepi.New(fakepi.Config{
		Steps: steps, Files: files, Seed: rand.Uint64(), Mode: o.mode, Driven: o.mode == script.ModeRPC,
		Epoch: time.Now(), CWD: cwd, Model: o.model, Provider: o.provider, PID: os.Getpid(),
		SessionDir: dir, SessionPath: o.session, SessionName: o.name, NoSession: o.noSession, History: history,
	})
	if err == nil && p.session == nil {
		p.session = &sessionLog{path: p.worker.SessionPath()}
	}
	return err
}

// speedOf reads FAKEPI_TIME.
func speedOf(text string) (float64, error) {
	switch text {
	case "", "real":
		return 1, nil
	case "virtual":
		return 0, nil
	}
	digits, ok := strings.CutPrefix(text, "x")
	n, err := strconv.ParseUint(digits, 10, 32)
	if !ok || err != nil || n == 0 {
		return 0, fmt.Errorf("%w; it is %q", errTime, text)
	}
	return float64(n), nil
}

// readScript reads the script to play; without a name the empty one.
func readScript(name string) (*script.Script, error) {
	if name == "" {
		name = os.Getenv("FAKEPI_SCRIPT")
	}
	if name == "" {
		return &script.Script{}, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if scenarios.Is(data) {
		return nil, fmt.Errorf("%s: %w", name, errScenario)
	}
	s, errs := source{name, data}.script()
	if len(errs) > 0 {
		return nil, errs[0]
	}
	for _, step := range s.Steps {
		if killed, ok := step.Action.(script.Killed); ok && deaths[killed.Signal] == 0 {
			return nil, &script.Error{Pos: step.Pos, Msg: "a process cannot end itself by " + killed.Signal, Hint: "use SIGKILL, SIGTERM, SIGINT or SIGHUP"}
		}
	}
	return s, nil
}

// withoutSpawn takes the first generation's steps without what the command line says better; its model is returned.
func withoutSpawn(steps []script.Step) (rest []script.Step, model string) {
	for _, s := range steps {
		spawn, ok := s.Action.(script.Spawn)
		switch {
		case !ok:
			rest = append(rest, s)
		case len(rest) > 0 || model != "":
			return rest, model
		default:
			model = spawn.Model
		}
	}
	return rest, model
}

// withStdin puts what is piped in before the first message.
func withStdin(messages []string, in *os.File) ([]string, error) {
	if term.IsTerminal(int(in.Fd())) {
		return messages, nil
	}
	data, err := io.ReadAll(in)
	text := strings.TrimSpace(string(data))
	switch {
	case err != nil || text == "":
		return messages, err
	case len(messages) == 0:
		return []string{text}, nil
	}
	return append([]string{text + "\n" + messages[0]}, messages[1:]...), nil
}

// oneShot gives the script's prompts the texts of the messages. Prompts beyond them are not played; messages beyond
// the script get a short reply, unless the worker is gone or silent by then. Without a message it exits.
func oneShot(steps []script.Step, messages []string) []script.Step {
	var played []script.Step
	var at time.Duration
	open := true // the worker goes on behind its last step
	for _, s := range steps {
		if prompt, ok := s.Action.(script.Prompt); ok {
			if len(messages) == 0 {
				return played
			}
			prompt.Text = script.Text{Value: messages[0]}
			s.Action, messages = prompt, messages[1:]
		}
		switch s.Action.(type) {
		case script.Stalls, script.Wedges, script.Exits, script.Killed:
			open = false
		}
		played, at = append(played, s), s.End()
	}
	if !open {
		return played
	}
	for _, text := range messages {
		played = append(played,
			script.Step{At: at, Action: script.Prompt{Text: script.Text{Value: text}}},
			script.Step{At: at, Action: script.Says{Text: script.Text{Value: "Noted."}}},
			script.Step{At: at, Action: script.Settles{}})
	}
	return played
}
