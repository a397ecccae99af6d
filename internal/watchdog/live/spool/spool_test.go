package spool_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/live/spool"
	"fakepi.example/watchdog"
)

func open(t *testing.T, path string) *spool.Spool {
	t.Helper()
	s, err := spool.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func piece(text string) watchdog.Observation {
	return watchdog.Observation{Worker: "w1", Generation: 1, Body: watchdog.Bytes{Stream: watchdog.StreamOut, Data: []byte(text)}}
}

func texts(t *testing.T, s *spool.Spool) []string {
	t.Helper()
	var got []string
	err := s.Next(func(o watchdog.Observation) error {
		got = append(got, fmt.Sprintf("%d %s", o.N, o.Body.(watchdog.Bytes).Data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Two who append in turns and one who reads see one order.
func TestOneOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spool")
	a, b, reader := open(t, path), open(t, path), open(t, path)
	for i, s := range []*spool.Spool{a, b, b, a} {
		if n, err := s.Append(piece(fmt.Sprint("p", i))); err != nil || n != i+1 {
			t.Fatalf("append %d got number %d, %v", i, n, err)
		}
	}
	if diff := cmp.Diff([]string{"1 p0", "2 p1", "3 p2", "4 p3"}, texts(t, reader)); diff != "" {
		t.Errorf("what is read (-want +got):\n%s", diff)
	}
	// Who appends has not seen what others appended before.
	if diff := cmp.Diff([]string{"1 p0", "2 p1", "3 p2", "4 p3"}, texts(t, a)); diff != "" {
		t.Errorf("what a writer reads (-want +got):\n%s", diff)
	}
	if _, err := a.Append(piece("later")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"5 later"}, texts(t, reader)); diff != "" {
		t.Errorf("what is read then (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v; want 0600", info.Mode(), err)
	}
}

// Writers at once give every observation a number of its own.
func TestManyWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spool")
	const writers, each = 8, 50
	var wg sync.WaitGroup
	for w := range writers {
		s := open(t, path)
		wg.Go(func() {
			for i := range each {
				if _, err := s.Append(piece(fmt.Sprint(w, " ", i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := len(texts(t, open(t, path))); got != writers*each {
		t.Errorf("%d observations are in the log, want %d", got, writers*each)
	}
}

// A line that a killed writer left torn is no observation for readers, and the next writer cuts it off.
func TestTornTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spool")
	s := open(t, path)
	if _, err := s.Append(piece("whole")); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < len(whole); cut++ {
		if err := os.WriteFile(path, append(append([]byte{}, whole...), whole[:cut]...), 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"1 whole"}, texts(t, open(t, path))); diff != "" {
			t.Fatalf("torn behind %d bytes (-want +got):\n%s", cut, diff)
		}
		if n, err := open(t, path).Append(piece("next")); err != nil || n != 2 {
			t.Fatalf("torn behind %d bytes: append got number %d, %v", cut, n, err)
		}
		if diff := cmp.Diff([]string{"1 whole", "2 next"}, texts(t, open(t, path))); diff != "" {
			t.Fatalf("torn behind %d bytes, then appended (-want +got):\n%s", cut, diff)
		}
	}
}

// What is no log of observations is refused by readers and writers, and stays as it is.
func TestDamaged(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":       "hello\n",
		"another order": `{"n":2,"at":{"mono_ms":0,"boot_ms":0},"worker":"w","generation":1,"kind":"closed","closed":{"stream":"out"}}` + "\n",
		"unknown kind":  `{"n":1,"at":{"mono_ms":0,"boot_ms":0},"kind":"song","song":{}}` + "\n",
	} {
		path := filepath.Join(t.TempDir(), "spool")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := open(t, path).Next(func(watchdog.Observation) error { return nil }); !errors.Is(err, spool.ErrDamaged) {
			t.Errorf("%s: reading got %v, want ErrDamaged", name, err)
		}
		if _, err := open(t, path).Append(piece("x")); !errors.Is(err, spool.ErrDamaged) {
			t.Errorf("%s: appending got %v, want ErrDamaged", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != text {
			t.Errorf("%s: the file is now %q, %v", name, after, err)
		}
	}
}
