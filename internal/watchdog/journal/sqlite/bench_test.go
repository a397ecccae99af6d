package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// BenchmarkAgainstFile commits the same record to SQLite, to a plain file with an fsync, and to memory, in turn, so that
// all meet the same disk. It reports how many commits each does in a second, and the ratio to the file.
func BenchmarkAgainstFile(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "journal.db"))
	defer s.Close()
	file, err := os.OpenFile(filepath.Join(b.TempDir(), "journal.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	m := new(journal.Memory)
	w, err := m.Acquire("bench", watchdog.Instant{}, 0)
	if err != nil {
		b.Fatal(err)
	}
	names := []string{"sqlite", "file", "memory"}
	logs := []*journal.Log{openLog(b, acquire(b, s)), openLog(b, plainFile{file}), openLog(b, w)}
	took := make([]time.Duration, len(logs))
	record := journal.Record{N: 1, Body: journal.Intent{Key: "w1.2.4", Command: watchdog.CmdTerminate, Worker: "w1", Generation: 2}}
	n := 0
	for ; b.Loop(); n++ {
		for i, l := range logs {
			start := time.Now()
			if err := l.Add(record); err != nil {
				b.Fatal(err)
			}
			if err := l.Commit(); err != nil {
				b.Fatal(err)
			}
			took[i] += time.Since(start)
		}
	}
	for i, name := range names {
		b.ReportMetric(float64(n)/took[i].Seconds(), name+"/s")
		b.ReportMetric(float64(took[1])/float64(took[i]), name+"/file")
	}
}

func openLog(b *testing.B, s watchdog.State) *journal.Log {
	b.Helper()
	l, err := journal.Open(s, watchdog.Instant{}, func(journal.Record) error { return nil })
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// plainFile is the least that a durable State can be.
type plainFile struct{ *os.File }

func (f plainFile) Read() ([]byte, error) { return os.ReadFile(f.Name()) }
func (f plainFile) Append(p []byte) error { _, err := f.Write(p); return err }
