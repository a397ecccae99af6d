package recovery_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/internal/watchdog/recovery"
)

func TestLookForEffects(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, file, call, args string
		command                  []string
		want                     recovery.Happened
	}{
		{"the file has the contents", "new", "write", `{"path":"f","content":"new"}`, nil, recovery.Yes},
		{"an absolute path in the worktree", "new", "write", `{"path":"@/f","content":"new"}`, nil, recovery.Yes},
		{"the file was written in part", "ne", "write", `{"path":"f","content":"new"}`, nil, recovery.Unknown},
		{"there is no file", "new", "write", `{"path":"g","content":"new"}`, nil, recovery.No},
		{"a path out of the worktree", "new", "write", `{"path":"../f","content":"new"}`, nil, recovery.Unknown},
		{"a link out of the worktree", "new", "write", `{"path":"out","content":"root"}`, nil, recovery.Unknown},
		{"the old text is there", "a one b", "edit", `{"path":"f","edits":[{"oldText":"one","newText":"two"}]}`, nil, recovery.No},
		{"the new text is there", "a two b", "edit", `{"path":"f","edits":[{"oldText":"one","newText":"two"}]}`, nil, recovery.Yes},
		{"one of two edits", "a two c", "edit", `{"path":"f","edits":[{"oldText":"one","newText":"two"},{"oldText":"c","newText":"d"}]}`, nil, recovery.Unknown},
		{"the new text holds the old one", "one and two", "edit", `{"path":"f","edits":[{"oldText":"one","newText":"one and two"}]}`, nil, recovery.Unknown},
		{"the form of an older dialect", "a two b", "edit", `{"path":"f","oldText":"one","newText":"two"}`, nil, recovery.Yes},
		{"the owner's command knows", "", "bash", `{"command":"git push"}`, []string{"true"}, recovery.Yes},
		{"the owner's command knows that not", "", "bash", `{"command":"git push"}`, []string{"false"}, recovery.No},
		{"the owner's command cannot tell", "", "bash", `{"command":"git push"}`, []string{"sh", "-c", "exit 2"}, recovery.Unknown},
		{"nobody knows", "", "bash", `{"command":"git push"}`, nil, recovery.Unknown},
	}
	for _, test := range tests {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(test.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("/etc/passwd", filepath.Join(dir, "out")); err != nil {
			t.Fatal(err)
		}
		args := strings.ReplaceAll(test.args, "@", dir)
		s := recovery.ParseSession("s", []byte(`{"type":"message","id":"1","message":{"role":"assistant","stopReason":"toolUse","content":[`+
			`{"type":"toolCall","id":"r","name":"read","arguments":{"path":"f"}},{"type":"toolCall","id":"c","name":"`+test.call+`","arguments":`+args+`}]}}`+"\n"))
		got := recovery.LookForEffects(t.Context(), s, recovery.Probes{Worktree: dir, Command: test.command})
		if len(got) != 1 || got[0].Call != "c" || got[0].Happened != test.want {
			t.Errorf("%s: %+v, want %s", test.reason, got, test.want)
		}
	}
}

// A claim of "done" fails closed.
func TestCheckDone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, setUp string
		claim         func(c *recovery.Claim)
		against       string // a part of what speaks against it; empty: nothing does
	}{
		{"clean and published", "", nil, ""},
		{"uncommitted", "echo more >> f", nil, "1 edited file"},
		{"not pushed", "git commit -qm more --allow-empty", nil, "refs/heads/main"},
		{"reverted at the remote", "git commit -qm more --allow-empty; git push -q origin main; git push -qf origin HEAD~1:main", nil, "refs/heads/main"},
		{"the remote cannot be asked", "", func(c *recovery.Claim) { c.Remote += "-not-there" }, "asking"},
		{"the gate fails", "", func(c *recovery.Claim) { c.Gate = []string{"false"} }, "gate false fails"},
		{"the gate is no program", "", func(c *recovery.Claim) { c.Gate = []string{"no-such-gate"} }, "gate no-such-gate fails"},
		{"the worktree is gone", "", func(c *recovery.Claim) { c.Worktree = &evidence.State{Missing: true} }, "not there"},
	}
	for _, test := range tests {
		s := newScene(t, test.setUp, recovery.Means{})
		state, err := evidence.Inspect(t.Context(), s.worktree)
		if err != nil {
			t.Fatal(err)
		}
		c := recovery.Claim{Worktree: state, Remote: filepath.Join(s.dir, "remote"), Gate: []string{"true"}, Dir: s.worktree}
		if test.claim != nil {
			test.claim(&c)
		}
		got := strings.Join(recovery.CheckDone(t.Context(), c), "; ")
		if (got == "") != (test.against == "") || !strings.Contains(got, test.against) {
			t.Errorf("%s: %q, want %q", test.reason, got, test.against)
		}
	}
}
