package tui_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/internal/fakepi/tui"
)

// What an hour of spinner costs a simulation, a frame.
func BenchmarkSpin(b *testing.B) {
	for _, v := range versions {
		b.Run(string(v), func(b *testing.B) {
			ui := tui.New(tui.Options{Version: v})
			ui.Open(0, "", "", tui.Report{})
			ui.Text(0, strings.Repeat("word ", 1000))
			ui.Run(0)
			ui.Turn(0)
			now := time.Duration(0)
			for b.Loop() {
				now, _ = ui.Next()
				ui.Play(now)
				ui.Written()
			}
		})
	}
}

// BenchmarkText is a delta of a long reply.
func BenchmarkText(b *testing.B) {
	for _, v := range versions {
		b.Run(string(v), func(b *testing.B) {
			ui := tui.New(tui.Options{Version: v})
			ui.Open(0, "", "", tui.Report{})
			for b.Loop() {
				ui.Text(0, "word ")
				ui.Play(0)
				ui.Written()
			}
		})
	}
}
