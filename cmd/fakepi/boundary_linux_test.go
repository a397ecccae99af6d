package main

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"fakepi.example/fakepi/native"
)

const twoTurns = `0s prompt "x"
+1s thinks "Hm." over 1s
+1s says "Reading." over 2s
+1s tool bash "ls" runs 1s gives "a\nb\n"
+1s says "Done." over 1s
+0s settles
`

// SIGKILL between any two lines of stdout leaves on disk what Pi would have left there (docs/pi-formats.md, section 8): of
// Pi 1.6 also the entry of the line that did not come out, since the file is written first; of Pi 0.73 not.
//
// No time passes, and stdout is a socket with room for so many lines and none more: so the worker stands still at each of
// them in turn.
func TestKilledAtEveryLine(t *testing.T) {
	for _, dialect := range []native.Dialect{native.Pi16, native.Pi073} {
		t.Run(string(dialect), func(t *testing.T) {
			whole := recordWhole(t, dialect)
			for k := range whole.lines {
				want := whole.saved(k, dialect == native.Pi16)
				if got := killAt(t, dialect, whole, k, len(want)); !cmp.Equal(want, got) {
					t.Errorf("killed at line %d, %s: %s", k+1, whole.types[k], cmp.Diff(want, got))
				}
			}
		})
	}
}

// whole is a run that nobody disturbed.
type whole struct {
	lines   []string
	types   []string // of the lines
	entries []string // of the session file, a word each
	line    []int    // of each entry: the line of stdout that goes with it
}

// recordWhole plays the script to its end.
func recordWhole(t *testing.T, dialect native.Dialect) whole {
	t.Helper()
	p := inVirtualTime(t, dialect, nil)
	if got := p.end(); got != "0" {
		t.Fatalf("ended by %s: %s", got, p.err.String())
	}
	w := whole{lines: p.seen}
	var ends []int // of messages
	for i, line := range w.lines {
		var record struct{ Type string }
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		w.types = append(w.types, record.Type)
		if record.Type == "message_end" {
			ends = append(ends, i)
		}
	}
	begins := map[native.Dialect]string{native.Pi16: "user", native.Pi073: "toolUse"}[dialect] // the entry with which the file begins
	w.entries = strings.Fields(p.saved())
	first := -1
	messages := 0
	for i, entry := range w.entries {
		at := -1
		if entry != "session" && !strings.HasSuffix(entry, "_change") {
			at = ends[messages]
			messages++
		}
		w.line = append(w.line, at)
		if entry == begins && first < 0 {
			first = i
		}
	}
	if messages != len(ends) || first < 0 {
		t.Fatalf("the file holds %q, which is not what stdout tells: %q", w.entries, w.types)
	}
	for i := range first {
		w.line[i] = w.line[first]
	}
	return w
}

// saved is what is on disk while a line does not come out. Where the file is written first its own entry is.
func (w whole) saved(k int, fileFirst bool) []string {
	saved := []string{}
	for i, line := range w.line {
		if line < k || line == k && fileFirst {
			saved = append(saved, w.entries[i])
		}
	}
	return saved
}

// inVirtualTime starts a one-shot of the script.
func inVirtualTime(t *testing.T, dialect native.Dialect, out *os.File) *pi {
	t.Helper()
	p := setup{script: twoTurns, env: []string{"FAKEPI_TIME=virtual", "FAKEPI_DIALECT=" + string(dialect)}, out: out}.start(t, "--mode", "json", "go")
	p.in.Close()
	return p
}

// killAt kills a process before its k-th line and returns what it has saved.
func killAt(t *testing.T, dialect native.Dialect, w whole, k, saved int) []string {
	t.Helper()
	g := newGate(t, w.lines[:k])
	p := inVirtualTime(t, dialect, g.in)
	eventually(t, "the lines before it have come", func() bool { return held(t, g.in) >= g.room })
	eventually(t, "what comes before it is saved", func() bool { return len(strings.Fields(p.saved())) >= saved })
	p.signal(syscall.SIGKILL)
	if got := p.wait(); got != "killed" {
		t.Fatalf("ended by %s", got)
	}
	if got := g.packets(t); got != k {
		t.Errorf("%d lines came out, want %d", got, k)
	}
	return strings.Fields(p.saved())
}

// gate is a socket that takes so many lines, a packet each. What a socket may hold is counted in the kernel's own memory,
// not in bytes of data.
type gate struct {
	in, out *os.File
	room    int
}

// ballast is the number of packets that a gate holds before all lines: a socket's least room is that of several.
const ballast = 8

func newGate(t *testing.T, lines []string) gate {
	t.Helper()
	measure, g := newSockets(t), newSockets(t)
	for range ballast {
		put(t, measure.in, "-")
		put(t, g.in, "-")
	}
	for _, line := range lines {
		put(t, measure.in, line)
	}
	g.room = held(t, measure.in)
	if err := unix.SetsockoptInt(int(g.in.Fd()), unix.SOL_SOCKET, unix.SO_SNDBUF, g.room/2); err != nil { // it is doubled
		t.Fatal(err)
	}
	return g
}

func newSockets(t *testing.T) gate {
	t.Helper()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	g := gate{in: os.NewFile(uintptr(ends[0]), "in"), out: os.NewFile(uintptr(ends[1]), "out")}
	t.Cleanup(func() { g.in.Close(); g.out.Close() })
	return g
}

func put(t *testing.T, to *os.File, packet string) {
	t.Helper()
	if _, err := to.WriteString(packet); err != nil {
		t.Fatal(err)
	}
}

// held is how much of the kernel's memory a socket holds of what was written and not read.
func held(t *testing.T, in *os.File) int {
	t.Helper()
	n, err := unix.IoctlGetInt(int(in.Fd()), unix.TIOCOUTQ)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// packets takes all packets out and counts them, the ballast apart.
func (g gate) packets(t *testing.T) int {
	t.Helper()
	buf := make([]byte, 1<<16)
	for n := 0; ; n++ {
		switch _, _, err := unix.Recvfrom(int(g.out.Fd()), buf, unix.MSG_DONTWAIT); {
		case errors.Is(err, unix.EAGAIN):
			return n - ballast
		case err != nil:
			t.Fatal(err)
		}
	}
}
