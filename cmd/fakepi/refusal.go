package main

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"fakepi.example/fakepi"
	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// usageError is a mistake on pi's command line, in Pi's words.
type usageError string

func (e usageError) Error() string { return string(e) }

// plainError is what Pi says without calling it an error.
type plainError string

func (e plainError) Error() string { return string(e) }

var (
	// errDeclined: the user would rather not go on; Pi then exits with 0.
	errDeclined = errors.New("declined")
	// errHungUp: the terminal has gone before the user has chosen; Pi 0.73 then ends by SIGABRT.
	errHungUp = errors.New("no terminal any more")
	// errReported: Pi does not begin, and has said why.
	errReported = errors.New("reported")
)

// printRefusal prints why a process does not begin, unless it has said so.
func printRefusal(w io.Writer, err error) {
	var plain plainError
	switch {
	case errors.Is(err, errDeclined), errors.Is(err, errHungUp), errors.Is(err, errReported):
	case errors.Is(err, syscall.EPIPE): // as Node says it
		fmt.Fprint(w, "Error: write EPIPE\n    at afterWriteDispatched\n")
	case errors.As(err, &plain):
		fmt.Fprintln(w, plain)
	default:
		fmt.Fprintln(w, "Error: "+nodefs.Words(err))
	}
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
