package evidence_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/evidence"
)

// tracker makes a database with two tables in dir, in the given journal mode.
func tracker(t *testing.T, dir, mode string) string {
	t.Helper()
	file := filepath.Join(dir, "tasks.db")
	db := open(t, file)
	for _, q := range []string{
		"PRAGMA journal_mode = " + mode, `CREATE TABLE tasks (id INTEGER, status TEXT)`, `CREATE TABLE "odd ""name" (x)`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO tasks SELECT i, 'running' FROM n`,
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func open(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

// lock starts a writer that lets nobody in until the result is called.
func lock(t *testing.T, file string) (release func()) {
	t.Helper()
	db := open(t, file)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// plainTree makes a worktree without git.
func plainTree(t *testing.T) (dir, worktree string) {
	dir = t.TempDir()
	worktree = filepath.Join(dir, "w")
	sh(t, dir, "mkdir w; echo one > w/f")
	return dir, worktree
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	want := []evidence.Table{{Name: `odd "name`, Rows: 0}, {Name: "tasks", Rows: 3000}}
	for _, mode := range []string{"DELETE", "WAL"} {
		dir, w := plainTree(t)
		file := tracker(t, dir, mode)
		writer := open(t, file) // that keeps the log of a WAL database
		if _, err := writer.Exec("UPDATE tasks SET status = 'done' WHERE id = 1"); err != nil {
			t.Fatal(err)
		}
		before := sh(t, dir, "sha256sum tasks.db; cat tasks.db-wal 2>/dev/null | sha256sum")
		record, err := evidence.Take(t.Context(), evidence.Options{Worktree: w, Out: filepath.Join(dir, "e"), Database: file})
		if err != nil {
			t.Fatal(err)
		}
		if after := sh(t, dir, "sha256sum tasks.db; cat tasks.db-wal 2>/dev/null | sha256sum"); after != before || record.Before.Database != record.After.Database {
			t.Errorf("%s: the database changed", mode)
		}
		if diff := cmp.Diff(want, record.Database.Tables); diff != "" || record.Database.Integrity != "ok" {
			t.Errorf("%s: integrity %q (-want +got):\n%s", mode, record.Database.Integrity, diff)
		}
		var status string
		backup := open(t, filepath.Join(dir, "e", evidence.DatabaseFile))
		if err := backup.QueryRow("SELECT status FROM tasks WHERE id = 1").Scan(&status); err != nil || status != "done" {
			t.Errorf("%s: the copy has %q, %v; the last committed is done", mode, status, err)
		}
		if err := errors.Join(backup.Close(), writer.Close()); err != nil {
			t.Error(err)
		}
	}
}

// A busy database is tried for 30 s. The time is that of the bubble, the lock is a real one.
func TestDatabaseBusy(t *testing.T) {
	t.Parallel()
	for _, until := range []time.Duration{29 * time.Second, time.Hour} {
		dir, w := plainTree(t)
		file := tracker(t, dir, "DELETE")
		synctest.Test(t, func(t *testing.T) {
			release := lock(t, file)
			freed := make(chan struct{})
			time.AfterFunc(until, func() { release(); close(freed) })
			start := time.Now()
			_, err := evidence.Take(t.Context(), evidence.Options{Worktree: w, Out: filepath.Join(dir, "e"), Database: file})
			switch took := time.Since(start); {
			case until < evidence.DefaultWait && (err != nil || took < until):
				t.Errorf("free after %s: %v after %s", until, err, took)
			case until > evidence.DefaultWait && (!errors.Is(err, evidence.ErrDatabase) || !strings.Contains(err.Error(), "still busy after 30s") || took != evidence.DefaultWait):
				t.Errorf("never free: %v after %s", err, took)
			}
			<-freed
		})
		_, err := os.Stat(filepath.Join(dir, "e"))
		if left := sh(t, dir, "ls -A | grep partial || true"); left != "" || (err == nil) != (until < evidence.DefaultWait) {
			t.Errorf("left behind: %s, %v", left, err)
		}
	}
}

// What is no database, or a damaged one, is refused with the reason, and nothing is left.
func TestDatabaseDamaged(t *testing.T) {
	t.Parallel()
	tests := []struct{ reason, damage, why string }{
		{"a page in the middle", "printf garbage | dd of=tasks.db bs=1 seek=4096 conv=notrunc status=none; head -c 8000 /dev/zero | dd of=tasks.db bs=1 seek=8192 conv=notrunc status=none", "malformed"},
		{"cut off", "truncate -s 9000 tasks.db", "malformed"},
		{"empty", ": > tasks.db", "no SQLite database"},
		{"a text", "echo hello > tasks.db", "no SQLite database"},
		{"missing", "rm tasks.db", "no such file"},
	}
	for _, test := range tests {
		dir, w := plainTree(t)
		file := tracker(t, dir, "DELETE")
		sh(t, dir, test.damage)
		_, err := evidence.Take(t.Context(), evidence.Options{Worktree: w, Out: filepath.Join(dir, "e"), Database: file})
		if !errors.Is(err, evidence.ErrDatabase) || !strings.Contains(err.Error(), test.why) {
			t.Errorf("%s: %v, want %q", test.reason, err, test.why)
		}
		if left := sh(t, dir, "ls -A"); strings.Contains(left, "partial") || strings.Contains(left, "e\n") {
			t.Errorf("%s: left behind: %s", test.reason, left)
		}
	}
}

// A worktree that is written to meanwhile is captured again, three times at most: the last is kept, and says what changed.
func TestWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason string
		writes int // takes in which somebody writes
		takes  int
		kept   []string // what is said to have changed
	}{
		{"still", 0, 1, nil}, {"once", 1, 2, nil}, {"twice", 2, 3, nil}, {"again and again", 5, 3, []string{"f"}},
	}
	for _, test := range tests {
		dir, w := plainTree(t)
		file := tracker(t, dir, "DELETE")
		synctest.Test(t, func(t *testing.T) {
			takes := 0
			writing := func() time.Time { // each take begins with it; the busy database makes it last
				takes++
				if takes <= test.writes {
					release := lock(t, file)
					time.AfterFunc(time.Second, func() {
						if err := os.WriteFile(filepath.Join(w, "f"), []byte(strings.Repeat("x", takes)), 0o600); err != nil {
							t.Error(err)
						}
						release()
					})
				}
				return time.Now()
			}
			record, err := evidence.Take(context.Background(), evidence.Options{Worktree: w, Out: filepath.Join(dir, "e"), Database: file, Now: writing})
			if err != nil || record.Takes != test.takes || !slices.Equal(record.Changing, test.kept) {
				t.Errorf("%s: %d takes, %+v, %v", test.reason, takes, record, err)
			}
		})
		if _, err := evidence.Restore(t.Context(), filepath.Join(dir, "e"), filepath.Join(dir, "back")); err != nil {
			t.Fatal(err)
		}
		if test.kept == nil {
			sh(t, dir, "diff -r w back")
		}
	}
}

// A database is copied without a trace beside it, whatever its last writer left: the log of one that ended without closing it, or
// the journal of one that was killed.
func TestDatabaseLeavesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, mode, leave string
		want                string // status of the first task
	}{
		{"a write-ahead log that nobody has open", "WAL", `cp tasks.db x.db; cp tasks.db-wal x.db-wal`, "done"},
		{"closed in mode WAL", "WAL", `cp tasks.db x.db; rm -f x.db-wal`, "running"},
		{"the journal of a killed writer", "DELETE", `cp tasks.db x.db; cp tasks.db-journal x.db-journal`, "running"},
	}
	for _, test := range tests {
		dir, w := plainTree(t)
		file := tracker(t, dir, test.mode)
		writer := open(t, file)
		for _, q := range []string{"PRAGMA cache_size = 5", "PRAGMA cache_spill = 1", "BEGIN IMMEDIATE", "UPDATE tasks SET status = 'done'"} {
			if _, err := writer.Exec(q); err != nil {
				t.Fatal(err)
			}
		}
		if test.mode == "WAL" {
			if _, err := writer.Exec("COMMIT"); err != nil {
				t.Fatal(err)
			}
		}
		sh(t, dir, test.leave+"; mkdir db; mv x.db* db")
		before := fingerprint(t, filepath.Join(dir, "db"))
		record, err := evidence.Take(t.Context(), evidence.Options{Worktree: w, Out: filepath.Join(dir, "e"), Database: filepath.Join(dir, "db", "x.db")})
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		if after := fingerprint(t, filepath.Join(dir, "db")); after != before {
			t.Errorf("%s: there was\n%s, and is\n%s", test.reason, before, after)
		}
		var status string
		backup := open(t, filepath.Join(dir, "e", evidence.DatabaseFile))
		if err := backup.QueryRow("SELECT status FROM tasks WHERE id = 1").Scan(&status); err != nil || status != test.want || record.Database.Integrity != "ok" {
			t.Errorf("%s: the copy has %q, %v; want %q", test.reason, status, err, test.want)
		}
		if err := errors.Join(backup.Close(), writer.Close()); err != nil {
			t.Error(err)
		}
	}
}
