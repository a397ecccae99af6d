package terminal

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"fakepi.example/internal/fakepi/tui"
)

// rawLine lets a terminal give each key as it comes, as Node does: what is written is still processed, so that a line feed
// begins a line.
func rawLine(fd int) (restore func(), err error) {
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, err
	}
	processOutput(fd)
	return func() { _ = term.Restore(fd, before) }, nil // a terminal that has gone needs none
}

// WatchSize sends the size of a terminal, in columns and rows, whenever it changes.
func WatchSize(fd int) <-chan [2]int {
	changes := make(chan os.Signal, 1)
	signal.Notify(changes, syscall.SIGWINCH)
	sizes := make(chan [2]int)
	go func() {
		for range changes {
			if cols, rows, err := term.GetSize(fd); err == nil {
				sizes <- [2]int{cols, rows}
			}
		}
	}()
	return sizes
}

func ProgramStatus(variable string) tui.Status {
	switch variable {
	case "1":
		return tui.StatusOn
	case "0":
		return tui.StatusOff
	}
	return tui.StatusAsk
}
