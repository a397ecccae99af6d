package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fakepi.example/internal/watchdog/journal/journaltest"
	"fakepi.example/internal/watchdog/journal/sqlite"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

func TestStore(t *testing.T) {
	journaltest.Run(t, func(t *testing.T) journaltest.Fixture {
		path := filepath.Join(t.TempDir(), "journal.db")
		var s *sqlite.Store
		t.Cleanup(func() { s.Close() })
		return journaltest.Fixture{
			Open: func() journal.Store {
				if s != nil {
					s.Close()
				}
				s = open(t, path)
				return s
			},
			Fill: func(full bool) {
				pages := "1073741823"
				if full {
					pages = "1" // SQLite makes it as many as there are
				}
				if _, err := s.DB().Exec("PRAGMA max_page_count = " + pages); err != nil {
					t.Fatal(err)
				}
			},
		}
	})
}

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func acquire(t testing.TB, s *sqlite.Store) journal.Writer {
	t.Helper()
	w, err := s.Acquire("test", watchdog.Instant{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestDurability holds on to the settings that make a Commit durable, which no test without a power failure can see.
func TestDurability(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "a journal?.db"))
	defer s.Close()
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "busy_timeout": "5000"} {
		var got string
		if err := s.DB().QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, error %v; want %s", pragma, got, err, want)
		}
	}
}

// TestOpenedAtOnce has a database made by many at the same time. Only the last writer may write.
func TestOpenedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			s, err := sqlite.Open(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			w, err := s.Acquire("test", watchdog.Instant{}, 0)
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(w.Append([]byte("x")), w.Sync()); err != nil && !errors.Is(err, journal.ErrFenced) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s := open(t, path)
	defer s.Close()
	if w := acquire(t, s); w.Fence() != 7 {
		t.Errorf("the seventh writer has fence %d", w.Fence())
	}
}

func TestFilesAreForTheirOwner(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "journal.db")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	defer s.Close()
	if w := acquire(t, s); errors.Join(w.Append([]byte("x")), w.Sync()) != nil {
		t.Fatal("not written")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Fatalf("got %v, error %v; want the database, its -wal and its -shm", entries, err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, error %v; want 0600", e.Name(), info.Mode(), err)
		}
	}
}

// TestSpaceIsGivenBack goes through a hundred times what the file may hold.
func TestSpaceIsGivenBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	s := open(t, path)
	w := acquire(t, s)
	l, err := journal.Open(w, watchdog.Instant{}, func(journal.Record) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	reason := strings.Repeat("x", 100_000)
	for n := range 100 {
		if err := l.Add(journal.Record{N: n, Body: journal.Outcome{Key: "k", Reason: reason}}); err != nil {
			t.Fatal(err)
		}
		if err := l.Compact(watchdog.Instant{}, n, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > 1_000_000 {
		t.Errorf("the file has %d bytes, error %v; want under 1,000,000 after 10,000,000 came and went", info.Size(), err)
	}
}

func TestRefusedFiles(t *testing.T) {
	foreign := func(t *testing.T, path string, statements string) {
		s := open(t, filepath.Join(t.TempDir(), "other.db"))
		defer s.Close()
		if _, err := s.DB().Exec(statements + "; VACUUM INTO '" + path + "'"); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		reason string
		make   func(t *testing.T, path string)
		want   error
	}{
		{"text", func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, journal.ErrCorrupt},
		{"the database of another program", func(t *testing.T, path string) {
			foreign(t, path, "PRAGMA application_id = 1")
		}, journal.ErrCorrupt},
		{"a database without an id that has tables", func(t *testing.T, path string) {
			foreign(t, path, "PRAGMA application_id = 0; PRAGMA user_version = 0")
		}, journal.ErrCorrupt},
		{"tables of a newer version", func(t *testing.T, path string) {
			foreign(t, path, "PRAGMA user_version = 2")
		}, journal.ErrVersion},
		{"a directory that is not there", func(*testing.T, string) {}, os.ErrNotExist},
	} {
		t.Run(row.reason, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.db")
			if row.want == os.ErrNotExist {
				path = filepath.Join(path, "journal.db")
			}
			row.make(t, path)
			before, _ := os.ReadFile(path)
			s, err := sqlite.Open(path)
			if !errors.Is(err, row.want) {
				t.Errorf("got store %v, error %v; want %v", s, err, row.want)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("a refused file was changed")
			}
		})
	}
}
