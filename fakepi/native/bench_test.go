package native_test

import (
	"encoding/json"
	"testing"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/native/pi16"
)

// The deltas of a stream before and after the provider has reported usage.
const (
	freshDelta = `{"type":"message_update","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,` +
		`"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},` +
		`"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"a few words of an answer, "}}`
	costedDelta = `{"type":"message_update","usage":{"input":100,"output":20,"cacheRead":0,"cacheWrite":0,"reasoning":0,"totalTokens":120,` +
		`"cost":{"input":0.00030000000000000003,"output":0.00030000000000000003,"cacheRead":0,"cacheWrite":0,"total":0.0006000000000000001,"totalFromProvider":false}},` +
		`"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"a few words of an answer, "}}`
)

// eachLine runs f over lines and reports the time for one of them.
func eachLine(b *testing.B, lines [][]byte, f func(line []byte)) {
	var size int64
	for _, line := range lines {
		size += int64(len(line))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			f(line)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(lines)), "ns/line")
}

func BenchmarkSkim(b *testing.B) {
	var s native.Skimmed
	skim := func(line []byte) { native.Skim(line, &s) }
	b.Run("recorded", func(b *testing.B) { eachLine(b, recordedLines(b, pi16.Codec{}), skim) })
	b.Run("delta", func(b *testing.B) { eachLine(b, [][]byte{[]byte(freshDelta)}, skim) })
	b.Run("costed-delta", func(b *testing.B) { eachLine(b, [][]byte{[]byte(costedDelta)}, skim) })
}

// BenchmarkUnmarshalAny is what the skim is measured against.
func BenchmarkUnmarshalAny(b *testing.B) {
	unmarshal := func(line []byte) {
		var v any
		_ = json.Unmarshal(line, &v)
	}
	b.Run("recorded", func(b *testing.B) { eachLine(b, recordedLines(b, pi16.Codec{}), unmarshal) })
	b.Run("delta", func(b *testing.B) { eachLine(b, [][]byte{[]byte(freshDelta)}, unmarshal) })
	b.Run("costed-delta", func(b *testing.B) { eachLine(b, [][]byte{[]byte(costedDelta)}, unmarshal) })
}

func BenchmarkDecode(b *testing.B) {
	eachLine(b, recordedLines(b, pi16.Codec{}), func(line []byte) { _, _ = pi16.Decode(line) })
}

func BenchmarkEncode(b *testing.B) {
	encode := func(b *testing.B, lines [][]byte) {
		records := map[*byte]native.Record{}
		var kept [][]byte
		for _, line := range lines {
			if r, err := pi16.Decode(line); err == nil {
				records[&line[0]] = r
				kept = append(kept, line)
			}
		}
		dst := make([]byte, 0, 1<<16)
		eachLine(b, kept, func(line []byte) { _, _ = pi16.Append(dst, records[&line[0]]) })
	}
	b.Run("recorded", func(b *testing.B) { encode(b, recordedLines(b, pi16.Codec{})) })
	b.Run("delta", func(b *testing.B) { encode(b, [][]byte{[]byte(freshDelta)}) })
	b.Run("costed-delta", func(b *testing.B) { encode(b, [][]byte{[]byte(costedDelta)}) })
}

func BenchmarkSplit(b *testing.B) {
	var chunk []byte
	lines := recordedLines(b, pi16.Codec{})
	for _, line := range lines {
		chunk = append(append(chunk, line...), '\n')
	}
	var s native.Splitter
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		s.Feed(chunk)
		for _, ok := s.Next(); ok; _, ok = s.Next() {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(lines)), "ns/line")
}
