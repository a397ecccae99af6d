package recovery

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver of a tracker's database
)

// Task is the tracker's row of a worker's task. A tracker is read by a query or by a command that prints one JSON
// object with these keys; it is written only by the owner's own command.
type Task struct {
	ID         string   `json:"id"`
	Status     string   `json:"status"`
	Assignee   string   `json:"assignee"`
	Heartbeat  string   `json:"heartbeat"` // RFC 3339, or seconds since 1970; empty or 0: never, which is neither fresh nor old
	LeaseUntil string   `json:"lease_until"`
	Gates      []string `json:"gates"`  // that have passed, by whoever may say so
	Vetoes     []string `json:"vetoes"` // "plan pending", "blocked"
}

// Tracker is where a row is read: by a query on a SQLite file, or by a command.
type Tracker struct {
	Database string   `json:"db,omitempty"`
	Query    string   `json:"query,omitempty"`
	Command  []string `json:"command,omitempty"`
}

// Read reads the row.
func (t *Tracker) Read(ctx context.Context) (*Task, error) {
	if len(t.Command) > 0 {
		return CommandTask(ctx, t.Command)
	}
	return QueryTask(ctx, t.Database, t.Query)
}

// same compares two rows without the heartbeat, which may go on.
func (t *Task) same(other *Task) bool {
	return t.ID == other.ID && t.Status == other.Status && t.Assignee == other.Assignee && t.LeaseUntil == other.LeaseUntil &&
		slices.Equal(t.Gates, other.Gates) && slices.Equal(t.Vetoes, other.Vetoes)
}

// QueryTask reads the row by a query on a SQLite database, through a read-only connection. The columns are named like
// the keys of a Task; gates and vetoes are separated by commas.
func QueryTask(ctx context.Context, file, query string) (*Task, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro&_pragma=query_only(1)"}).String())
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrTask, file, err)
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrTask, file, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrTask, file, err)
	}
	if !rows.Next() {
		return nil, fmt.Errorf("%w: %s: the query has no row: %w", ErrTask, file, errors.Join(rows.Err(), sql.ErrNoRows))
	}
	values := make([]sql.NullString, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrTask, file, err)
	}
	t := &Task{}
	for i, c := range columns {
		t.set(c, values[i].String)
	}
	if rows.Next() {
		return nil, fmt.Errorf("%w: %s: the query has more than one row; name the task in it", ErrTask, file)
	}
	return t, t.check(file)
}

func (t *Task) set(column, value string) {
	switch column {
	case "id":
		t.ID = value
	case "status":
		t.Status = value
	case "assignee":
		t.Assignee = value
	case "heartbeat":
		t.Heartbeat = value
	case "lease_until":
		t.LeaseUntil = value
	case "gates":
		t.Gates = words(value)
	case "vetoes":
		t.Vetoes = words(value)
	}
}

func words(list string) []string {
	var found []string
	for w := range strings.SplitSeq(list, ",") {
		if w = strings.TrimSpace(w); w != "" {
			found = append(found, w)
		}
	}
	return found
}

// maxTask bounds what a command may print.
const maxTask = 1 << 20

// CommandTask reads the row from a command that prints it as JSON. The command is the owner's; it runs without a shell.
func CommandTask(ctx context.Context, command []string) (*Task, error) {
	var out, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = &limited{w: &out, left: maxTask}, &limited{w: &stderr, left: 4096}
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w: %s", ErrTask, command[0], err, cut(stderr.String(), 200))
	}
	var t Task
	if err := json.Unmarshal(out.Bytes(), &t); err != nil {
		return nil, fmt.Errorf("%w: %s printed no JSON object of a task: %w", ErrTask, command[0], err)
	}
	return &t, t.check(command[0])
}

// limited takes so many bytes and drops the rest.
type limited struct {
	w    *bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	l.w.Write(p[:n])
	return len(p), nil
}

func (t *Task) check(source string) error {
	if t.Status == "" {
		return fmt.Errorf("%w: %s gives no status; name a column or key \"status\"", ErrTask, source)
	}
	return nil
}

// Running reports whether the row says that somebody works on the task.
func (t *Task) Running() bool {
	switch strings.ToLower(t.Status) {
	case "in_progress", "in-progress", "running", "working", "active", "claimed":
		return true
	}
	return false
}

// Finished reports whether the row says that the task is over.
func (t *Task) Finished() bool {
	switch strings.ToLower(t.Status) {
	case "done", "closed", "completed", "complete", "merged", "shipped":
		return true
	}
	return false
}

// Leased reports whether a lease runs at a moment, and false where that is not known.
func (t *Task) Leased(now time.Time) bool {
	until, err := time.Parse(time.RFC3339, t.LeaseUntil)
	return err == nil && until.After(now)
}
