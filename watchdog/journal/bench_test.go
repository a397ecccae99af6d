package journal_test

import (
	"testing"

	"fakepi.example/watchdog/journal"
)

func ignore(journal.Record) error { return nil }

// BenchmarkCommit writes records of all kinds one by one, as a step of a simulated watchdog does.
func BenchmarkCommit(b *testing.B) {
	m := new(journal.Memory)
	l := openLog(b, acquire(b, m), ignore)
	bodies := samples()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := l.Add(journal.Record{N: i, At: now, Body: bodies[i%len(bodies)]}); err != nil {
			b.Fatal(err)
		}
		if err := l.Commit(); err != nil {
			b.Fatal(err)
		}
		if m.Size() > 1<<20 {
			b.StopTimer()
			m = new(journal.Memory)
			l = openLog(b, acquire(b, m), ignore)
			b.StartTimer()
		}
	}
}

// BenchmarkCrash is what a crash costs in exploration: a fork of the store, and a replay of 36 records.
func BenchmarkCrash(b *testing.B) {
	bodies := samples()
	text, _ := written(b, append(append(bodies, bodies...), bodies...)...)
	m := new(journal.Memory)
	w := acquire(b, m)
	if err := w.Append(text); err != nil {
		b.Fatal(err)
	}
	if err := w.Sync(); err != nil {
		b.Fatal(err)
	}
	b.Run("clone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m.Clone()
		}
	})
	b.Run("clone and open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			openLog(b, acquire(b, m.Clone()), ignore)
		}
	})
}
