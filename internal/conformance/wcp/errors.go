package wcp

import (
	"errors"
	"fmt"
)

var (
	// ErrProtocol is wrapped by the error about an adapter that broke a rule of the protocol, a *Violation.
	ErrProtocol = errors.New("protocol error")
	// ErrHung says that an adapter took too long for an answer.
	ErrHung = errors.New("hung")
	// ErrDied says that an adapter closed its stdout or ended in the middle of the conversation.
	ErrDied = errors.New("ended")
	// ErrUnsupported says that an adapter answered start with unsupported.
	ErrUnsupported = errors.New("unsupported")
	// ErrFailed says that an adapter reported with failed that it cannot go on.
	ErrFailed = errors.New("failed")
)

// Violation is a broken rule of docs/wcp.md.
type Violation struct {
	Rule string // "WCP-06"
	What string
	Line string // the beginning of the line that broke it, if there is one
}

// Error implements error.
func (v *Violation) Error() string {
	text := fmt.Sprintf("%v: %s (%s in docs/wcp.md)", ErrProtocol, v.What, v.Rule)
	if v.Line != "" {
		text += fmt.Sprintf("; the line was %q", v.Line)
	}
	return text
}

// Unwrap makes errors.Is(err, ErrProtocol) hold.
func (v *Violation) Unwrap() error { return ErrProtocol }

// shownLine is how much of a line an error quotes.
const shownLine = 120

func broken(rule string, line []byte, format string, args ...any) error {
	return &Violation{Rule: rule, What: fmt.Sprintf(format, args...), Line: string(line[:min(len(line), shownLine)])}
}
