// Package refusal says why a process in the place of pi does not begin, and how it then exits.
package refusal

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"fakepi.example/fakepi"
	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// UsageError is a mistake on pi's command line, in Pi's words.
type UsageError string

func (e UsageError) Error() string { return string(e) }

// PlainError is what Pi says without calling it an error.
type PlainError string

func (e PlainError) Error() string { return string(e) }

var (
	// ErrDeclined: the user would rather not go on; Pi then exits with 0.
	ErrDeclined = errors.New("declined")
	// ErrHungUp: the terminal has gone before the user has chosen; Pi 0.73 then ends by SIGABRT.
	ErrHungUp = errors.New("no terminal any more")
	// ErrReported: Pi does not begin, and has said why.
	ErrReported = errors.New("reported")
)

// PrintRefusal prints why a process does not begin, unless it has said so.
func PrintRefusal(w io.Writer, err error) {
	var plain PlainError
	switch {
	case errors.Is(err, ErrDeclined), errors.Is(err, ErrHungUp), errors.Is(err, ErrReported):
	case errors.Is(err, syscall.EPIPE): // as Node says it
		fmt.Fprint(w, "Error: write EPIPE\n    at afterWriteDispatched\n")
	case errors.As(err, &plain):
		fmt.Fprintln(w, plain)
	default:
		fmt.Fprintln(w, "Error: "+nodefs.Words(err))
	}
}

// ExitOf is how the process ends when an error keeps it from beginning.
func ExitOf(err error) fakepi.Exit {
	switch {
	case errors.Is(err, ErrDeclined):
		return fakepi.Exit{}
	case errors.Is(err, ErrHungUp):
		return fakepi.Exit{Code: -1, Signal: "SIGABRT"}
	}
	return fakepi.Exit{Code: 1}
}
