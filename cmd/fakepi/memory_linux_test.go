package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A long stream takes no memory but for its text, which the message keeps: 900,000 events more cost 900 KB of text, and a
// few times that while it grows. (What comes at the end holds the whole text in each of five lines.)
func TestMemoryIsFlat(t *testing.T) {
	t.Parallel()
	events := 1_000_000
	if testing.Short() {
		events = 100_000
	}
	p := setup{
		script: fmt.Sprintf("0s prompt \"x\"\n+1s says \"w\" over 1000s chunks %d\n+0s settles\n", events),
		env:    []string{"FAKEPI_TIME=virtual"},
	}.start(t, "--mode", "json", "--no-session", "go")
	p.in.Close()
	read := func(lines int) {
		for range lines {
			if _, err := p.out.ReadSlice('\n'); err != nil {
				t.Fatal(err)
			}
		}
	}
	read(events / 10)
	early := peak(t, p.cmd.Process.Pid)
	read(events - events/10)
	if late := peak(t, p.cmd.Process.Pid); late-early > 8<<20 {
		t.Errorf("after %d events %d bytes were the most, after %d events %d", events/10, early, events, late)
	}
	if got := p.end(); got != "0" {
		t.Errorf("ended by %s: %s", got, p.err.String())
	}
}

// What long lines are written into is let go of.
func TestMemoryOfLongLines(t *testing.T) {
	t.Parallel()
	p := setup{
		script: "0s prompt \"x\"\n+1s tool bash \"make\" runs 200s bursts 1ms\n+1s says \"Done.\"\n+0s settles\n",
		env:    []string{"FAKEPI_TIME=virtual"},
	}.start(t, "--mode", "json", "--no-session", "go")
	p.in.Close()
	size := 0
	for early := int64(0); ; {
		line, err := p.out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if size += len(line); size > 4<<20 && early == 0 {
			early = peak(t, p.cmd.Process.Pid)
		}
		if strings.HasPrefix(line, `{"type":"agent_end"`) {
			if late := peak(t, p.cmd.Process.Pid); late-early > 8<<20 || size < 16<<20 {
				t.Errorf("%d bytes were the most at first, %d after %d bytes of lines", early, late, size)
			}
			break
		}
	}
	if got := p.end(); got != "0" {
		t.Errorf("ended by %s: %s", got, p.err.String())
	}
}

// peak is the most memory in bytes that a process had so far.
func peak(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	if m == nil {
		t.Skipf("/proc/%d/status has no VmHWM: this kernel does not tell the peak of memory", pid)
	}
	kb, err := strconv.ParseInt(string(m[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
