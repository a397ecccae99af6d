package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fakepi.example/watchdog/journal"
)

// short is a journal of six records whose damage is tried byte by byte.
func short(t *testing.T) ([]byte, keep) {
	return written(t, samples()[4:9]...)
}

func lines(text []byte) []string { return slices.Collect(strings.Lines(string(text))) }

// TestTornTail cuts a journal at every byte: what is left is a prefix, and a journal that goes on.
func TestTornTail(t *testing.T) {
	text, records := short(t)
	for cut := range len(text) + 1 {
		whole := bytes.Count(text[:cut], []byte("\n"))
		size := bytes.LastIndexByte(text[:cut], '\n') + 1
		var replayed keep
		end, err := journal.Replay(text[:cut], replayed.fold)
		want := journal.End{Size: int64(size), History: int64(size), Torn: cut - size, Seq: int64(whole), Version: min(whole, 1)}
		if err != nil || end != want {
			t.Fatalf("cut at %d: got %+v, error %v; want %+v", cut, end, err, want)
		}
		if d := diff(records[:max(whole-1, 0)], replayed); d != "" {
			t.Fatalf("cut at %d (-want +got):\n%s", cut, d)
		}
		goOn(t, text[:cut], replayed)
	}
}

// goOn opens a journal, adds a record, and replays it.
func goOn(t *testing.T, text []byte, before keep) {
	t.Helper()
	m := new(journal.Memory)
	write(t, m, string(text))
	var live, replayed keep
	l := openLog(t, acquire(t, m), live.fold)
	add(t, l, 99, journal.Ack{N: 99})
	commit(t, l)
	text, err := m.Read()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Replay(text, replayed.fold); err != nil {
		t.Fatal(err)
	}
	if d := diff(live, replayed); d != "" || len(live) != len(before)+1 {
		t.Fatalf("%d records after %d (-live +replayed):\n%s", len(live), len(before), d)
	}
}

// TestZeroedTail has what a file system leaves of a write whose bytes never came.
func TestZeroedTail(t *testing.T) {
	text, records := short(t)
	for _, tail := range []string{"\x00\x00\x00", `{"seq":7,"n":1` + strings.Repeat("\x00", 4096)} {
		var replayed keep
		end, err := journal.Replay(append(text[:len(text):len(text)], tail...), replayed.fold)
		if err != nil || end.Torn != len(tail) || len(replayed) != len(records) {
			t.Errorf("tail %.20q: got %+v, error %v", tail, end, err)
		}
	}
}

// TestDamagedByte changes every byte in four ways. A promised record would be lost, or be another one: each is refused,
// the last record included.
func TestDamagedByte(t *testing.T) {
	text, _ := short(t)
	for at := range text {
		for _, b := range []byte{text[at] ^ 1, text[at] ^ 0x80, '\n', 0} {
			if b == text[at] {
				continue
			}
			damaged := bytes.Clone(text)
			damaged[at] = b
			_, err := journal.Replay(damaged, func(journal.Record) error {
				t.Fatalf("byte %d is %q: a record was folded", at, b)
				return nil
			})
			if !errors.Is(err, journal.ErrCorrupt) {
				t.Fatalf("byte %d is %q: got error %v, want ErrCorrupt", at, b, err)
			}
		}
	}
}

func TestDamagedLines(t *testing.T) {
	text, _ := short(t)
	l := lines(text)
	at := func(n int) int64 { return int64(len(strings.Join(l[:n], ""))) }
	for _, row := range []struct {
		lines  []string
		offset int64
		after  int64
		want   string
		reason string
	}{
		{slices.Concat(l[:3], l[4:]), at(3), 3, "record 5 where 4 should be", "a record is missing"},
		{slices.Concat(l[:3], l[2:]), at(3), 3, "record 3 where 4 should be", "a record twice"},
		{slices.Concat(l[:2], l[3:4], l[2:3], l[4:]), at(2), 2, "record 4 where 3 should be", "two records swapped"},
		{l[1:], 0, 0, "the beginning is lost", "the first record is missing"},
		{slices.Concat(l[:3], []string{"\n"}, l[3:]), at(3), 3, "no record", "an empty line"},
		{slices.Concat(l[:3], []string{"{}\n"}, l[3:]), at(3), 3, "no record", "another JSON object"},
		{slices.Concat(l[:3], []string{l[3][:40], l[4], l[5]}), at(3), 3, "checksum", "a torn record that was written over"},
		{slices.Concat(l[:5], []string{strings.TrimSuffix(l[5], "\n") + " "}), at(5), 5, "without its line end",
			"the last line end became a space"},
		{slices.Concat(l[:4], []string{strings.TrimSuffix(l[4], "\n"), l[5][:30]}), at(4), 4, "without its line end",
			"a torn record behind a lost line end"},
		{[]string{journal.Sum(`{"seq":1,"at":{"mono_ms":0,"boot_ms":0},"kind":"start","data":{}`)}, 0, 0,
			"without a version", "a start without a version"},
		{[]string{journal.Sum(`{"seq":1,"at":{"mono_ms":0,"boot_ms":0},"kind":"start"`)}, 0, 0, "no data", "no data"},
		{[]string{journal.Sum(`{"seq":1,"kind":"start","at":{"mono_ms":0,"boot_ms":0},"data":{"version":1}`)}, 0, 0,
			"no data", "members in another order"},
		{[]string{journal.Sum(`{"seq":7,"at":{"mono_ms":0,"boot_ms":0},"kind":"start","data":{"version":1}`)}, 0, 0,
			"the beginning is lost", "a version switch without what was before it"},
		{[]string{journal.Sum(`{"at":{"mono_ms":0,"boot_ms":0},"kind":"start","data":{"version":1,"state":1}`)}, 0, 0,
			"record 0", "a first record without a number"},
		{slices.Concat(l[:1], []string{journal.Sum(`{"seq":2,"at":{"mono_ms":0,"boot_ms":0},"kind":"start","data":{"version":"2"}`)}),
			at(1), 1, "no whole number", "a start whose version is no number"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			_, err := journal.Replay([]byte(strings.Join(row.lines, "")), new(keep).fold)
			corrupt, ok := errors.AsType[*journal.CorruptError](err)
			if !ok || !errors.Is(err, journal.ErrCorrupt) || !strings.Contains(err.Error(), row.want) {
				t.Fatalf("got error %v, want a *CorruptError with %q", err, row.want)
			}
			if corrupt.Offset != row.offset || corrupt.After != row.after {
				t.Errorf("at byte %d after record %d, want %d and %d", corrupt.Offset, corrupt.After, row.offset, row.after)
			}
		})
	}
}

// TestDamagedEndBehindASum has a state that holds what a line ends in.
func TestDamagedEndBehindASum(t *testing.T) {
	text, _ := written(t, journal.Model{State: []byte(`{"a":1,"sum":"00000000"}`)})
	text[len(text)-1] = ' '
	if _, err := journal.Replay(text, new(keep).fold); !errors.Is(err, journal.ErrCorrupt) {
		t.Errorf("got error %v, want ErrCorrupt", err)
	}
}

func TestErrorOfFold(t *testing.T) {
	text, _ := short(t)
	refused := errors.New("refused")
	seen := 0
	_, err := journal.Replay(text, func(r journal.Record) error {
		if seen++; r.Seq == 3 {
			return fmt.Errorf("it is %w", refused)
		}
		return nil
	})
	if !errors.Is(err, refused) || !strings.Contains(err.Error(), "record 3: it is refused") || seen != 3 {
		t.Errorf("got error %v after %d records, want that of the fold after 3", err, seen)
	}
}
