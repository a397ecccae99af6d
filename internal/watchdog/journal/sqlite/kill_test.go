package sqlite_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"fakepi.example/internal/watchdog/journal/sqlite"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/journal"
)

var killAll = flag.Bool("kill", false, "kill the writer at every statement, not at a few")

// The test binary is also the writer that is killed: with these it opens the journal, and dies before that statement.
const (
	childJournal   = "JOURNAL_TEST_FILE"
	childStatement = "JOURNAL_TEST_STATEMENT"
)

func TestMain(m *testing.M) {
	path := os.Getenv(childJournal)
	if path == "" {
		os.Exit(m.Run())
	}
	at, err := strconv.Atoi(os.Getenv(childStatement))
	if err == nil {
		err = writeUntil(path, at)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The whole journal holds this many acks, in commits of one to three and with compactions between; ackAt is the i-th.
const allAcks = 20

func ackAt(i int) int { return i*i + 1 }

// ledger tells apart any two histories of acks.
type ledger struct{ Acks, Sum int }

func (s ledger) after(n int) ledger { return ledger{s.Acks + 1, (s.Sum*1_000_003 + n) % (1 << 40)} }

func (s *ledger) fold(r journal.Record) error {
	switch b := r.Body.(type) {
	case journal.Start:
		if len(b.State) > 0 {
			return json.Unmarshal(b.State, s)
		}
	case journal.Ack:
		*s = s.after(b.N)
	}
	return nil
}

// stateAfter is the state that so many acks lead to.
func stateAfter(acks int) ledger {
	var s ledger
	for i := range acks {
		s = s.after(ackAt(i))
	}
	return s
}

// writeUntil goes on with a journal until it is whole, and prints each number of acks that it has been promised. It kills
// itself before the statement with the given number.
func writeUntil(path string, statement int) error {
	s, err := sqlite.OpenWatched(path, func(string) {
		if statement--; statement == 0 {
			self, err := os.FindProcess(os.Getpid())
			if err != nil || self.Kill() != nil {
				panic("cannot kill myself")
			}
			select {} // the signal is on its way
		}
	})
	if err != nil {
		return err
	}
	w, err := s.Acquire("child", watchdog.Instant{}, 0)
	if err != nil {
		return err
	}
	var state ledger
	log, err := journal.Open(w, watchdog.Instant{}, state.fold)
	if err != nil {
		return err
	}
	for state.Acks < allAcks {
		before := state.Acks
		for range 1 + before%3 {
			if err := log.Add(journal.Record{Body: journal.Ack{N: ackAt(state.Acks)}}); err != nil {
				return err
			}
		}
		if err := log.Commit(); err != nil {
			return err
		}
		fmt.Println(state.Acks)
		if state.Acks/5 > before/5 {
			if err := compact(log, state); err != nil {
				return err
			}
		}
	}
	return s.Close()
}

func compact(log *journal.Log, state ledger) error {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return log.Compact(watchdog.Instant{}, 0, text)
}

// child runs a writer; after so many promises it is killed from outside, wherever it then is. It returns the last promise
// and whether the writer came to its end.
func child(t *testing.T, path string, statement, promises int) (promised int, ended bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childJournal+"="+path, childStatement+"="+strconv.Itoa(statement))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if promised, err = strconv.Atoi(lines.Text()); err != nil {
			t.Fatal(err)
		}
		if promises--; promises == 0 {
			_ = cmd.Process.Kill() // fails if it has ended
		}
	}
	_, _ = io.Copy(io.Discard, out)
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() != -1) {
		t.Fatalf("the writer was not killed, it failed: %v", err)
	}
	return promised, err == nil
}

// wantPromise opens the journal that a killed writer left, and returns how many acks it holds: those that were promised,
// and at most those of one more commit.
func wantPromise(t *testing.T, path string, promised int) int {
	t.Helper()
	s := open(t, path)
	defer s.Close()
	var state ledger
	if _, err := journal.Open(acquire(t, s), watchdog.Instant{}, state.fold); err != nil {
		t.Fatal(err)
	}
	if state.Acks < promised || state.Acks > promised+3 || state != stateAfter(state.Acks) {
		t.Fatalf("promised %d acks, the state is %v, want %v", promised, state, stateAfter(promised))
	}
	return state.Acks
}

// TestKilledAtEveryStatement kills a writer right before a statement, its successor before another, and lets a third end.
func TestKilledAtEveryStatement(t *testing.T) {
	stride := 17
	if *killAll {
		stride = 1
	}
	rng := rand.New(rand.NewPCG(1, 1))
	killed := 0
	for at := 1; ; at += stride {
		path := filepath.Join(t.TempDir(), "journal.db")
		promised, ended := child(t, path, at, 0)
		held := wantPromise(t, path, promised)
		if ended {
			break
		}
		killed++
		promised, _ = child(t, path, 1+rng.IntN(60), 0)
		held = wantPromise(t, path, max(held, promised))
		if _, ended := child(t, path, 0, 0); !ended {
			t.Fatal("nobody killed the third writer, and it did not end")
		}
		wantPromise(t, path, max(held, allAcks))
	}
	if t.Logf("%d statements", killed*stride); killed < 5 {
		t.Errorf("a writer was killed at %d statements only", killed)
	}
}

// TestKilledFromOutside kills writers wherever they are after a promise: between statements, or inside one.
func TestKilledFromOutside(t *testing.T) {
	rounds := 1
	if *killAll {
		rounds = 20
	}
	for range rounds {
		path := filepath.Join(t.TempDir(), "journal.db")
		for held, ended := 0, false; !ended; {
			var promised int
			promised, ended = child(t, path, 0, 2)
			held = wantPromise(t, path, max(held, promised))
		}
	}
}
