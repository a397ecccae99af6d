package fakepi_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/fakepi"
)

// BenchmarkText streams text, as most of a simulation does; an operation is one line.
func BenchmarkText(b *testing.B) {
	text := strings.Repeat("Reading the file. ", 100)
	src := "0s prompt \"x\"\n+1s says \"" + text + "\" over 1000h chunks 100000000\n"
	w := newWorker(b, src)
	var out []fakepi.Output
	now := time.Minute
	b.ReportAllocs()
	b.ResetTimer()
	for lines := 0; lines < b.N; {
		out = w.Step(now, out[:0])
		lines += len(out)
		b.SetBytes(int64(len(out[len(out)-1].Data)))
		at, ok := w.Next()
		if !ok {
			b.Fatal("the text is over")
		}
		now = at
	}
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
