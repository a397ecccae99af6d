package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// dialogue is what Pi asks before it begins: on stderr where stdout is for a program.
type dialogue struct {
	in  *os.File
	out io.Writer
}

// mayFork asks whether a session of another working directory may be copied. The error is errDeclined.
func (d *dialogue) mayFork(cwd string) error {
	fmt.Fprintf(d.out, "Session found in different project: %s\nFork this session into current directory? [y/N] ", cwd)
	var answer []byte
	for {
		key, ok := d.key()
		switch {
		case !ok:
			return errDeclined
		case key != '\n':
			answer = append(answer, key)
			continue
		}
		if a := string(answer); a == "y" || a == "Y" || a == "yes" {
			return nil
		}
		fmt.Fprintln(d.out, "Aborted.")
		return errDeclined
	}
}

// key reads one byte, and no more: what follows is for whom comes after.
func (d *dialogue) key() (byte, bool) {
	var b [1]byte
	n, err := d.in.Read(b[:])
	return b[0], n == 1 && err == nil
}

// choose lets the user choose a session: the arrows move, enter takes it. The error is errDeclined, or that of the
// terminal.
func (d *dialogue) choose(list []sessionInfo) (string, error) {
	if fd := int(d.in.Fd()); term.IsTerminal(fd) {
		before, err := term.MakeRaw(fd)
		if err != nil {
			return "", err
		}
		defer term.Restore(fd, before)
	}
	at := 0
	for {
		d.paint(list, at)
		var b [8]byte
		n, err := d.in.Read(b[:]) // a terminal gives one key
		switch key := string(b[:n]); {
		case err != nil:
			return "", errDeclined
		case key == "\x1b[A":
			at = max(0, at-1)
		case key == "\x1b[B":
			at = max(0, min(len(list)-1, at+1))
		case (key == "\r" || key == "\n") && len(list) > 0:
			return list[at].path, nil
		case key == "\x1b" || key == "\x03":
			fmt.Fprint(d.out, "No session selected\r\n")
			return "", errDeclined
		}
	}
}

func (d *dialogue) paint(list []sessionInfo, at int) {
	fmt.Fprint(d.out, "\x1b[2J\x1b[HResume Session\r\n")
	for i, s := range list {
		mark := "  "
		if i == at {
			mark = "> "
		}
		title := s.name
		if title == "" {
			title = s.first
		}
		fmt.Fprintf(d.out, "%s%s  %d messages  %s\r\n", mark, title, s.messages, s.modified.Format("2006-01-02 15:04"))
	}
}
