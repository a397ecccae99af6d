package main

const piHelp = `pi - a coding agent (this is fakepi, which plays a script in its place)

Usage: pi [options] [--] [@file ...] [message ...]

  FAKEPI_SCRIPT=demo.txtar FAKEPI_TIME=virtual PI_CODING_AGENT_DIR=/tmp/agent pi --mode json "tidy up" </dev/null

Like Pi it writes sessions and settings below PI_CODING_AGENT_DIR, by default ~/.pi/agent: keep yours out of it.
Words that are no options are messages: the commands of its own are fakepi script, fakepi model and fakepi completion.

Modes:
  --mode rpc                     commands on stdin, events on stdout, a JSON object a line
  --mode json                    answer the messages, print the events, exit
  --mode text, --print, -p       answer the messages, print the last reply, exit
                                 In a terminal, and without -p, text is interactive.

Sessions, in $PI_CODING_AGENT_DIR/sessions (default ~/.pi/agent/sessions), a folder for each working directory:
  --continue, -c                 go on with the newest one of this directory
  --resume, -r                   choose one
  --session PATH|ID              go on with this one, or begin it; an ID may be its first characters
  --session-id ID                go on with the one of this ID in this directory, or begin it
  --fork PATH|ID                 go on with a copy of it in this directory
  --session-dir DIR              keep them in DIR instead; also $PI_CODING_AGENT_SESSION_DIR
  --name, -n NAME                name it
  --no-session                   save nothing

The model, which a fake does not ask; it is recorded with the session:
  --provider NAME, --model ID    also --model NAME/ID[:LEVEL]; with a models.json also a part of its name
  --models PATTERNS              those between which a client changes, as also the setting enabledModels
  --thinking LEVEL               off, minimal, low, medium, high, xhigh, max
  --list-models [SEARCH]         list the models of models.json and exit

  --tools, -t NAMES              the tools that a call may name; also +NAME and -NAME; * is any text
  --exclude-tools, -xt NAMES     those that it may not
  --no-tools, -nt, --no-builtin-tools, -nbt
  --system-prompt TEXT|FILE, --append-system-prompt TEXT|FILE
                                 what a session of Pi 1.6 says of them
  --no-context-files, -nc        nor of AGENTS.md and the like
  --approve, -a, --no-approve, -na
                                 whether settings and prompts of the working directory count

  @file                          put a file before the first message
  --tui-mode MODE                regular or fullscreen, of an interactive one
  --export FILE [OUTPUT]         write a session as an HTML page and exit
  --help, -h                     print this and exit
  --version, -v                  print the version of Pi that is played and exit

Accepted, without effect on a fake:
  --api-key, --extension -e, --skill, --prompt-template, --theme, --use-theme, each with a value;
  --no-extensions -ne, --no-mcp, --no-skills -ns, --no-prompt-templates -np,
  --no-themes, --verbose, --offline
There are no skills and no prompt templates, of a folder neither: /name goes to the model as it stands.
As with Pi, --api-key needs a model, and the file of an extension must be there and export something. It is not run, so that
one that Pi refuses for its syntax, or because it throws, is accepted.

The fake:
  --fakepi-script FILE           what to play; else $FAKEPI_SCRIPT, else every prompt gets a short reply
  --allow-exec                   let the script run commands, which is refused without it, and the client's bash,
                                 which else prints nothing and ends well; also FAKEPI_ALLOW_EXEC=1
  FAKEPI_DIALECT=pi-1.6|pi-0.73  the version of Pi to play
  FAKEPI_TIME=real|x60|virtual   as the script says, so many times faster, or without any waiting
  FAKEPI_LEDGER=FILE             write down what the process does and meets; a script's n-th spawn is for the n-th start
  fakepi script --help           play, check and format scripts
  fakepi model --help            let a real Pi play a script
  fakepi completion --help       completion of these two for a shell

Exit status: 0 ended, whatever came of the work (but 1 for --print where the reply failed); 1 wrong usage or a crash;
129 SIGHUP; 143 SIGTERM; else as the script says.
`
