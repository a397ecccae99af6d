package wcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
	"unicode/utf8"
)

// sendValue writes one message.
func (h *Harness) sendValue(v any) (err error) {
	if h.buf, err = appendJSON(h.buf[:0], v); err != nil {
		return err
	}
	return h.send()
}

// send writes the message in buf, and begins to count what comes in answer.
func (h *Harness) send() error {
	if h.tap != nil {
		h.tap(true, h.buf)
	}
	h.buf = append(h.buf, '\n')
	if d, ok := h.from.(deadliner); ok {
		_ = d.SetReadDeadline(time.Now().Add(h.limits.Answer)) // a reader without deadlines is waited for
	}
	if d, ok := h.out.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = d.SetWriteDeadline(time.Now().Add(h.limits.Answer))
	}
	h.lines, h.output = 0, 0
	switch _, err := h.out.Write(h.buf); {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: the adapter has not read its stdin for %s", ErrHung, h.limits.Answer)
	default:
		return fmt.Errorf("%w: the adapter no longer reads its stdin: %w", ErrDied, err)
	}
}

// read reads the next line into h.line and returns the type of its message.
func (h *Harness) read() (string, error) {
	h.line = h.line[:0]
	for {
		part, err := h.in.ReadSlice('\n')
		h.line = append(h.line, part...)
		if len(h.line) > h.limits.Line {
			return "", broken("WCP-01", h.line, "a line of more than %d bytes", h.limits.Line)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", h.readError(err)
		}
	}
	h.lines++
	h.output += len(h.line)
	h.line = bytes.TrimSuffix(h.line, []byte("\n"))
	if h.tap != nil {
		h.tap(false, h.line)
	}
	switch {
	case h.lines > h.limits.Lines:
		return "", broken("WCP-14", nil, "more than %d lines in answer to one message", h.limits.Lines)
	case h.output > h.limits.Output:
		return "", broken("WCP-14", nil, "more than %d bytes in answer to one message", h.limits.Output)
	}
	return kindOf(h.line)
}

func (h *Harness) readError(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: no answer within %s of real time", ErrHung, h.limits.Answer)
	case errors.Is(err, io.EOF) && len(h.line) > 0:
		return broken("WCP-01", h.line, "stdout ends in the middle of a line")
	case errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed):
		return fmt.Errorf("%w: the adapter closed its stdout in the middle of the conversation", ErrDied)
	default:
		return fmt.Errorf("%w: %w", ErrDied, err)
	}
}

// kindOf finds the type of a message.
func kindOf(line []byte) (string, error) {
	if bytes.HasSuffix(line, []byte("\r")) {
		return "", broken("WCP-01", line, "a line that ends in CR LF; end it in LF alone")
	}
	if rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`)); ok { // as our own adapters write it
		if end := bytes.IndexByte(rest, '"'); end >= 0 && bytes.IndexByte(rest[:end], '\\') < 0 && utf8.Valid(rest) {
			return string(rest[:end]), nil
		}
	}
	if !utf8.Valid(line) {
		return "", broken("WCP-01", line, "a line that is not UTF-8")
	}
	var head struct {
		Type *string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return "", broken("WCP-01", line, "a line that is no JSON object: %v", err)
	}
	if head.Type == nil {
		return "", broken("WCP-03", line, `a message without a "type"`)
	}
	return *head.Type, nil
}

// decode reads the current line strictly: a member that the message does not have, or a value of another type, breaks WCP-03.
func (h *Harness) decode(v any) error {
	dec := json.NewDecoder(bytes.NewReader(h.line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return broken("WCP-03", h.line, "%v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return broken("WCP-01", h.line, "more after the end of the object")
	}
	return nil
}

// fastQuiescent reads the form in which Serve writes the most frequent line.
func fastQuiescent(line []byte) (wake time.Duration, ack int, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"type":"quiescent","wake_ms":`))
	if !ok {
		return 0, 0, false
	}
	number, rest, ok := bytes.Cut(rest, []byte(`,"ack":`))
	if !ok || len(rest) < 2 || rest[len(rest)-1] != '}' {
		return 0, 0, false
	}
	if wake, ok = fastMillis(number); !ok {
		return 0, 0, false
	}
	ack, ok = fastInt(rest[:len(rest)-1])
	return wake, ack, ok
}

// fastMillis reads a number of milliseconds of at most 15 digits before the point and 6 behind it, as JSON writes it.
func fastMillis(text []byte) (time.Duration, bool) {
	whole, frac, point := bytes.Cut(text, []byte("."))
	n, ok := fastInt(whole)
	if !ok || n < 0 || point && len(frac) == 0 || len(frac) > 6 || n > int(292*365*24*time.Hour/time.Millisecond) {
		return 0, false
	}
	d := time.Duration(n) * time.Millisecond
	unit := time.Millisecond / 10
	for _, c := range frac {
		if c < '0' || c > '9' {
			return 0, false
		}
		d += time.Duration(c-'0') * unit
		unit /= 10
	}
	return d, true
}

func fastInt(text []byte) (int, bool) {
	if len(text) == 0 || len(text) > 15 || text[0] < '0' || text[0] > '9' || text[0] == '0' && len(text) > 1 {
		return 0, false
	}
	n, err := strconv.Atoi(string(text))
	return n, err == nil
}
