package wcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"fakepi.example/watchdog/journal"
)

// remoteLog is a watchdog.State that the suite keeps. Each change is a message, done when the suite has answered.
type remoteLog struct {
	s    *server
	data []byte
}

// Read implements watchdog.State.
func (l *remoteLog) Read() ([]byte, error) { return slices.Clone(l.data), nil }

// Append implements watchdog.State. After ErrFull the suite's log holds what fitted, which only Truncate is sure to remove.
func (l *remoteLog) Append(p []byte) error {
	blob := Blob(p)
	err := l.do(appendLine{typeAppend, &blob})
	if err == nil {
		l.data = append(l.data, p...)
	}
	return err
}

// Sync implements watchdog.State.
func (l *remoteLog) Sync() error { return l.do(bare{typeSync}) }

// Truncate implements watchdog.State.
func (l *remoteLog) Truncate(size int64) error {
	err := l.do(sizeLine{typeTruncate, &size})
	if err == nil && size < int64(len(l.data)) {
		l.data = l.data[:size]
	}
	return err
}

// Drop implements journal.Dropper.
func (l *remoteLog) Drop(size int64) error {
	err := l.do(sizeLine{typeDrop, &size})
	if err == nil {
		l.data = slices.Clone(l.data[size:])
	}
	return err
}

// do asks for a change and waits for its answer.
func (l *remoteLog) do(v any) error {
	if err := l.s.say(v); err != nil {
		return err
	}
	if err := l.s.out.Flush(); err != nil {
		return err
	}
	line, err := l.s.in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the suite has not answered a change of the log: %w", err)
	}
	var answer stored
	if err := json.Unmarshal(line, &answer); err != nil {
		return err
	}
	switch {
	case answer.Type != typeStored:
		return fmt.Errorf("%q in answer to a change of the log; want stored", answer.Type)
	case answer.Error == storedFull:
		return journal.ErrFull
	case answer.Error == storedFenced:
		return journal.ErrFenced
	case answer.Error != "":
		return errors.New(answer.Text)
	}
	return nil
}
