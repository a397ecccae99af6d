package wcp

import (
	"encoding/json"
	"time"

	"fakepi.example/watchdog"
)

// AppendTick, FastTick and the others are the two forms of what is read and written most often.
var (
	AppendTick    = appendTick
	FastQuiescent = fastQuiescent
)

// FastTick reads a tick without reflection.
func FastTick(line []byte) (now watchdog.Instant, seen []watchdog.Observation, ok bool) {
	var t tick
	ok = fastTick(line, &t)
	return t.Now, t.Seen, ok
}

// PlainTick reads it with encoding/json.
func PlainTick(line []byte) (now watchdog.Instant, seen []watchdog.Observation, err error) {
	var t tick
	err = json.Unmarshal(line, &t)
	return t.Now, t.Seen, err
}

// PlainQuiescent reads a line with encoding/json.
func PlainQuiescent(line []byte) (wake time.Duration, ack int, ok bool) {
	h := Harness{line: line}
	var q quiescent
	if h.decode(&q) != nil || q.Wake == nil || q.Ack == nil {
		return 0, 0, false
	}
	return time.Duration(*q.Wake), *q.Ack, true
}
