package evidence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// database captures the tracker's database.
func (t *taking) database(ctx context.Context, dir string, record *Record) error {
	from, to := t.options.Database, filepath.Join(dir, DatabaseFile)
	if err := looksLikeSQLite(from); err != nil {
		return err
	}
	d, err := copyDatabase(ctx, from, to, filepath.Join(t.work, "database"), t.options.Wait)
	record.Database = d
	return err
}

// copyDatabase makes a consistent copy of a SQLite database that others may be writing to, and checks the copy. A busy one is
// tried again until wait is over. SQLite opens the source only where it makes no file beside it; else it works on a private copy.
func copyDatabase(ctx context.Context, from, to, work string, wait time.Duration) (*Database, error) {
	source := from
	private, err := needsPrivateCopy(from)
	if err == nil && private {
		source, err = privateCopy(from, work)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDatabase, from, err)
	}
	err = retryBusy(ctx, wait, func() error { return vacuumInto(ctx, source, to, private) })
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

// needsPrivateCopy reports whether SQLite would write beside a database that it opens to read: the index of a write-ahead log
// that nobody has open, or the rollback of a writer that was killed.
func needsPrivateCopy(file string) (bool, error) {
	head := make([]byte, 20)
	f, err := openRegular(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if _, err := io.ReadFull(f, head); err != nil {
		return false, err
	}
	if head[18] == 2 { // a write-ahead log
		_, err := os.Stat(file + "-shm")
		return errors.Is(err, fs.ErrNotExist), nil
	}
	free, err := hotJournal(file)
	return free, err
}

// hotJournal reports whether a rollback journal is there that no writer holds.
func hotJournal(file string) (bool, error) {
	info, err := os.Stat(file + "-journal")
	if err != nil || info.Size() == 0 {
		return false, nil
	}
	f, err := openRegular(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	const reserved = 0x40000001 // the byte that a writer locks
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: reserved, Len: 1}
	if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &lock); err != nil {
		return false, err
	}
	return lock.Type == unix.F_UNLCK, nil
}

// privateCopy copies a database with its journals. It is made anew while they change.
func privateCopy(from, work string) (string, error) {
	to := filepath.Join(work, "copy.db")
	for range maxTakes {
		if err := errors.Join(os.RemoveAll(work), os.MkdirAll(work, 0o700)); err != nil {
			return "", err
		}
		before, err := databaseSum(from)
		if err != nil {
			return "", err
		}
		for _, suffix := range []string{"", "-wal", "-journal"} {
			if err := copyFile(from+suffix, to+suffix); err != nil {
				return "", err
			}
		}
		after, err := databaseSum(from)
		if err != nil || before == after {
			return to, err
		}
	}
	return "", fmt.Errorf("%w again and again", errChanging)
}

// looksLikeSQLite refuses what is none: SQLite takes an empty file for an empty database.
func looksLikeSQLite(file string) error {
	f, err := openRegular(file)
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

func vacuumInto(ctx context.Context, from, to string, private bool) error {
	mode := "ro"
	if private {
		mode = "rw"
	}
	db, err := openDatabase(from, mode)
	if err != nil {
		return err
	}
	defer db.Close()
	_ = os.Remove(to) // of a try that was interrupted
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", to)
	return err
}

func openDatabase(file, mode string) (*sql.DB, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: "mode=" + mode}
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
	db, err := openDatabase(file, "ro")
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

// databaseSum is the SHA-256 of a database and of its journals.
func databaseSum(file string) (string, error) {
	sum, err := sumPath(file)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrDatabase, err)
	}
	for _, suffix := range []string{"-wal", "-journal"} {
		log, err := sumPath(file + suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%w: %w", ErrDatabase, err)
		}
		sum += log
	}
	return sumOf([]byte(sum)), nil
}
