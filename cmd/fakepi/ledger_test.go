package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"fakepi.example/internal/fakepi/ledger"
)

// What a worker tells of its life.
func TestLedger(t *testing.T) {
	p := withLedger(t, "", "0s prompt \"x\"\n+1s says \"a b c\" over 3s\n+0s settles")
	p.send(prompt)
	p.await("agent_settled")
	p.send("\xff\xfe")
	p.await("parse")
	p.in.Close()
	if got := p.end(); got != "0" {
		t.Fatalf("ended by %s", got)
	}
	records := p.records()
	start, ok := records[0].Event.(*ledger.Start)
	if !ok {
		t.Fatalf("the first record is %T", records[0].Event)
	}
	session, err := unix.Getsid(0) // 0 where it was begun outside of this PID namespace
	if err != nil {
		t.Fatal(err)
	}
	want := &ledger.Start{
		Argv: []string{"fakepi", "--mode", "rpc"}, CWD: p.home, ParentPID: os.Getpid(), PGID: p.cmd.Process.Pid, SID: session, UID: os.Getuid(),
		Path: os.Getenv("PATH"), Home: p.home, Dialect: "pi-1.6", Script: filepath.Join(p.home, "script.txtar"), Ignored: []string{}, Blocked: []string{},
	}
	if signal.Ignored(unix.SIGHUP) { // these tests run under nohup, and the worker inherits it
		want.Ignored = []string{"SIGHUP"}
	}
	if runtime.GOOS == "linux" {
		if start.StartTicks == 0 || start.BootID == "" || start.Parent == "" || len(start.FDs) != 3 || !strings.HasPrefix(start.FDs[1], "pipe:") {
			t.Errorf("the system's part: %+v", start)
		}
	}
	want.StartTicks, want.BootID, want.Parent, want.FDs = start.StartTicks, start.BootID, start.Parent, start.FDs
	if !cmp.Equal(want, start) {
		t.Error(cmp.Diff(want, start))
	}
	var stdin []*ledger.Stdin
	out := int64(0)
	for _, r := range records {
		switch e := r.Event.(type) {
		case *ledger.Stdin:
			stdin = append(stdin, e)
		case *ledger.Delta:
			out += int64(e.Length)
		}
	}
	if d := cmp.Diff([]*ledger.Stdin{{Line: prompt}, {Offset: int64(len(prompt)) + 1, Bytes: []byte("\xff\xfe")}}, stdin); d != "" {
		t.Error(d)
	}
	if got := int64(len(strings.Join(p.seen, ""))); got != out {
		t.Errorf("%d bytes written, by the ledger %d", got, out)
	}
	phases := p.ledgered("truth", "settled", "stdin_eof", "exit")
	if d := cmp.Diff([]string{"idle", "starting", "awaiting_first_token", "streaming", "settled", "settled", "stdin_eof", "exit 0"}, phases); d != "" {
		t.Error(d)
	}
	saved := 0
	for _, r := range records {
		if e, ok := r.Event.(*ledger.SessionWrite); ok && e.Type != "" && (e.ID != "" || e.Type == "session") {
			saved++
		}
	}
	if want := len(strings.Fields(p.saved())); saved != want {
		t.Errorf("%d entries saved, by the ledger %d", want, saved)
	}
}

// A script tells what each start does; one that it does not tell of answers shortly. Starts that only inform do not count.
func TestGenerations(t *testing.T) {
	script := "0s spawn\n+0s prompt \"x\"\n+1s says \"First.\"\n+0s killed SIGKILL\n+5m spawn\n+1s prompt \"x\"\n+2s says \"Second.\"\n+0s exits 3\n"
	home := t.TempDir()
	for _, tt := range []struct{ delta, end string }{{"First.", "killed"}, {"Second.", "3"}, {"Noted.", "0"}, {"Noted.", "0"}} {
		version := setup{home: home, script: script, env: []string{"FAKEPI_LEDGER=" + filepath.Join(home, "ledger.jsonl")}}.start(t, "--version")
		version.end()
		p := withLedger(t, home, script)
		p.send(prompt)
		p.await(tt.delta)
		if tt.delta == "Noted." {
			p.await("agent_settled")
			p.in.Close()
		}
		if got := p.end(); got != tt.end {
			t.Errorf("%s: ended by %s, want %s", tt.delta, got, tt.end)
		}
	}
}
