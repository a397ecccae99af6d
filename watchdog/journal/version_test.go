package journal_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fakepi.example/watchdog/journal"
)

// third is a version whose records are today's, after two that never were: in the first an ack was {"upto":7}, and a
// spending was of kind "restart"; in the second the ack had its form of today.
func third() journal.Format {
	return journal.NewFormat(3, map[int]journal.Upgrade{
		1: func(kind journal.Kind, data []byte) (journal.Kind, []byte, error) {
			switch kind {
			case journal.KindAck:
				if !bytes.HasPrefix(data, []byte(`{"upto":`)) {
					return kind, nil, errors.New("an ack without upto")
				}
				data = bytes.Replace(data, []byte("upto"), []byte("n"), 1)
			case journal.KindStart:
				data = bytes.Replace(data, []byte(`"acked_upto"`), []byte(`"acked"`), 1)
			}
			return kind, data, nil
		},
		2: func(kind journal.Kind, data []byte) (journal.Kind, []byte, error) {
			if kind == "restart" {
				task, _ := bytes.CutSuffix(data, []byte("}"))
				return journal.KindSpending, append(bytes.Clone(task), `,"budget":"restart","amount":1}`...), nil
			}
			return kind, data, nil
		},
	})
}

var upgraded = []journal.Body{
	journal.Boot{Incarnation: 1},
	journal.Ack{N: 7},
	journal.Spending{Task: "t-1", Budget: journal.BudgetRestart, Amount: 1},
}

func oldJournal(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestUpgrade reads a journal of the first version, goes on in the third, and reads the mixture.
func TestUpgrade(t *testing.T) {
	m := new(journal.Memory)
	write(t, m, oldJournal(t, "version-1.jsonl"))
	var live keep
	l, err := third().Open(acquire(t, m), now, live.fold)
	if err != nil {
		t.Fatal(err)
	}
	if d := diff(upgraded, live.bodies()); d != "" {
		t.Errorf("read in the third version (-want +got):\n%s", d)
	}
	wantText(t, m, oldJournal(t, "version-1.jsonl")) // reading upgrades nothing on the disk
	add(t, l, 8, journal.Ack{N: 8})
	commit(t, l)

	text, _ := m.Read()
	var replayed keep
	end, err := third().Replay(text, replayed.fold)
	if err != nil || end.Version != 3 {
		t.Fatalf("got version %d, error %v; want 3", end.Version, err)
	}
	if d := diff(live, replayed); d != "" {
		t.Errorf("the mixture (-want +got):\n%s", d)
	}
	_, err = journal.NewFormat(2, nil).Replay(text, new(keep).fold)
	if !errors.Is(err, journal.ErrVersion) || !strings.Contains(err.Error(), "is of version 3, this program knows versions up to 2") {
		t.Errorf("the program of the second version: got error %v, want ErrVersion", err)
	}
}

// TestUpgradeOfState reads the state that a compaction in the first version left.
func TestUpgradeOfState(t *testing.T) {
	var live keep
	if _, err := third().Replay([]byte(oldJournal(t, "version-1-state.jsonl")), live.fold); err != nil {
		t.Fatal(err)
	}
	want := []journal.Body{journal.Start{Version: 1, State: []byte(`{"acked":7}`)}, journal.Ack{N: 8}}
	if d := diff(want, live.bodies()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestUpgradeWhileTheDiskIsFull opens the old journal, keeps it as it is, and goes on when there is room.
func TestUpgradeWhileTheDiskIsFull(t *testing.T) {
	m := new(journal.Memory)
	old := oldJournal(t, "version-1.jsonl")
	write(t, m, old)
	m.Fill(m.Size() + 150) // room for the Start of the third version and a part of the next record
	l, err := third().Open(acquire(t, m), now, new(keep).fold)
	if err != nil {
		t.Fatal(err)
	}
	add(t, l, 8, journal.Ack{N: 8})
	if err := l.Commit(); !errors.Is(err, journal.ErrFull) {
		t.Fatalf("got error %v, want ErrFull", err)
	}
	wantText(t, m, old)
	m.Fill(-1)
	commit(t, l)
	var replayed keep
	text, _ := m.Read()
	if _, err := third().Replay(text, replayed.fold); err != nil || len(replayed) != len(upgraded)+1 {
		t.Errorf("replayed %d records, error %v; want %d", len(replayed), err, len(upgraded)+1)
	}
}

func TestNoWayToUpgrade(t *testing.T) {
	_, err := journal.NewFormat(3, nil).Replay([]byte(oldJournal(t, "version-1.jsonl")), new(keep).fold)
	if !errors.Is(err, journal.ErrVersion) || !strings.Contains(err.Error(), "no longer reads that") {
		t.Errorf("got error %v, want ErrVersion", err)
	}
	text := journal.Sum(`{"seq":1,"at":{"mono_ms":0,"boot_ms":0},"kind":"start","data":{"version":1}`) +
		journal.Sum(`{"seq":2,"at":{"mono_ms":0,"boot_ms":0},"kind":"ack","data":{"to":7}`)
	_, err = third().Replay([]byte(text), new(keep).fold)
	if err == nil || !strings.Contains(err.Error(), "record 2: upgrade from version 1: an ack without upto") {
		t.Errorf("got error %v, want that of the upgrade", err)
	}
}
