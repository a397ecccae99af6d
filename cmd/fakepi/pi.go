package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/cli/refusal"
	"fakepi.example/internal/fakepi/cli/system"
	"fakepi.example/internal/fakepi/ledger"
)

var errDialect = errors.New("FAKEPI_DIALECT must be pi-1.6 or pi-0.73")

// dialectOfEnv is the dialect that is played unless an option says otherwise.
func dialectOfEnv() (native.Dialect, error) {
	dialect := native.Dialect(cmp.Or(os.Getenv("FAKEPI_DIALECT"), string(native.Pi16)))
	if !knownDialect(dialect) {
		return "", fmt.Errorf("%w; it is %q", errDialect, dialect)
	}
	return dialect, nil
}

// runPi is the process in the place of pi.
func runPi(args []string) fakepi.Exit {
	system.SetTitle("pi")
	start := system.NewStart()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a closed pipe is an error of the write; to ignore it is inherited
	exit, err := runArgs(args, start)
	if err == nil {
		return exit
	}
	refusal.PrintRefusal(os.Stderr, err)
	return refusal.ExitOf(err)
}

// runArgs reads the command line and does what it asks for.
func runArgs(args []string, start *ledger.Start) (fakepi.Exit, error) {
	dialect, err := dialectOfEnv()
	if err != nil {
		return fakepi.Exit{}, err
	}
	if done, err := packageCommand(args, dialect); done || err != nil {
		return fakepi.Exit{}, err
	}
	o := parseOptions(args, dialect)
	if err := o.flush(); err != nil {
		return fakepi.Exit{}, err
	}
	in, out := term.IsTerminal(int(os.Stdin.Fd())), term.IsTerminal(int(os.Stdout.Fd()))
	rules, _ := launchRulesOf(dialect)
	l := &launch{options: o, rules: rules, mode: o.playedMode(in, out), start: start}
	if err := l.locate(); err != nil {
		return fakepi.Exit{}, err
	}
	if done, err := l.printInfo(); done || err != nil {
		return fakepi.Exit{}, err
	}
	return l.run()
}

// printInfo does what needs no worker, and reports whether that was all. Where stdout is for records Pi says it on stderr.
func (l *launch) printInfo() (done bool, err error) {
	o := &l.options
	stdout := ignoreErrors{os.Stdout}
	out := stdout
	if l.mode != script.ModeTUI && (l.rules.infoOnStderr || o.print || o.mode != "") {
		out = ignoreErrors{os.Stderr}
	}
	switch {
	case o.version && l.rules.stdoutForInfo:
		_, err = fmt.Fprintln(stdout, l.rules.version)
	case o.version:
		_, err = fmt.Fprintln(out, l.rules.version)
	case o.export != "" && l.rules.stdoutForInfo:
		err = l.exportPage(stdout)
	case o.export != "":
		err = l.exportPage(out)
	case o.help:
		if err = l.prepareInfo(); err == nil {
			_, err = io.WriteString(out, piHelp)
		}
	case o.listModels != nil:
		if err = l.prepareInfo(); err == nil {
			err = l.listModels(out, *o.listModels)
		}
	default:
		return false, nil
	}
	return true, err
}

// ignoreErrors is a writer of which nobody learns whether it could write, as with what Node's console prints.
type ignoreErrors struct{ to io.Writer }

func (u ignoreErrors) Write(p []byte) (int, error) {
	_, _ = u.to.Write(p)
	return len(p), nil
}

// prepareInfo prepares a session that does not begin, to tell what is wrong with it.
func (l *launch) prepareInfo() error {
	if err := errors.Join(l.options.check(), l.options.checkName()); err != nil {
		return err
	}
	if !l.rules.opensForInfo {
		err := l.prepare(l.cwd, false)
		_ = l.options.flush() // nothing begins
		return err
	}
	session, err := l.openSession()
	if err != nil {
		return err
	}
	return l.prepare(session.cwd, session.history != nil)
}

// exportPage is --export.
func (l *launch) exportPage(out io.Writer) error {
	page := ""
	if len(l.options.messages) > 0 {
		page = l.options.messages[0]
	}
	page, err := l.sessions.export(l.options.export, page)
	if err == nil {
		_, err = fmt.Fprintln(out, "Exported to: "+page)
	}
	return err
}

// run starts the worker and plays it to its end. A start that fails is in the ledger too.
func (l *launch) run() (fakepi.Exit, error) {
	if err := l.openLedger(); err != nil {
		return fakepi.Exit{}, err
	}
	p, err := l.newProcess()
	if err != nil {
		exit := refusal.ExitOf(err)
		return fakepi.Exit{}, errors.Join(err, l.log.Append(&ledger.Exit{Code: exit.Code, Signal: exit.Signal}))
	}
	defer p.stdout.Release()
	defer p.stderr.Release()
	play := (*process).run
	if l.mode == script.ModeTUI {
		play = runInteractive
	}
	exit, err := play(p)
	if err != nil {
		p.notes.note(&ledger.Exit{Code: 1})
	}
	return exit, err
}

// openLedger counts this start, if there is a ledger.
func (l *launch) openLedger() (err error) {
	if l.start == nil {
		return nil
	}
	l.start.CWD, l.start.Dialect = l.cwd, string(l.options.dialect)
	l.start.Script = scriptPath(l.options.script)
	l.log, err = ledger.Open(os.Getenv("FAKEPI_LEDGER"), l.start)
	return err
}
