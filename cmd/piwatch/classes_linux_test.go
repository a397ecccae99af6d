package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/recovery"
)

// fakePi builds the fake worker under the name of the real one.
func fakePi(t *testing.T) string {
	t.Helper()
	pi := filepath.Join(t.TempDir(), "pi")
	if out, err := exec.Command("go", "build", "-o", pi, "../fakepi").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return pi
}

// TestClasses meets every class of a diagnosis, and every plan, on real worktrees and real processes.
func TestClasses(t *testing.T) {
	pi := fakePi(t)
	const (
		pushed  = `git init -q --bare ../remote; git push -q ../remote main; git fetch -q ../remote '+refs/heads/*:refs/remotes/origin/*'; `
		busy    = "0s prompt \"go\"\n+100ms tool bash \"make\" runs never busy\n"
		midEdit = "0s prompt \"go\"\n+100ms tool write args \"{\\\"path\\\":\\\"f\\\",\\\"content\\\":\\\"two\\\\n\\\"}\" runs 20m as=edit\n@edit+10ms does write f \"tw\"\n@edit.end+1s says \"Done.\"\n+0s settles\n"
		says    = "0s prompt \"go\"\n+100ms says \"Done.\"\n+0s settles\n"
	)
	tests := []struct {
		reason, script string
		setUp          string // of the worktree
		until          string // a line of the worker that has this
		end            string // how it ends: "", "killed", "done", "lost" with its worktree
		flags          []string
		class          recovery.Class
		debris         recovery.Debris
		items          string
	}{
		{"a tool computes", busy, pushed, "tool_execution_start", "", nil, recovery.Progressing, recovery.Empty, ""},
		{"a tool asks at a terminal", "0s prompt \"go\"\n+100ms tool bash \"git push\" runs never tty\n", pushed, "tool_execution_start", "", nil, recovery.Blocked, recovery.Empty, ""},
		{"it waits for its next prompt", says, pushed, "agent_settled", "", nil, recovery.Blocked, recovery.Empty, ""},
		{"no token comes, past the limit", "0s prompt \"go\"\n+300ms opens\n+0s stalls\n", pushed + "echo half >> f", "turn_start", "", []string{"--set", "first_token=1ms"}, recovery.Hung, recovery.HalfDone, "stop-worker commit-wip resume"},
		{"it is wedged", "0s prompt \"go\"\n+100ms says \"Let me see.\"\n+200ms wedges frozen\n", "", "text_delta", "", nil, recovery.Hung, recovery.Resumable, "stop-worker resume"},
		{"killed in mid-edit", midEdit, pushed, "tool_execution_start", "killed", nil, recovery.DeadAtRisk, recovery.HalfDone, "commit-wip resume"},
		{"killed, and its commit is nowhere else", busy, "", "tool_execution_start", "killed", nil, recovery.DeadAtRisk, recovery.Resumable, "resume"},
		{"killed, its work is done, and a gate has passed", says, "", "agent_settled", "killed", []string{"--task-cmd", "echo", "--task-cmd", `{"id":"7","status":"running","gates":["ci"]}`, "--gate", "true", "--repair", "true", "--remote", "remote"},
			recovery.DeadAtRisk, recovery.Publishable, "publish repair-row"},
		{"killed, and its worktree is gone", midEdit, pushed, "tool_execution_start", "lost", nil, recovery.DeadAtRisk, recovery.Orphaned, "recreate-worktree resume"},
		{"it has finished, and the remote has all", says, pushed, "agent_settled", "done", nil, recovery.DeadClean, recovery.Empty, "resume"},
		{"it works, and its row says that it failed", busy, pushed, "tool_execution_start", "", []string{"--task-cmd", "echo", "--task-cmd", `{"id":"7","status":"failed"}`, "--repair", "true"}, recovery.RowWrong, recovery.Empty, "repair-row"},
		{"a call is open, and nothing runs for it", "0s prompt \"go\"\n+100ms tool bash \"make\" runs never dead\n", pushed, "tool_execution_start", "", []string{"--set", "settle=1ms"}, recovery.Undetermined, recovery.Empty, ""},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			c := newCase(t, pi, test.script, test.setUp)
			c.start(test.until)
			plan := slices.Clone(test.flags)
			flags := slices.Clone(test.flags)
			for _, only := range []string{"--gate", "--repair"} { // of plan
				if i := slices.Index(flags, only); i >= 0 {
					flags = slices.Delete(flags, i, i+2)
				}
			}
			c.end(test.end)

			var d recovery.Diagnosis
			c.json(&d, append([]string{"diagnose"}, flags...)...)
			if d.Class != test.class || d.Debris != test.debris || len(d.Evidence) == 0 || (len(d.Unknown) > 0) != (d.Class == recovery.Undetermined) {
				t.Errorf("diagnosed as %s, %s; want %s, %s:\n%s\n%s", d.Class, d.Debris, test.class, test.debris, strings.Join(d.Evidence, "\n"), strings.Join(d.Unknown, "\n"))
			}
			if test.end != "lost" {
				c.piwatch("snapshot", "--worktree", "w", "--out", "e")
			}
			var p recovery.Plan
			c.json(&p, append([]string{"plan", "--evidence", "e"}, plan...)...)
			var items []string
			for _, it := range p.Items {
				items = append(items, it.ID)
			}
			if got := strings.Join(items, " "); p.Class != test.class || got != test.items {
				t.Errorf("planned for %s: %q, want %q; omitted: %q", p.Class, got, test.items, p.Omitted)
			}
		})
	}
}

// workerCase is a worker in a worktree.
type workerCase struct {
	t       *testing.T
	dir, pi string
	worker  *exec.Cmd
	wait    func() error // for its end
	stdin   io.Closer
}

func newCase(t *testing.T, pi, script, setUp string) *workerCase {
	c := &workerCase{t: t, dir: t.TempDir(), pi: pi}
	if err := os.WriteFile(filepath.Join(c.dir, "script"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	c.sh(`git init -q -b main w; cd w; git config user.name a; git config user.email a@localhost; echo one > f; git add f; git commit -qm one; ` + setUp)
	return c
}

func (c *workerCase) sh(script string) string {
	c.t.Helper()
	cmd := exec.Command("bash", "-euc", script)
	cmd.Dir, cmd.Env = c.dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "XDG_STATE_HOME="+filepath.Join(c.dir, "state"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// start starts the worker, gives it its prompt, and reads until it prints a line that has this.
func (c *workerCase) start(until string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute) // far beyond what any takes
	c.t.Cleanup(cancel)
	c.worker = exec.CommandContext(ctx, c.pi, "--mode", "rpc", "--session", filepath.Join(c.dir, "s.jsonl"))
	c.worker.Dir = filepath.Join(c.dir, "w")
	c.worker.Env = append(os.Environ(), "FAKEPI_SCRIPT="+filepath.Join(c.dir, "script"), "FAKEPI_LEDGER="+filepath.Join(c.dir, "ledger"))
	in, err := c.worker.StdinPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	c.stdin = in
	out, err := c.worker.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.worker.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.wait = sync.OnceValue(c.worker.Wait)
	c.t.Cleanup(func() {
		_ = c.worker.Process.Kill()
		_ = c.wait()
		c.endTools()
	})
	if _, err := io.WriteString(in, `{"type":"prompt","message":"go"}`+"\n"); err != nil {
		c.t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			c.t.Fatalf("the worker ended before it printed %s: %v", until, err)
		}
		if strings.Contains(line, until) {
			break
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
}

// endTools ends the processes of its tools, which outlive it as those of Pi do.
func (c *workerCase) endTools() {
	ledger, err := os.ReadFile(filepath.Join(c.dir, "ledger"))
	if err != nil {
		return
	}
	for line := range strings.Lines(string(ledger)) {
		var record struct {
			Kind  string `json:"kind"`
			Child int    `json:"child_pid"`
		}
		if err := json.Unmarshal([]byte(line), &record); err == nil && record.Kind == "tool_child" && record.Child > 1 {
			_ = syscall.Kill(record.Child, syscall.SIGKILL)
		}
	}
}

// end ends the worker in a way.
func (c *workerCase) end(how string) {
	c.t.Helper()
	switch how {
	case "":
		return
	case "lost":
		c.piwatch("snapshot", "--worktree", "w", "--out", "e")
	}
	if how == "done" {
		_ = c.stdin.Close()
	} else {
		for !c.edited() {
		}
		_ = c.worker.Process.Kill()
	}
	_ = c.wait()
	c.endTools()
	if how == "lost" {
		c.sh("rm -r w")
	}
}

// edited reports whether the effects of the script so far are there.
func (c *workerCase) edited() bool {
	script, err := os.ReadFile(filepath.Join(c.dir, "script"))
	if err != nil {
		c.t.Fatal(err)
	}
	ledger, err := os.ReadFile(filepath.Join(c.dir, "ledger"))
	return err == nil && (!strings.Contains(string(script), " does ") || strings.Contains(string(ledger), `"effect"`))
}

func (c *workerCase) piwatch(args ...string) []byte {
	c.t.Helper()
	cmd := exec.Command("piwatch", args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(c.pi)+":"+os.Getenv("PATH"), "FAKEPI_SCRIPT="+filepath.Join(c.dir, "finishes"), "FAKEPI_TIME=virtual",
		"XDG_STATE_HOME="+filepath.Join(c.dir, "state"))
	out, err := cmd.Output()
	if err != nil {
		var stderr []byte
		if exit, ok := err.(*exec.ExitError); ok {
			stderr = exit.Stderr
		}
		c.t.Fatalf("piwatch %q: %v: %s%s", args, err, out, stderr)
	}
	return out
}

// json runs a command that looks at the worker, and reads what it prints.
func (c *workerCase) json(into any, args ...string) {
	c.t.Helper()
	args = append(args, "--worktree", "w", "--session", "s.jsonl", "--pid", strconv.Itoa(c.worker.Process.Pid), "--json")
	if err := json.Unmarshal(c.piwatch(args...), into); err != nil {
		c.t.Fatal(err)
	}
}

// A hung worker is stopped, and a second one goes on from the commit of what it left.
func TestHungWorkerIsReplaced(t *testing.T) {
	c := newCase(t, fakePi(t), "0s prompt \"go\"\n+100ms says \"Let me see.\"\n+200ms wedges frozen\n", "echo half >> f")
	if err := os.WriteFile(filepath.Join(c.dir, "finishes"), []byte("0s prompt \"go on\"\n+100ms says \"It is done.\"\n+0s settles\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.start("text_delta")
	c.piwatch("snapshot", "--worktree", "w", "--out", "e")
	var p recovery.Plan
	c.json(&p, "plan", "--evidence", "e")
	c.piwatch("key", "--out", "key")
	for _, it := range p.Items {
		c.piwatch("approve", it.ID, "--case", "e.case", "--key", "key")
	}
	go func() { _ = c.wait() }() // a zombie has ended, but not for everybody
	var results []recovery.Applied
	if err := json.Unmarshal(c.piwatch("apply", "--case", "e.case", "--key", "key.pub", "--grace", "2s", "--json"), &results); err != nil {
		t.Fatal(err)
	}
	for i, item := range []string{"stop-worker", "commit-wip", "resume"} {
		if len(results) != 3 || results[i].Item != item || results[i].Result != "done" {
			t.Fatalf("item %d: %+v, want %s done", i, results, item)
		}
	}
	events := strings.Split(strings.TrimSpace(string(c.piwatch("log", "--case", "e.case", "--json"))), "\n")
	for _, line := range events {
		var e recovery.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Recovery != p.ID || e.Time.IsZero() {
			t.Errorf("an event is %s: %v", line, err)
		}
	}
}

// The plan names a worker; what descends from it approves nothing, whatever it is called.
func TestWorkerApprovesNothing(t *testing.T) {
	c := newCase(t, "", "", "echo half >> f")
	c.piwatch("key", "--out", "key")
	c.piwatch("snapshot", "--worktree", "w", "--out", "e")
	c.piwatch("plan", "--worktree", "w", "--pid", strconv.Itoa(os.Getpid()), "--evidence", "e")
	cmd := exec.Command("piwatch", "approve", "resume", "--case", "e.case", "--key", "key")
	cmd.Dir = c.dir
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "the owner decides outside of it") {
		t.Errorf("a descendant of the plan's worker: %v: %s", err, out)
	}
}
