package pi

import "bytes"

// This file finds what stands for a call, its output and its result, so that two of them can be compared (WDC-LOOP-001).

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func hash(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}

// callKey identifies a call by its tool and arguments.
func callKey(tool, args []byte) uint64 {
	return hash(hash(hash(fnvOffset, tool), []byte{0}), args)
}

// outputKey identifies accumulated output; 0 is none yet.
func outputKey(partial []byte) uint64 {
	if len(partial) == 0 || bytes.Equal(partial, []byte(`{"content":[]}`)) {
		return 0
	}
	return hash(fnvOffset, partial)
}

// timings are keys of a result whose values are durations.
var timings = [][]byte{[]byte(`"wall_time_seconds":`), []byte(`"durationMs":`)}

// places are where temporary files live.
var places = [][]byte{[]byte("/tmp/"), []byte("/var/tmp/"), []byte("/var/folders/")}

// something stands for what differs.
var something = []byte{'~'}

// resultKey identifies a result without what differs between two runs of the same call: durations and temporary paths.
func resultKey(result []byte) uint64 {
	h := uint64(fnvOffset)
	for i := 0; i < len(result); {
		n, piece := volatile(result, i), something
		if n == 0 {
			n, piece = 1, result[i:i+1]
		}
		h = hash(h, piece)
		i += n
	}
	return h
}

// volatile returns how many bytes at i are a duration or a temporary path.
func volatile(b []byte, i int) int {
	switch c := b[i]; {
	case c == '"':
		for _, key := range timings {
			if bytes.HasPrefix(b[i:], key) {
				return len(key) + number(b[i+len(key):])
			}
		}
	case c == '/':
		for _, place := range places {
			if bytes.HasPrefix(b[i:], place) {
				return len(place) + pathLength(b[i+len(place):])
			}
		}
	case c >= '0' && c <= '9' && (i == 0 || !wordByte(b[i-1])):
		n := number(b[i:])
		rest := b[i+n:]
		space := len(rest) - len(bytes.TrimLeft(rest, " "))
		if u := unit(rest[space:]); u > 0 && space <= 1 {
			return n + space + u
		}
	}
	return 0
}

func number(b []byte) (n int) {
	for n < len(b) && (b[n] >= '0' && b[n] <= '9' || b[n] == '.') {
		n++
	}
	return n
}

func pathLength(b []byte) (n int) {
	for n < len(b) && b[n] > ' ' && b[n] != '"' && b[n] != '\\' && b[n] != ':' && b[n] != ',' && b[n] != ')' {
		n++
	}
	return n
}

// unit returns the length of a unit of time at the start of b that no word goes on from.
func unit(b []byte) int {
	n := 0
	for n < len(b) && wordByte(b[n]) {
		n++
	}
	switch string(b[:n]) {
	case "ns", "us", "ms", "s", "sec", "secs", "second", "seconds", "m", "min", "mins", "minute", "minutes", "h", "hour", "hours":
		return n
	}
	return 0
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
