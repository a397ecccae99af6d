package process_test

import (
	"testing"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/internal/conformance/wcp/process"
	"fakepi.example/watchdog"
)

// BenchmarkTick is one round trip of a tick to the reference as an adapter: without news, and with a delta.
func BenchmarkTick(b *testing.B) {
	delta := []byte(`{"type":"message_update","usage":{},"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"word "}}` + "\n")
	for _, row := range []struct {
		name string
		news bool
	}{{"empty", false}, {"delta", true}} {
		b.Run(row.name, func(b *testing.B) {
			s, err := process.New(b.Context(), config("nothing"))
			if err != nil {
				b.Fatal(err)
			}
			h, err := s.Open(conformance.Case{ID: "bench"})
			if err != nil {
				b.Fatal(err)
			}
			w, err := h.Start(watchdog.Boot{Policy: watchdog.DefaultPolicy(), Incarnation: 1})
			if err != nil {
				b.Fatal(err)
			}
			now, offset := watchdog.Instant{BootID: "boot-1", Wall: time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC)}, int64(0)
			var seen []watchdog.Observation
			for i := 0; b.Loop(); i++ {
				now.Mono += time.Millisecond
				now.Boot = now.Mono
				if row.news {
					seen = append(seen[:0], watchdog.Observation{N: i + 1, At: now, Worker: "w1", Generation: 1, Body: watchdog.Bytes{Stream: watchdog.StreamOut, Offset: offset, Data: delta}})
					offset += int64(len(delta))
				}
				if _, err := w.Step(now, seen); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ticks/s")
			if err := h.Close(); err != nil {
				b.Fatal(err)
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
