package native_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/pi16"
)

// BenchmarkInstead measures our way and what one would take instead in turns, over all recorded lines of pi-1.6, so that a noisy
// machine slows both; the metric is how many times faster ours is.
func BenchmarkInstead(b *testing.B) {
	lines := recordedLines(b, pi16.Codec{})
	b.Run("skim-for-json.Unmarshal", func(b *testing.B) {
		var s native.Skimmed
		inTurns(b, lines,
			func(line []byte) { native.Skim(line, &s) },
			func(line []byte) {
				var v any
				_ = json.Unmarshal(line, &v)
			})
	})
	b.Run("decode-for-json.Unmarshal", func(b *testing.B) {
		inTurns(b, lines,
			func(line []byte) { _, _ = pi16.Decode(line) },
			func(line []byte) {
				var v any
				_ = json.Unmarshal(line, &v)
			})
	})
	b.Run("append-for-json.Marshal", func(b *testing.B) {
		typed, untyped := map[*byte]native.Record{}, map[*byte]any{}
		var both [][]byte // some recorded lines are no JSON on purpose
		for _, line := range lines {
			r, err := pi16.Decode(line)
			var v any
			if err == nil && json.Unmarshal(line, &v) == nil {
				typed[&line[0]], untyped[&line[0]] = r, v
				both = append(both, line)
			}
		}
		dst := make([]byte, 0, 1<<16)
		inTurns(b, both,
			func(line []byte) { _, _ = pi16.Append(dst, typed[&line[0]]) },
			func(line []byte) { _, _ = json.Marshal(untyped[&line[0]]) })
	})
	b.Run("splitter-for-bufio.Scanner", func(b *testing.B) {
		chunk := append(bytes.Join(lines, []byte{'\n'}), '\n')
		buf := make([]byte, native.MaxLine)
		var s native.Splitter
		inTurns(b, [][]byte{chunk},
			func(chunk []byte) {
				s.Feed(chunk)
				for _, ok := s.Next(); ok; _, ok = s.Next() {
				}
			},
			func(chunk []byte) {
				sc := bufio.NewScanner(bytes.NewReader(chunk))
				sc.Buffer(buf, len(buf))
				for sc.Scan() {
				}
			})
	})
}

// inTurns runs ours and theirs over the lines, one after the other in each round, and reports the ratio of their times.
func inTurns(b *testing.B, lines [][]byte, ours, theirs func([]byte)) {
	pass := func(f func([]byte)) time.Duration {
		start := time.Now()
		for _, line := range lines {
			f(line)
		}
		return time.Since(start)
	}
	var a, z time.Duration
	for b.Loop() {
		a += pass(ours)
		z += pass(theirs)
	}
	b.ReportMetric(0, "ns/op") // of both together it says nothing
	b.ReportMetric(float64(z)/float64(a), "times-faster")
}
