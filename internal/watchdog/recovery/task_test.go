package recovery_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/recovery"
)

// tracker makes a database with one row.
func tracker(t *testing.T, dir, status string) string {
	t.Helper()
	file := filepath.Join(dir, "tasks.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, q := range []string{
		`CREATE TABLE tasks (id INTEGER, status TEXT, lease_until TEXT, gates TEXT, vetoes TEXT)`,
		`INSERT INTO tasks VALUES (7, '` + status + `', NULL, 'ci, review', '')`, `INSERT INTO tasks VALUES (8, 'open', NULL, NULL, NULL)`,
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

func exec1(t *testing.T, file, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

// A row is read by query or by command; a query cannot write, whatever it says.
func TestReadTask(t *testing.T) {
	file := tracker(t, t.TempDir(), "running")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const row = "SELECT * FROM tasks WHERE id = "
	full := &recovery.Task{ID: "7", Status: "running", Gates: []string{"ci", "review"}}
	tests := []struct {
		reason  string
		tracker recovery.Tracker
		want    *recovery.Task // nil: refused
		why     string
	}{
		{"a query", recovery.Tracker{Database: file, Query: row + "7"}, full, ""},
		{"no row", recovery.Tracker{Database: file, Query: row + "9"}, nil, "no row"},
		{"two rows", recovery.Tracker{Database: file, Query: "SELECT * FROM tasks"}, nil, "more than one row"},
		{"no status", recovery.Tracker{Database: file, Query: "SELECT id FROM tasks WHERE id = 7"}, nil, `name a column or key "status"`},
		{"a query that writes", recovery.Tracker{Database: file, Query: "UPDATE tasks SET status = 'done' RETURNING *"}, nil, "must be one SELECT"},
		{"a query that makes a table", recovery.Tracker{Database: file, Query: "CREATE TABLE x (y)"}, nil, "must be one SELECT"},
		{"no query", recovery.Tracker{Database: file}, nil, "must be one SELECT"},
		{"a table that writes", recovery.Tracker{Database: file, Query: "WITH x AS (SELECT 1) UPDATE tasks SET status = 'done' RETURNING *"}, nil, "must be one SELECT"},
		{"a second statement", recovery.Tracker{Database: file, Query: row + "7; SELECT 1"}, nil, "must be one SELECT"},
		{"a statement in between that attaches", recovery.Tracker{Database: file, Query: "SELECT 1); ATTACH '" + file + "-new' AS n; SELECT * FROM (SELECT 1"}, nil, "attached"},
		{"a statement in between that copies", recovery.Tracker{Database: file, Query: "SELECT 1); VACUUM INTO '" + file + "-new'; SELECT * FROM (SELECT 1"}, nil, "VACUUM"},
		{"a query that ends like a statement", recovery.Tracker{Database: file, Query: row + "7 -- this one\n;\n"}, full, ""},
		{"a row that is too large", recovery.Tracker{Database: file, Query: "SELECT hex(zeroblob(1000000)) AS status"}, nil, "too big"},
		{"no database", recovery.Tracker{Database: file + "-not", Query: row + "7"}, nil, "no such file"},
		{"a command", recovery.Tracker{Command: []string{"printf", `{"id":"7","status":"running","gates":["ci","review"],"more":1}`}}, full, ""},
		{"a command that fails", recovery.Tracker{Command: []string{"sh", "-c", "echo 'no such task' >&2; exit 4"}}, nil, "no such task"},
		{"a command that fails silently", recovery.Tracker{Command: []string{"false"}}, nil, "false: exit status 1$"},
		{"a command that prints without end", recovery.Tracker{Command: []string{"yes"}}, nil, "it printed more than 1048576 bytes"},
		{"a command that prints no JSON", recovery.Tracker{Command: []string{"echo", "7 running"}}, nil, "no JSON object"},
		{"a command that is none", recovery.Tracker{Command: []string{"no-such-tracker"}}, nil, "no-such-tracker"},
	}
	for _, test := range tests {
		got, err := test.tracker.Read(context.Background())
		if test.want == nil {
			if !errors.Is(err, recovery.ErrTask) || !strings.Contains(err.Error()+"$", test.why) {
				t.Errorf("%s: got %v, want %q", test.reason, err, test.why)
			}
			continue
		}
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", test.reason, err, diff)
		}
	}
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Error("reading changed the database")
	}
	if _, err := os.Stat(file + "-new"); err == nil {
		t.Error("a query made a file")
	}
}

// What gives no answer is ended after a while, or on an interrupt, with all that it has started.
func TestReadTaskEnds(t *testing.T) {
	file := tracker(t, t.TempDir(), "running")
	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
	tests := []struct {
		reason  string
		tracker recovery.Tracker
	}{
		{"a query without end", recovery.Tracker{Database: file, Query: endless + "max(i) FROM n"}},
		{"a second row that never comes", recovery.Tracker{Database: file, Query: endless + "'open' AS status FROM n WHERE i < 2"}},
		{"a command without end", recovery.Tracker{Command: []string{"sleep", "600"}}},
		{"a child of a command", recovery.Tracker{Command: []string{"sh", "-c", "sleep 600; true"}}},
	}
	for _, test := range tests {
		test.tracker.Wait = 50 * time.Millisecond
		if _, err := test.tracker.Read(t.Context()); !errors.Is(err, recovery.ErrTask) || !strings.Contains(err.Error(), "no answer within 50ms") {
			t.Errorf("%s: got %v", test.reason, err)
		}
		test.tracker.Wait = 0
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, interrupt)
		if _, err := test.tracker.Read(ctx); !errors.Is(err, recovery.ErrTask) || strings.Contains(err.Error(), "no answer within") {
			t.Errorf("%s, interrupted: got %v", test.reason, err)
		}
	}
}

// A command that is ended leaves no child behind: a pipe that only the child holds is then closed.
func TestReadTaskLeavesNoChild(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "held")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	tracker := recovery.Tracker{Command: []string{"sh", "-c", `sleep 600 > "$1"; true`, "sh", fifo}, Wait: 200 * time.Millisecond}
	done := make(chan error)
	go func() { _, err := tracker.Read(t.Context()); done <- err }()
	if held, err := os.ReadFile(fifo); err != nil || len(held) > 0 {
		t.Errorf("got %q, %v", held, err)
	}
	if err := <-done; !errors.Is(err, recovery.ErrTask) {
		t.Error(err)
	}
}

// A busy database is waited for.
func TestReadTaskBusy(t *testing.T) {
	file := tracker(t, t.TempDir(), "running")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = db.Close() })
	task, err := (&recovery.Tracker{Database: file, Query: "SELECT * FROM tasks WHERE id = 7"}).Read(t.Context())
	if err != nil || task.Status != "running" {
		t.Errorf("got %v, %v", task, err)
	}
}

// The row is written by the owner's own command alone, and read again afterwards; what it says must be true then.
func TestApplyRepair(t *testing.T) {
	t.Parallel()
	const row = "SELECT * FROM tasks WHERE id = 7"
	tests := []struct {
		reason, repair string // repair is SQL for the owner's command
		after          string // SQL by somebody else, before the apply
		result         string
		want           error
	}{
		{"the command frees the task", "UPDATE tasks SET status = 'open' WHERE id = 7", "", "repair-row done", nil},
		{"the command says it did and did not", "SELECT 1", "", "repair-row failed", recovery.ErrVerify},
		{"the lease was renewed meanwhile", "UPDATE tasks SET status = 'open' WHERE id = 7", "UPDATE tasks SET lease_until = '2027-01-01T00:00:00Z'", "repair-row failed", recovery.ErrChanged},
		{"another has taken the task", "UPDATE tasks SET status = 'open' WHERE id = 7", "UPDATE tasks SET status = 'claimed'", "repair-row failed", recovery.ErrChanged},
	}
	for _, test := range tests {
		s := newScene(t, "", recovery.Means{})
		file := tracker(t, s.dir, "running")
		// The owner's command is this test itself: it runs one statement.
		s.means.Repair = []string{"env", "TRACKER_SQL=" + test.repair, "TRACKER_DB=" + file, os.Args[0], "-test.run=^TestTrackerCommand$"}
		s.tracker = &recovery.Tracker{Database: file, Query: row}
		task, err := s.tracker.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sh(t, s.dir, `sed -i 3d s.jsonl`)
		s.make(gone, task)
		s.approve("repair-row")
		if test.after != "" {
			exec1(t, file, test.after)
		}
		results, events, err := s.apply()
		if !errors.Is(err, test.want) || len(results) != 2 || results[1] != test.result {
			t.Errorf("%s: %q, %q, %v; want %s", test.reason, results, events, err, test.result)
		}
	}
}

// TestTrackerCommand is no test: it is the tracker's own command of TestApplyRepair.
func TestTrackerCommand(t *testing.T) {
	if query := os.Getenv("TRACKER_SQL"); query != "" {
		exec1(t, os.Getenv("TRACKER_DB"), query)
	}
}
