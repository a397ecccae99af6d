package recovery_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/watchdog/recovery"
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
		{"a query that writes", recovery.Tracker{Database: file, Query: "UPDATE tasks SET status = 'done' RETURNING *"}, nil, "readonly"},
		{"a query that makes a table", recovery.Tracker{Database: file, Query: "CREATE TABLE x (y)"}, nil, "readonly"},
		{"no database", recovery.Tracker{Database: file + "-not", Query: row + "7"}, nil, "unable to open"},
		{"a command", recovery.Tracker{Command: []string{"printf", `{"id":"7","status":"running","gates":["ci","review"],"more":1}`}}, full, ""},
		{"a command that fails", recovery.Tracker{Command: []string{"sh", "-c", "echo 'no such task' >&2; exit 4"}}, nil, "no such task"},
		{"a command that prints no JSON", recovery.Tracker{Command: []string{"echo", "7 running"}}, nil, "no JSON object"},
		{"a command that is none", recovery.Tracker{Command: []string{"no-such-tracker"}}, nil, "no-such-tracker"},
	}
	for _, test := range tests {
		got, err := test.tracker.Read(context.Background())
		if test.want == nil {
			if !errors.Is(err, recovery.ErrTask) || !strings.Contains(err.Error(), test.why) {
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
}

// The row is written by the owner's own command alone, and read again afterwards; what it says must be true then.
func TestApplyRepair(t *testing.T) {
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
