package main

import (
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// quiet is a writer whose reader may go away: what comes after is dropped without an error, and the command still ends
// with the exit code of its work.
type quiet struct {
	w    io.Writer
	gone bool
}

func (q *quiet) Write(p []byte) (int, error) {
	if q.gone {
		return len(p), nil
	}
	n, err := q.w.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		q.gone = true
		return len(p), nil
	}
	return n, err
}

// colored reports whether text for w may carry colors: w is a terminal that understands them, and the user has not
// refused them (NO_COLOR, see no-color.org).
func colored(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

func isTerminal(w io.Writer) bool {
	if q, ok := w.(*quiet); ok {
		w = q.w
	}
	return isTerminalFile(w)
}

func isTerminalFile(file any) bool {
	f, ok := file.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// progress returns a function that shows how many of total steps are done, and one that removes what it showed. It shows
// nothing unless w is a terminal.
func progress(w io.Writer, what string) (show func(done, total int), clear func()) {
	if !isTerminal(w) {
		return func(int, int) {}, func() {}
	}
	bar := progressbar.NewOptions(1,
		progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what), progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetWidth(30), progressbar.OptionClearOnFinish(),
		progressbar.OptionUseANSICodes(os.Getenv("TERM") != "dumb")) // they also clear a ^C that the user typed
	show = func(done, total int) {
		bar.ChangeMax(total)
		_ = bar.Set(done) // a bar that cannot be drawn is no reason to stop
	}
	return show, func() { _ = bar.Clear() }
}
