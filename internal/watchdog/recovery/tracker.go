package recovery

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Tracker is where a row is read: by a query on a SQLite file, or by a command.
type Tracker struct {
	Database string        `json:"db,omitempty"`
	Query    string        `json:"query,omitempty"`
	Command  []string      `json:"command,omitempty"`
	Wait     time.Duration `json:"-"` // for the answer, and for a busy database; 0: AskLimit
}

// Read reads the row. The error wraps ErrTask.
func (t *Tracker) Read(ctx context.Context) (*Task, error) {
	read, wait := t.query, cmp.Or(t.Wait, AskLimit)
	if len(t.Command) > 0 {
		read = t.run
	}
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	task, err := read(limited)
	switch {
	case err == nil:
		return task, nil
	case ctx.Err() == nil && limited.Err() != nil:
		return nil, fmt.Errorf("%w: no answer within %s: %w", ErrTask, wait, err)
	}
	return nil, fmt.Errorf("%w: %w", ErrTask, err)
}

// query reads the row through a connection that can neither write nor make a file. The columns are named like the keys
// of a Task; gates and vetoes are separated by commas.
func (t *Tracker) query(ctx context.Context) (*Task, error) {
	db, conn, err := t.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Database, err)
	}
	defer db.Close()
	defer conn.Close()
	rows, err := conn.QueryContext(ctx, alone(t.Query))
	if failure, ok := errors.AsType[*sqlite.Error](err); ok && failure.Code() == sqlite3.SQLITE_ERROR {
		return nil, fmt.Errorf("%s: %w; the query must be one SELECT", t.Database, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Database, err)
	}
	defer rows.Close()
	task, err := onlyRow(rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Database, err)
	}
	return task, task.check(t.Database)
}

// alone makes a query a part of another one: so it can be no more than one SELECT, and all of it is done at the first
// step, which is the one that a context interrupts.
func alone(query string) string {
	return "SELECT * FROM (\n" + strings.TrimRight(query, "; \t\r\n") + "\n) ORDER BY random() LIMIT 2"
}

func (t *Tracker) open(ctx context.Context) (*sql.DB, *sql.Conn, error) {
	path, err := filepath.Abs(t.Database)
	if err != nil {
		return nil, nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if err := regular(path, info); err != nil {
		return nil, nil, err
	}
	options := fmt.Sprintf("mode=ro&_pragma=query_only(1)&_pragma=busy_timeout(%d)", cmp.Or(t.Wait, AskLimit).Milliseconds())
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: options}).String())
	if err != nil {
		return nil, nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	// ATTACH and VACUUM INTO make files even on a read-only connection.
	_, attached := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0)
	_, length := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, maxAnswer)
	if err := errors.Join(attached, length); err != nil {
		return nil, nil, errors.Join(err, conn.Close(), db.Close())
	}
	return db, conn, nil
}

func onlyRow(rows *sql.Rows) (*Task, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	if !rows.Next() {
		return nil, fmt.Errorf("the query has no row: %w", cmp.Or(rows.Err(), sql.ErrNoRows))
	}
	values := make([]sql.NullString, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	task := &Task{}
	for i, c := range columns {
		task.set(c, values[i].String)
	}
	if rows.Next() {
		return nil, errors.New("the query has more than one row; name the task in it")
	}
	return task, rows.Err()
}

// run reads the row from a command that prints it as JSON.
func (t *Tracker) run(ctx context.Context) (*Task, error) {
	out, err := ask(ctx, t.Command)
	if err != nil {
		return nil, err
	}
	var task Task
	if err := json.Unmarshal(out, &task); err != nil {
		return nil, fmt.Errorf("%s printed no JSON object of a task: %w", t.Command[0], err)
	}
	return &task, task.check(t.Command[0])
}
