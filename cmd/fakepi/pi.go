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
	"fakepi.example/internal/fakepi/ledger"
	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// versions are what the dialects' Pi says to --version.
var versions = map[native.Dialect]string{native.Pi16: "1.6.0", native.Pi073: "0.73.1"}

var errDialect = errors.New("FAKEPI_DIALECT must be pi-1.6 or pi-0.73")

// dialectOfEnv is the dialect that is played unless an option says otherwise.
func dialectOfEnv() (native.Dialect, error) {
	dialect := native.Dialect(cmp.Or(os.Getenv("FAKEPI_DIALECT"), string(native.Pi16)))
	if versions[dialect] == "" {
		return "", fmt.Errorf("%w; it is %q", errDialect, dialect)
	}
	return dialect, nil
}

// runPi is the process in the place of pi.
func runPi(args []string) fakepi.Exit {
	setTitle("pi")
	start := newStart()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a closed pipe is an error of the write; to ignore it is inherited
	exit, err := obey(args, start)
	var plain plainError
	switch {
	case err == nil:
		return exit
	case errors.Is(err, errDeclined), errors.Is(err, errHungUp), errors.Is(err, errReported):
	case errors.Is(err, syscall.EPIPE): // as Node says it
		fmt.Fprint(os.Stderr, "Error: write EPIPE\n    at afterWriteDispatched\n")
	case errors.As(err, &plain):
		fmt.Fprintln(os.Stderr, plain)
	default:
		fmt.Fprintln(os.Stderr, "Error: "+nodefs.Words(err))
	}
	return exitOf(err)
}

// exitOf is how the process ends when an error keeps it from beginning.
func exitOf(err error) fakepi.Exit {
	switch {
	case errors.Is(err, errDeclined):
		return fakepi.Exit{}
	case errors.Is(err, errHungUp):
		return fakepi.Exit{Code: -1, Signal: "SIGABRT"}
	}
	return fakepi.Exit{Code: 1}
}

// obey reads the command line and does what it asks for.
func obey(args []string, start *ledger.Start) (fakepi.Exit, error) {
	dialect, err := dialectOfEnv()
	if err != nil {
		return fakepi.Exit{}, err
	}
	if managed, err := manage(args, dialect); managed || err != nil {
		return fakepi.Exit{}, err
	}
	o := parseOptions(args, dialect)
	if err := o.flush(); err != nil {
		return fakepi.Exit{}, err
	}
	o.once = o.is16()
	in, out := term.IsTerminal(int(os.Stdin.Fd())), term.IsTerminal(int(os.Stdout.Fd()))
	l := &launch{options: o, mode: o.playedMode(in, out), start: start}
	if err := l.locate(); err != nil {
		return fakepi.Exit{}, err
	}
	if done, err := l.inform(); done || err != nil {
		return fakepi.Exit{}, err
	}
	return l.run()
}

// inform does what needs no worker, and reports whether that was all. Where stdout is for records Pi says it on stderr.
func (l *launch) inform() (done bool, err error) {
	o := &l.options
	stdout := ignoreErrors{os.Stdout}
	out := stdout
	if l.mode != script.ModeTUI && (!o.is16() || o.print || o.mode != "") {
		out = ignoreErrors{os.Stderr}
	}
	switch {
	case o.version && o.is16():
		_, err = fmt.Fprintln(stdout, versions[o.dialect])
	case o.version:
		_, err = fmt.Fprintln(out, versions[o.dialect])
	case o.export != "" && o.is16():
		err = l.exportPage(stdout)
	case o.export != "":
		err = l.exportPage(out)
	case o.help:
		if err = l.prepareToInform(); err == nil {
			_, err = io.WriteString(out, piHelp)
		}
	case o.listModels != nil:
		if err = l.prepareToInform(); err == nil {
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

// prepareToInform prepares a session that does not come. Pi 1.6 tells what is wrong with it; Pi 0.73 opens one as ever.
func (l *launch) prepareToInform() error {
	if err := errors.Join(l.options.check(), l.options.checkName()); err != nil {
		return err
	}
	if l.options.is16() {
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
		exit := exitOf(err)
		return fakepi.Exit{}, errors.Join(err, l.log.Append(&ledger.Exit{Code: exit.Code, Signal: exit.Signal}))
	}
	defer p.stdout.release()
	defer p.stderr.release()
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
