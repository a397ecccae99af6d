package main

import (
	"slices"
	"strings"

	"fakepi.example/fakepi/script"
)

// options are what the command line of pi says. What does not matter here is not kept.
type options struct {
	mode     script.Mode // empty: interactive
	print    bool
	messages []string

	model, provider  string
	session          string // a file
	sessionDir, name string
	goOn, noSession  bool
	script           string
	help, version    bool
}

// Options that are accepted and mean nothing to a fake.
var (
	ignored      = []string{"--offline", "--verbose", "--no-tools", "--no-extensions", "--no-skills"}
	ignoredValue = []string{"--thinking", "--system-prompt", "--append-system-prompt", "--tools", "--api-key", "--extension", "-e"}
)

// usageError is a mistake on pi's command line, worded as Pi words it.
type usageError string

func (e usageError) Error() string { return string(e) }

// parseOptions reads pi's command line. The error is a usageError.
func parseOptions(args []string) (options, error) {
	var o options
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch target := o.value(arg); {
		case target != nil:
			if len(args) == 0 {
				return o, usageError(arg + " requires a value")
			}
			if err := target(args[0]); err != nil {
				return o, err
			}
			args = args[1:]
		case o.flag(arg), slices.Contains(ignored, arg):
		case strings.HasPrefix(arg, "-") && len(arg) > 1:
			return o, usageError("Unknown option: " + arg)
		case strings.HasPrefix(arg, "@"): // a file for the model
		default:
			o.messages = append(o.messages, arg)
		}
	}
	if o.print && o.mode == "" {
		o.mode = script.ModePrint
	}
	return o, nil
}

// flag takes an option without a value and reports whether there is such a one.
func (o *options) flag(name string) bool {
	switch name {
	case "--print", "-p":
		o.print = true
	case "--continue", "-c":
		o.goOn = true
	case "--no-session":
		o.noSession = true
	case "--help", "-h":
		o.help = true
	case "--version", "-v":
		o.version = true
	default:
		return false
	}
	return true
}

// value returns what takes the value of an option, nil if the option is none with a value.
func (o *options) value(name string) func(string) error {
	keep := func(to *string) func(string) error {
		return func(value string) error { *to = value; return nil }
	}
	switch name {
	case "--mode":
		return o.setMode
	case "--model":
		return keep(&o.model)
	case "--provider":
		return keep(&o.provider)
	case "--session":
		return keep(&o.session)
	case "--session-dir":
		return keep(&o.sessionDir)
	case "--name", "-n":
		return keep(&o.name)
	case "--fakepi-script":
		return keep(&o.script)
	}
	if slices.Contains(ignoredValue, name) {
		return func(string) error { return nil }
	}
	return nil
}

func (o *options) setMode(name string) error {
	switch name {
	case "rpc", "json":
		o.mode = script.Mode(name)
	case "text":
		o.mode = script.ModePrint
	default:
		return usageError("Unknown mode: " + name + "; use text, json or rpc")
	}
	return nil
}

const piHelp = `pi - a coding agent (this is fakepi, which plays a script in its place)

Usage: pi [options] [@file ...] [message ...]

Modes:
  --mode rpc                     commands on stdin, events on stdout, a JSON object a line
  --mode json                    answer the messages, print the events, exit
  --mode text, --print, -p       answer the messages, print the last reply, exit

Sessions, in $PI_CODING_AGENT_DIR/sessions (default ~/.pi/agent/sessions), a folder for each working directory:
  --session FILE                 go on with this one, or begin it
  --continue, -c                 go on with the newest one of this folder
  --session-dir DIR              keep them in DIR instead
  --name, -n NAME                name it
  --no-session                   save nothing

Recorded with the session, without further effect:
  --provider NAME, --model ID

Accepted, without effect on a fake:
  --thinking LEVEL, --system-prompt TEXT, --append-system-prompt TEXT, --tools LIST, --no-tools, --api-key KEY,
  --extension, -e FILE, --no-extensions, --no-skills, --offline, --verbose, @file

  --help, -h                     print this
  --version, -v                  print the version of Pi that is played

The fake:
  --fakepi-script FILE           what to play; else $FAKEPI_SCRIPT, else every prompt gets a short reply
  FAKEPI_TIME=real|x60|virtual   as the script says, so many times faster, or without any waiting
  fakepi script --help           play, check and format scripts

Exit status: 0 ended, whatever came of the work; 1 wrong usage or a crash; 129 SIGHUP; 143 SIGTERM; else as the script says.
`
