package main

import (
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"fakepi.example/internal/fakepi/cli/terminal"
)

// A signal interrupts the wait for keys, which goes on: nothing is held meanwhile, as a suspension needs it.
func TestWaitsForKeysInSignals(t *testing.T) {
	user, line, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	tt := &terminal.Terminal{In: line}
	if err := tt.MakeRaw(); err != nil {
		t.Fatal(err)
	}
	keys := tt.ReadKeys()
	if _, err := user.WriteString("a"); err != nil {
		t.Fatal(err)
	}
	if got := <-keys; len(got) != 1 || string(got[0]) != "a" {
		t.Errorf("got keys %q, want a", got)
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for range 50 {
		<-tick.C
		signalThreads(t, syscall.SIGURG)
	}
	if !tt.Held.TryLock() {
		t.Fatal("it reads while there is nothing to read")
	}
	tt.Held.Unlock()
	if _, err := user.WriteString("b"); err != nil {
		t.Fatal(err)
	}
	if got := <-keys; len(got) != 1 || string(got[0]) != "b" {
		t.Errorf("got keys %q, want b", got)
	}
	user.Close() // which hangs up
	if got, open := <-keys; open {
		t.Errorf("got keys %q behind the end", got)
	}
}

// signalThreads sends a signal to each thread of the test, which Go's runtime takes for one of its own.
func signalThreads(t *testing.T, s syscall.Signal) {
	t.Helper()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			t.Fatal(err)
		}
		_ = unix.Tgkill(os.Getpid(), id, s) // it may have ended
	}
}
