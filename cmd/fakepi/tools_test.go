package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/fakepi/ledger"
)

// acting is a tool that writes a second after its start, and again later.
func acting(later, end string) string {
	return `0s   prompt "x"
+1s  tool bash "make test" runs ` + end + ` as=t
@t+1s  does write a.txt "one\n"
+` + later + ` does append a.txt "two\n"
@t.end+1s says "Done."
+0s  settles
`
}

// withLedger starts a worker that has a ledger in its home.
func withLedger(t *testing.T, home, script string, env ...string) *pi {
	t.Helper()
	if home == "" {
		home = t.TempDir()
	}
	env = append([]string{"FAKEPI_LEDGER=" + filepath.Join(home, "ledger.jsonl")}, env...)
	return setup{home: home, script: script, env: env}.start(t, "--mode", "rpc")
}

// records reads the ledger, which no writer has left in disorder; one may be in the middle of the last record.
func (p *pi) records() []ledger.Record {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.home, "ledger.jsonl"))
	if err != nil {
		p.t.Fatal(err)
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	records, torn, err := ledger.ReadAll(bytes.NewReader(whole))
	if err != nil || torn > 0 {
		p.t.Fatalf("%d torn records, %v", torn, err)
	}
	if problems := ledger.Check(records); len(problems) > 0 {
		p.t.Errorf("the ledger: %q", problems)
	}
	return records
}

// ledgered lists the records of some kinds in short words.
func (p *pi) ledgered(kinds ...ledger.Kind) []string {
	p.t.Helper()
	words := []string{}
	for _, r := range p.records() {
		for _, kind := range kinds {
			if r.Kind == kind {
				words = append(words, inWords(r))
			}
		}
	}
	return words
}

func inWords(r ledger.Record) string {
	switch e := r.Event.(type) {
	case *ledger.Effect:
		return strings.TrimSpace(fmt.Sprintf("%s %s%s%s %s", e.What, e.Path, e.Remote, e.Command, e.Error))
	case *ledger.ToolChild:
		return "child " + e.Command + map[bool]string{true: " ended"}[e.Ended] + map[bool]string{true: " killed"}[e.Killed]
	case *ledger.Exit:
		return fmt.Sprintf("exit %d%s", e.Code, e.Signal)
	case *ledger.Signal:
		return e.Name + map[bool]string{true: " handled"}[e.Handled]
	case *ledger.Truth:
		return e.Phase
	}
	return string(r.Kind)
}

// child waits until the tool runs and returns the pid of its process.
func (p *pi) child() int {
	p.t.Helper()
	p.await(`"partialResult":{"content":[]}`)
	pid := 0
	eventually(p.t, "the tool has a process", func() bool {
		for _, r := range p.records() {
			if e, ok := r.Event.(*ledger.ToolChild); ok {
				pid = e.PID
			}
		}
		return pid > 0
	})
	return pid
}

func (p *pi) file(name string) string {
	data, _ := os.ReadFile(filepath.Join(p.home, name)) // one that is missing is empty
	return string(data)
}

// How a tool's process ends, and what it has done by then (docs/pi-formats.md, sections 8 and 10).
func TestToolProcess(t *testing.T) {
	tests := []struct {
		name, dialect string
		end           func(*pi)
		exit          string
		file          string // at the end
		records       []string
		reason        string
	}{
		{"by itself", "pi-1.6", func(p *pi) { p.await("agent_settled"); p.in.Close() }, "0", "one\ntwo\n",
			[]string{"child make test", "write a.txt", "append a.txt", "child make test ended killed", "exit 0"}, ""},
		{"abort", "pi-1.6", func(p *pi) { p.send(`{"type":"abort"}`); p.await("agent_settled"); p.in.Close() }, "0", "one\n",
			[]string{"child make test", "write a.txt", "child make test ended killed", "exit 0"}, ""},
		{"SIGTERM", "pi-1.6", func(p *pi) { p.signal(syscall.SIGTERM) }, "143", "one\n",
			[]string{"child make test", "write a.txt", "child make test ended killed", "exit 143"}, ""},
		{"SIGTERM to Pi 0.73", "pi-0.73", func(p *pi) { p.signal(syscall.SIGTERM) }, "143", "one\n",
			[]string{"child make test", "write a.txt", "child make test ended killed", "exit 143"}, ""},
		{"EOF", "pi-1.6", func(p *pi) { p.in.Close() }, "0", "one\n",
			[]string{"child make test", "write a.txt", "child make test ended killed", "exit 0"}, ""},
		{"EOF to Pi 0.73", "pi-0.73", func(p *pi) { p.in.Close() }, "0", "one\ntwo\n",
			[]string{"child make test", "write a.txt", "exit 0", "append a.txt"}, "the child lives on"},
		{"SIGKILL", "pi-1.6", func(p *pi) { p.signal(syscall.SIGKILL) }, "killed", "one\ntwo\n",
			[]string{"child make test", "write a.txt", "append a.txt"}, "the child lives on"},
		{"the script's own SIGKILL", "pi-1.6", nil, "killed", "one\ntwo\n",
			[]string{"child make test", "write a.txt", "exit -1SIGKILL", "append a.txt"}, "the child lives on"},
		{"SIGINT", "pi-0.73", func(p *pi) { p.signal(syscall.SIGINT) }, "interrupt", "one\ntwo\n",
			[]string{"child make test", "write a.txt", "exit -1SIGINT", "append a.txt"}, "the child lives on"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			script := acting("1h", "2h") // no worker is that late to kill it
			if tt.file == "one\ntwo\n" {
				script = acting("4m", "5m")
			}
			if tt.end == nil {
				script = strings.Replace(script, "+4m does", "+9s killed SIGKILL\n+4m does", 1)
				script, _, _ = strings.Cut(script, "@t.end")
				tt.end = func(*pi) {}
			}
			p := withLedger(t, "", script, "FAKEPI_DIALECT="+tt.dialect)
			p.send(prompt)
			child := p.child()
			eventually(t, "the tool has noted that it has written", func() bool { return len(p.ledgered("effect")) > 0 })
			tt.end(p)
			if got := p.end(); got != tt.exit {
				t.Errorf("ended by %s, want %s", got, tt.exit)
			}
			eventually(t, "the tool's process has gone", func() bool { return !lives(child) })
			if got := p.file("a.txt"); got != tt.file {
				t.Errorf("the file holds %q, want %q (%s)", got, tt.file, tt.reason)
			}
			if got := p.ledgered("tool_child", "effect", "exit"); !cmp.Equal(tt.records, got) {
				t.Error(cmp.Diff(tt.records, got))
			}
		})
	}
}

// lives reports whether a process is there and no zombie that nobody has waited for.
func lives(pid int) bool {
	if runtime.GOOS != "linux" {
		return syscall.Kill(pid, 0) == nil
	}
	state := stat(pid)
	return len(state) > 0 && state[0] != "Z"
}

// stat is what /proc/PID/stat says behind the program's name; nothing of a process that has gone.
func stat(pid int) []string {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return strings.Fields(string(data)[strings.LastIndexByte(string(data), ')')+1:])
}

// The process of a tool is in a session of its own and looks like a shell; the worker looks like pi.
func TestHowProcessesLook(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it reads /proc")
	}
	p := withLedger(t, "", "0s prompt \"x\"\n+1s tool bash \"make test\" runs never")
	p.send(prompt)
	tool := p.child()
	child, pid := strconv.Itoa(tool), strconv.Itoa(p.cmd.Process.Pid)
	if got := stat(tool); got[1] != pid || got[2] != child || got[3] != child {
		t.Errorf("parent, group and session are %v, want %s, %s, %s", got[1:4], pid, child, child)
	}
	for _, tt := range []struct{ name, want string }{
		{pid + "/comm", "pi\n"},
		{pid + "/cmdline", "pi" + strings.Repeat("\x00", len("fakepi --mode rpc")+1-len("pi"))},
	} {
		if got, err := os.ReadFile("/proc/" + tt.name); err != nil || string(got) != tt.want {
			t.Errorf("%s is %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
	eventually(t, "the tool is named as a shell", func() bool { got, _ := os.ReadFile("/proc/" + child + "/comm"); return string(got) == "bash\n" })
	if got, err := os.ReadFile("/proc/" + child + "/cmdline"); err != nil || !strings.HasSuffix(string(got), "bash\x00-c\x00make test\x00") {
		t.Errorf("the tool's command line is %q, %v", got, err)
	}
	p.signal(syscall.SIGTERM)
	p.end()
}

// Kinds of processes: what a watchdog that looks into /proc finds.
func TestKindsOfToolProcesses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it reads /proc")
	}
	tests := []struct {
		kind string
		is   func(group int) bool
	}{
		{"busy", func(group int) bool { ticks, _ := strconv.Atoi(stat(group)[11]); return ticks > 5 }},
		{"tty", func(group int) bool {
			for fd := range 20 {
				if target, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", group, fd)); strings.HasPrefix(target, "/dev/pts/") {
					return true
				}
			}
			return false
		}},
		{"holds", func(group int) bool { return !lives(group) && syscall.Kill(-group, 0) == nil }},
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			t.Parallel()
			p := withLedger(t, "", "0s prompt \"x\"\n+1s tool bash \"x\" runs never "+tt.kind)
			p.send(prompt)
			group := p.child()
			eventually(t, "it is "+tt.kind, func() bool { return tt.is(group) })
			p.send(`{"type":"abort"}`)
			p.await("agent_settled")
			eventually(t, "all of it has gone", func() bool { return syscall.Kill(-group, 0) != nil })
		})
	}
	dead := withLedger(t, "", "0s prompt \"x\"\n+1s tool bash \"x\" runs never dead")
	dead.send(prompt)
	dead.await(`"partialResult":{"content":[]}`)
	dead.in.Close()
	if got := dead.end(); got != "0" || len(dead.ledgered("tool_child")) > 0 {
		t.Errorf("ended by %s, with a process: %q", got, dead.ledgered("tool_child"))
	}
}

// Somebody kills the process of a tool: the call ends, and the run goes on.
func TestKilledToolProcess(t *testing.T) {
	for dialect, want := range map[string]string{"pi-1.6": "Command exited with code 137", "pi-0.73": "(no output)"} {
		p := withLedger(t, "", "0s prompt \"x\"\n+1s tool bash \"x\" runs 1h as=t\n@t.end+1s says \"Done.\"\n+0s settles", "FAKEPI_DIALECT="+dialect)
		p.send(prompt)
		if err := syscall.Kill(-p.child(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if end := p.await("tool_execution_end"); !strings.Contains(end, want) {
			t.Errorf("%s: %s, want %q", dialect, end, want)
		}
		if got := p.ledgered("tool_child"); !cmp.Equal(got, []string{"child x", "child x ended"}) {
			t.Errorf("%s: %q", dialect, got)
		}
	}
}

// Effects of all kinds, on real files and a real repository; a command runs where that is allowed.
func TestEffectsAreReal(t *testing.T) {
	script := `0s   prompt "x"
+1s  tool bash "work" runs 20s as=t
@t   does write a/b.txt "one two\n"
+1s  does edit a/b.txt "two" "three"
+1s  does commit "first"
+1s  does push
+1s  does run "cat a/b.txt; git log --format=%s; exit 3"
@t.end+1s tool edit "c.txt" runs 1s as=u
@u   does edit c.txt "none" "x"
@u.end+1s says "Done."
+0s  settles
`
	for _, speed := range []string{"x60", "virtual"} {
		t.Run(speed, func(t *testing.T) {
			home := t.TempDir()
			for _, args := range [][]string{{"init", "--quiet", "-b", "main"}, {"init", "--quiet", "--bare", "remote.git"}, {"remote", "add", "origin", "./remote.git"}} {
				git(t, home, args...)
			}
			if err := os.WriteFile(filepath.Join(home, ".git/info/exclude"), []byte("*\n!/a\n!/a/*\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			p := withLedger(t, home, script, "FAKEPI_TIME="+speed, "FAKEPI_ALLOW_EXEC=1")
			p.send(prompt)
			if end := p.await("tool_execution_end"); !strings.Contains(end, `"text":"one three\nfirst\n\n\nCommand exited with code 3"`) {
				t.Errorf("the command's end: %s", end)
			}
			if end := p.await("tool_execution_end"); !strings.Contains(end, `"text":"Could not edit file: c.txt. Error code: ENOENT."`) {
				t.Errorf("the failed edit's end: %s", end)
			}
			p.await("agent_settled")
			p.in.Close()
			if got := p.end(); got != "0" {
				t.Errorf("ended by %s, want 0", got)
			}
			if got := git(t, filepath.Join(home, "remote.git"), "show", "main:a/b.txt"); got != "one three\n" {
				t.Errorf("pushed %q", got)
			}
			want := []string{
				"write a/b.txt", "edit a/b.txt", "commit", "push origin", "run cat a/b.txt; git log --format=%s; exit 3",
				"edit c.txt Could not edit file: c.txt. Error code: ENOENT.",
			}
			if got := p.ledgered("effect"); !cmp.Equal(want, got) {
				t.Error(cmp.Diff(want, got))
			}
		})
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return string(out)
}

// An abort ends a command with all that it has started.
func TestAbortedCommand(t *testing.T) {
	p := withLedger(t, "", "0s prompt \"x\"\n+1s tool bash \"x\" runs 1h as=t\n@t+1s does run \"echo $$ >pid; sleep 600; echo done >late\"\n@t.end+1s says \"Done.\"\n+0s settles", "FAKEPI_ALLOW_EXEC=1")
	p.send(prompt)
	eventually(t, "the command runs", func() bool { return strings.HasSuffix(p.file("pid"), "\n") })
	pid, err := strconv.Atoi(strings.TrimSpace(p.file("pid")))
	if err != nil {
		t.Fatal(err)
	}
	p.send(`{"type":"abort"}`)
	p.await("agent_settled")
	eventually(t, "the command has gone", func() bool { return !lives(pid) })
}

// A descendant may hold stdout when the worker has gone: its reader waits for both.
func TestStdoutOutlivesTheWorker(t *testing.T) {
	p := withLedger(t, "", "0s prompt \"x\"\n+1s exits 4\n+30s eof")
	p.send(prompt)
	p.await(`"turn_start"`)
	eventually(t, "the worker has exited", func() bool { return len(p.ledgered("exit")) == 1 })
	exited := p.records()
	if got := p.end(); got != "4" {
		t.Errorf("ended by %s, want 4", got)
	}
	var child int
	for _, r := range exited {
		if e, ok := r.Event.(*ledger.ToolChild); ok {
			child = e.PID
		}
	}
	if child == 0 {
		t.Fatal("nobody was left behind")
	}
	eventually(t, "who held stdout has gone", func() bool { return !lives(child) })
}

// A client's command runs where commands are allowed, and is told of while it runs; elsewhere it prints nothing.
func TestClientsCommands(t *testing.T) {
	p := withLedger(t, "", idle, "FAKEPI_ALLOW_EXEC=1")
	p.send(`{"id":1,"type":"bash","command":"echo one; until test -e go; do :; done; echo two; exit 3"}`)
	p.await(`{"type":"bash_execution_update","id":1,"delta":"one\n"}`)
	if err := os.WriteFile(filepath.Join(p.home, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p.await(`{"type":"bash_execution_update","id":1,"delta":"two\n"}`)
	p.await(`{"id":1,"type":"response","command":"bash","success":true,"data":{"output":"one\ntwo\n","exitCode":3,"cancelled":false,"truncated":false}}`)
	p.send(`{"id":2,"type":"bash","command":"echo $$ >pid; sleep 600"}`)
	eventually(t, "the command runs", func() bool { return strings.HasSuffix(p.file("pid"), "\n") })
	p.send(`{"type":"abort_bash"}`)
	p.await(`"cancelled":true`)
	pid, err := strconv.Atoi(strings.TrimSpace(p.file("pid")))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the command has gone", func() bool { return !lives(pid) })

	none := withLedger(t, "", idle)
	none.send(`{"id":1,"type":"bash","command":"echo one >ran"}`)
	none.await(`"data":{"output":"","exitCode":0,"cancelled":false,"truncated":false}`)
	if got := none.file("ran"); got != "" {
		t.Errorf("it ran: %q", got)
	}
}

// What a command of a tool prints comes while it runs.
func TestCommandsPrintWhileTheyRun(t *testing.T) {
	p := withLedger(t, "", "0s prompt \"x\"\n+1s tool bash \"x\" runs 1h as=t\n@t does run \"echo one; until test -e go; do :; done; echo two\"\n@t.end+1s says \"a\"\n+0s settles", "FAKEPI_ALLOW_EXEC=1")
	p.send(prompt)
	p.await(`"partialResult":{"content":[{"type":"text","text":"one\n"}]`)
	if err := os.WriteFile(filepath.Join(p.home, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p.await(`"partialResult":{"content":[{"type":"text","text":"one\ntwo\n"}]`)
}
