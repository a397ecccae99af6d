package evidence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// copyDatabase makes a consistent copy of a SQLite database that others may be writing to, by VACUUM INTO through a
// read-only connection, and checks the copy. A busy one is tried again until wait is over.
func copyDatabase(ctx context.Context, from, to string, wait time.Duration) (*Database, error) {
	if err := looksLikeSQLite(from); err != nil {
		return nil, err
	}
	err := retryBusy(ctx, wait, func() error { return vacuumInto(ctx, from, to) })
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDatabase, from, err)
	}
	if err := os.Chmod(to, 0o600); err != nil {
		return nil, err
	}
	d := &Database{Path: from}
	if err := d.check(ctx, to); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDatabase, from, err)
	}
	return d, nil
}

// looksLikeSQLite refuses what is none: SQLite takes an empty file for an empty database.
func looksLikeSQLite(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	defer f.Close()
	head := make([]byte, 16)
	if n, _ := f.Read(head); string(head[:n]) != "SQLite format 3\x00" {
		return fmt.Errorf("%w: %s is no SQLite database", ErrDatabase, file)
	}
	return nil
}

func vacuumInto(ctx context.Context, from, to string) error {
	db, err := openReadOnly(from)
	if err != nil {
		return err
	}
	defer db.Close()
	_ = os.Remove(to) // of a try that was interrupted
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", to)
	return err
}

func openReadOnly(file string) (*sql.DB, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro"}
	db, err := sql.Open("sqlite", u.String())
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// busyEvery is how long to wait for a busy database before the next try.
const busyEvery = 100 * time.Millisecond

// retryBusy repeats a try on a busy database.
func retryBusy(ctx context.Context, wait time.Duration, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		err := try()
		failure, ok := errors.AsType[*sqlite.Error](err)
		if !ok || failure.Code()&0xff != sqlite3.SQLITE_BUSY && failure.Code()&0xff != sqlite3.SQLITE_LOCKED {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("still busy after %s: %w", wait, err)
		case <-time.After(busyEvery):
		}
	}
}

// check asks the copy for its integrity and counts its rows.
func (d *Database) check(ctx context.Context, file string) error {
	db, err := openReadOnly(file)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&d.Integrity); err != nil {
		return err
	}
	if d.Integrity != "ok" {
		return fmt.Errorf("the copy fails its integrity check: %s", d.Integrity)
	}
	names, err := tableNames(ctx, db)
	if err != nil {
		return err
	}
	for _, name := range names {
		t := Table{Name: name}
		query := `SELECT count(*) FROM "` + strings.ReplaceAll(name, `"`, `""`) + `"`
		if err := db.QueryRowContext(ctx, query).Scan(&t.Rows); err != nil {
			return err
		}
		d.Tables = append(d.Tables, t)
	}
	return nil
}

func tableNames(ctx context.Context, db *sql.DB) ([]string, error) {
	rows, err := db.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// databaseSum is the SHA-256 of a database and of its write-ahead log.
func databaseSum(file string) (string, error) {
	sum, err := sumPath(file)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	log, err := sumPath(file + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	return sumOf([]byte(sum + log)), nil
}
