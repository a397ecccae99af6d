package model

import (
	"encoding/json"
	"io"
	"sync"
	"time"
)

// Record is a line of the log: a request of Pi, or what was sent to it.
type Record struct {
	MS      float64         `json:"t_ms"`  // since the server's start
	Event   string          `json:"event"` // "request", "op", "gone" (Pi closed the connection), "end"
	N       int             `json:"n"`     // number of the request, from 1
	Path    string          `json:"path,omitempty"`
	Attempt string          `json:"attempt,omitempty"` // of a client library that repeats a request: "1", "2"
	Source  string          `json:"source,omitempty"`  // of the reply that answers it
	Body    json.RawMessage `json:"body,omitempty"`
	Op      string          `json:"op,omitempty"`
	Value   any             `json:"value,omitempty"` // of an op
}

// log writes records as JSON lines.
type log struct {
	mu    sync.Mutex
	out   io.Writer
	since func() time.Duration
	err   error // the first; nothing is written behind it
}

func (l *log) write(r Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil || l.err != nil {
		return
	}
	r.MS = float64(l.since().Microseconds()) / 1000
	line, err := json.Marshal(r)
	if err != nil {
		return // a body that is no JSON was refused before
	}
	_, l.err = l.out.Write(append(line, '\n')) // which does not change what Pi is told
}

func (l *log) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
