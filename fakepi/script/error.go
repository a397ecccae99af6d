package script

import (
	"fmt"
	"strings"
)

// Pos is a place in a source file.
type Pos struct {
	File string
	Line int // from 1
	Col  int // from 1, in runes
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// Error says what is wrong at a place and what to do about it.
type Error struct {
	Pos  Pos
	Msg  string
	Hint string // what to do; may be empty
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Pos.String() + ": " + e.Msg
	}
	return e.Pos.String() + ": " + e.Msg + "; " + e.Hint
}

// Errors is every error of a source, in the order of its lines. It is never empty where an error is returned.
type Errors []*Error

// maxShown is how many errors a text tells: a file that is no script at all has thousands.
const maxShown = 50

func (l Errors) Error() string {
	var lines []string
	for i, e := range l {
		if i == maxShown {
			lines = append(lines, fmt.Sprintf("... and %d more", len(l)-i))
			break
		}
		lines = append(lines, e.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find the first *Error.
func (l Errors) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// err returns nil for an empty list, so that callers can return it as an error.
func (l Errors) err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}
