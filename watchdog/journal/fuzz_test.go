package journal_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fakepi.example/watchdog/journal"
)

// FuzzReplay reads anything, as it is and with right sums. What is not refused is a journal: it opens, lives on, and its
// records have a form that reads back as the same.
func FuzzReplay(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.jsonl"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds, error %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(text[:len(text)-20])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, text := range [][]byte{text, mended(text)} {
			var replayed keep
			end, err := journal.Replay(text, replayed.fold)
			if err != nil {
				if len(replayed) > 0 {
					t.Fatalf("refused with %v, and %d records were folded", err, len(replayed))
				}
				continue
			}
			if end.Size+int64(end.Torn) != int64(len(text)) || end.History > end.Size {
				t.Fatalf("%+v does not fit %d bytes", end, len(text))
			}
			goOn(t, text, replayed)
			again(t, replayed)
		}
	})
}

// mended gives every line a sum that fits.
func mended(text []byte) []byte {
	const sum = `,"sum":"00000000"}` + "\n"
	var out strings.Builder
	for line := range bytes.Lines(text) {
		if len(line) < len(sum) || line[len(line)-1] != '\n' {
			out.Write(line)
			continue
		}
		out.WriteString(journal.Sum(string(line[:len(line)-len(sum)])))
	}
	return []byte(out.String())
}

// again writes the records to another journal and compares what comes back.
func again(t *testing.T, records keep) {
	t.Helper()
	m := new(journal.Memory)
	l := openLog(t, acquire(t, m), new(keep).fold)
	var want []journal.Body
	for _, r := range records {
		if _, ok := r.Body.(journal.Start); !ok {
			want = append(want, r.Body)
			add(t, l, r.N, r.Body)
		}
	}
	commit(t, l)
	text, err := m.Read()
	if err != nil {
		t.Fatal(err)
	}
	var replayed keep
	if _, err := journal.Replay(text, replayed.fold); err != nil {
		t.Fatal(err)
	}
	if d := diff(want, replayed.bodies()); d != "" {
		t.Fatalf("written again (-want +got):\n%s", d)
	}
}
