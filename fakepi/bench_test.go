package fakepi_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// BenchmarkText streams text, as most of a simulation does; an operation is one line. In pi-0.73 a line has the whole
// message twice, here one of 200 chunks.
func BenchmarkText(b *testing.B) {
	text := strings.Repeat("Reading the file. ", 100)
	long := "0s prompt \"x\"\n+1s says \"" + text + "\" over 1000h chunks 1000000\n"
	short := "0s prompt \"x\"\n+1s says \"" + text + "\" over 1h chunks 200\n+0s stalls\n"
	b.Run("pi-1.6", func(b *testing.B) { benchmarkText(b, native.Pi16, long) })
	b.Run("pi-0.73", func(b *testing.B) { benchmarkText(b, native.Pi073, short) })
}

func benchmarkText(b *testing.B, dialect native.Dialect, src string) {
	w := newWorker(b, src, in(dialect))
	next := w.Clone()
	var out []fakepi.Output
	var size int64
	b.ReportAllocs()
	b.ResetTimer()
	for lines := 0; lines < b.N; {
		at, ok := next.Next()
		if !ok {
			next = w.Clone()
			continue
		}
		out = next.Step(at, out[:0])
		lines += len(out)
		for i := range out {
			size += int64(len(out[i].Data))
		}
	}
	b.SetBytes(size / int64(b.N))
}

// BenchmarkTruth asks a worker in a tool.
func BenchmarkTruth(b *testing.B) {
	w := newWorker(b, "0s prompt \"x\"\n+1s tool bash \"make\" runs never busy\n")
	play(w, time.Minute, nil)
	b.ReportAllocs()
	for b.Loop() {
		w.Truth(time.Hour)
	}
}

// BenchmarkClone copies a worker in a tool.
func BenchmarkClone(b *testing.B) {
	w := newWorker(b, "0s prompt \"x\"\n+1s tool bash \"make\" runs never busy\n")
	play(w, time.Minute, nil)
	b.ReportAllocs()
	for b.Loop() {
		w.Clone()
	}
}
