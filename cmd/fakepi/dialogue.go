package main

import (
	"fmt"
	"io"
	"os"

	"fakepi.example/internal/fakepi/cli/refusal"
)

// dialogue is what Pi asks before it begins: on stderr where stdout is for a program.
type dialogue struct {
	version string // of the Pi that asks
	in      *os.File
	out     io.Writer
}

// mayFork asks whether a session of another working directory may be copied. The error is errDeclined.
func (d *dialogue) mayFork(cwd string) error {
	fmt.Fprintf(d.out, "Session found in different project: %s\nFork this session into current directory? [y/N] ", cwd)
	var answer []byte
	for {
		key, ok := d.key()
		switch {
		case !ok:
			return refusal.ErrDeclined
		case key != '\n':
			answer = append(answer, key)
			continue
		}
		if a := string(answer); a == "y" || a == "Y" || a == "yes" {
			return nil
		}
		fmt.Fprintln(d.out, "Aborted.")
		return refusal.ErrDeclined
	}
}

// key reads one byte, and no more: what follows is for whom comes after.
func (d *dialogue) key() (byte, bool) {
	var b [1]byte
	n, err := d.in.Read(b[:])
	return b[0], n == 1 && err == nil
}
