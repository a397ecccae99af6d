// Package sqlite keeps a journal in an SQLite database, for a watchdog that runs: a Commit is one transaction that is on
// the disk when it returns (write-ahead log, synchronous=FULL), and the lease is checked inside it. The file is for its
// owner only (WDC-SAFE-004).
//
// The bytes of the journal stand in the table piece, so that they can be read while the watchdog runs:
//
//	sqlite3 journal.db 'SELECT CAST(data AS TEXT) FROM piece ORDER BY start'
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

// The database is known by its application id ("fpjl") and the version of its tables. The journal in it has a version of
// its own.
const (
	applicationID = 0x66706a6c
	tableVersion  = 1
)

const tables = `
CREATE TABLE piece (
	start INTEGER PRIMARY KEY, -- offset of the first byte, counted from the journal's beginning, dropped bytes included
	data  BLOB NOT NULL
) STRICT;
CREATE TABLE lease (
	fence   INTEGER NOT NULL,
	holder  TEXT NOT NULL,
	boot_id TEXT NOT NULL,
	until   INTEGER NOT NULL -- nanoseconds on the boot clock
) STRICT;
INSERT INTO lease VALUES (0, '', '', 0);`

// busyTimeout is how long a statement waits for another process's transaction, in milliseconds.
const busyTimeout = 5000

// Store is a journal.Store in one file. It may be opened by many processes, and is safe for concurrent use.
type Store struct {
	db     *sql.DB
	before func(statement string) // in tests: called before each statement
}

// Open opens the database or creates it. Its errors wrap journal.ErrCorrupt if the file is no journal database or is
// damaged, journal.ErrVersion if a newer program has made it, and journal.ErrFull.
func Open(path string) (*Store, error) { return open(path, func(string) {}) }

func open(path string, before func(string)) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := private(path); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	query := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", busyTimeout), "synchronous(FULL)"},
	}
	dsn := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, fmt.Errorf("journal: %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	s := &Store{db: db, before: before}
	err = s.change(prepare)
	if err == nil {
		err = s.useLog()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), db.Close())
	}
	return s, nil
}

// useLog makes SQLite commit to a write-ahead log. It writes to the file, so that it has to be known as ours before.
func (s *Store) useLog() error {
	const statement = "PRAGMA journal_mode = WAL"
	s.before(statement)
	_, err := s.db.ExecContext(context.Background(), statement)
	return classify(err)
}

// private creates the file for its owner only, or takes the others' rights away; SQLite gives its other files the same
// mode. An existing file is not opened for that: closing it would release the locks of this process's other stores.
func private(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return os.Chmod(path, 0o600)
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// prepare makes the tables of a new database, and refuses one that it does not know.
func prepare(t *tx) error {
	var id, version, objects int
	err := errors.Join(
		t.query("PRAGMA application_id", &id),
		t.query("PRAGMA user_version", &version),
		t.query("SELECT count(*) FROM sqlite_schema", &objects),
	)
	switch {
	case err != nil:
		return err
	case id == 0 && version == 0 && objects == 0:
		return errors.Join(
			t.exec(tables),
			t.exec(fmt.Sprintf("PRAGMA application_id = %d", applicationID)),
			t.exec(fmt.Sprintf("PRAGMA user_version = %d", tableVersion)),
		)
	case id != applicationID:
		return fmt.Errorf("%w: the database of another program", journal.ErrCorrupt)
	case version != tableVersion:
		return fmt.Errorf("%w: the tables are of version %d, this program knows %d", journal.ErrVersion, version, tableVersion)
	}
	return nil
}

// Close releases the file. The lease stays.
func (s *Store) Close() error { return s.db.Close() }

// Acquire implements journal.Store.
func (s *Store) Acquire(holder string, now watchdog.Instant, ttl time.Duration) (journal.Writer, error) {
	w := &writer{store: s}
	err := s.change(func(t *tx) error {
		var old journal.Lease
		err := t.query("SELECT fence, holder, boot_id, until FROM lease", &old.Fence, &old.Holder, &old.BootID, &old.Until)
		if err != nil {
			return err
		}
		lease, err := old.Take(holder, now, ttl)
		if err != nil {
			return err
		}
		w.fence = lease.Fence
		return errors.Join(
			t.exec("UPDATE lease SET fence = ?, holder = ?, boot_id = ?, until = ?",
				lease.Fence, lease.Holder, lease.BootID, int64(lease.Until)),
			t.query("SELECT coalesce(min(start), 0), coalesce(max(start + length(data)), 0) FROM piece", &w.start, &w.end),
		)
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Evict implements journal.Store.
func (s *Store) Evict(fence int64) error {
	return s.change(func(t *tx) error { return t.exec("UPDATE lease SET until = 0 WHERE fence = ?", fence) })
}

// Read returns the journal as it is on the disk. It needs no lease.
func (s *Store) Read() ([]byte, error) {
	s.before("SELECT data")
	rows, err := s.db.QueryContext(context.Background(), "SELECT data FROM piece ORDER BY start")
	if err != nil {
		return nil, classify(err)
	}
	defer rows.Close()
	var data []byte
	for rows.Next() {
		var piece sql.RawBytes
		if err := rows.Scan(&piece); err != nil {
			return nil, classify(err)
		}
		data = append(data, piece...)
	}
	return data, classify(rows.Err())
}

// change runs f in a transaction, beside which no other process writes. Whatever fails, nothing has changed.
func (s *Store) change(f func(*tx) error) error {
	s.before("BEGIN IMMEDIATE")
	inner, err := s.db.BeginTx(context.Background(), nil)
	if err != nil {
		return classify(err)
	}
	t := &tx{inner, s.before}
	if err := f(t); err != nil {
		_ = inner.Rollback() // fails only where SQLite has rolled back by itself
		return classify(err)
	}
	s.before("COMMIT")
	return classify(inner.Commit())
}

type tx struct {
	*sql.Tx
	before func(statement string)
}

func (t *tx) exec(statement string, args ...any) error {
	t.before(statement)
	_, err := t.ExecContext(context.Background(), statement, args...)
	return err
}

// query reads the one row that a statement returns.
func (t *tx) query(statement string, into ...any) error {
	t.before(statement)
	return t.QueryRowContext(context.Background(), statement).Scan(into...)
}

// classify adds the journal's name for an error of SQLite's.
func classify(err error) error {
	failed, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	switch failed.Code() & 0xff { // the primary code
	case lib.SQLITE_FULL:
		return fmt.Errorf("%w: %w", journal.ErrFull, err)
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w; restore the file from a backup", journal.ErrCorrupt, err)
	}
	return fmt.Errorf("journal: %w", err)
}
