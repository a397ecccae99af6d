package recovery_test

import (
	"strings"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/internal/watchdog/recovery"
	"fakepi.example/watchdog"
)

var now = time.Date(2026, time.November, 29, 12, 0, 0, 0, time.UTC)

func seen(ago time.Duration, role, stop string, open ...recovery.Call) *recovery.Session {
	return &recovery.Session{Path: "s.jsonl", ID: "x", Entries: 5, Line: 6, Role: role, Stop: stop, Last: now.Add(-ago), Open: open}
}

func alive(state string, below ...recovery.Moved) *recovery.Sighting {
	return &recovery.Sighting{PID: 7, Process: recovery.Moved{Process: evidence.Process{PID: 7, Name: "pi", State: state}}, Descendants: below}
}

// at is a stopped process that works in a folder.
func at(dir string) *recovery.Sighting {
	s := alive("T")
	s.Process.Dir = dir
	return s
}

// Commits of a nested repository are told apart from the worktree's own.
func TestDiagnoseNested(t *testing.T) {
	inner := &evidence.State{Git: &evidence.GitRecord{Unpushed: 1}}
	w := &evidence.State{Git: &evidence.GitRecord{Branch: "refs/heads/main", Unpushed: 1}, Nested: []evidence.Inner{{Path: "n", State: inner}}}
	d := recovery.Diagnose(&recovery.Facts{Now: now, Worktree: w}, &watchdog.Limits{})
	const want = "worktree: on main, 1 commit that no remote has, 1 more commit in nested repositories, 0 edited files, 0 untracked files"
	if len(d.Evidence) == 0 || d.Evidence[0] != want {
		t.Errorf("got %q, want %q", d.Evidence, want)
	}
}

func TestDiagnose(t *testing.T) {
	gone := &recovery.Sighting{PID: 7, Gone: true}
	clean := &evidence.State{Git: &evidence.GitRecord{Branch: "refs/heads/main"}}
	dirty := &evidence.State{Git: clean.Git, Edited: []string{"a"}}
	ahead := &evidence.State{Git: &evidence.GitRecord{Branch: "refs/heads/main", Unpushed: 2}}
	bash := recovery.Call{ID: "c1", Name: "bash"}
	quiet := recovery.Moved{Process: evidence.Process{PID: 8, Name: "sleep", State: "S"}}
	busy := recovery.Moved{Process: evidence.Process{PID: 8, Name: "cc", State: "R"}, CPUBetween: 0.9}
	prompt := recovery.Moved{Process: evidence.Process{PID: 9, Name: "git-remote-http", Terminal: "/dev/pts/3"}}
	quota := &recovery.Verdict{Name: "awaiting_quota", Status: "ok", Until: now.Add(time.Hour)}
	shell := &recovery.Sighting{PID: 7, Process: recovery.Moved{Process: evidence.Process{PID: 7, Name: "bash", Command: []string{"bash"}, State: "S"}}}
	below := &recovery.Sighting{PID: 7, Process: shell.Process, Descendants: []recovery.Moved{{Process: evidence.Process{PID: 8, Name: "pi", State: "S"}}}}
	other := []evidence.Process{{PID: 9, Name: "pi", State: "S"}}
	damaged := &recovery.Session{Path: "s.jsonl", ID: "x", Entries: 5, Role: "user", Last: now.Add(-time.Hour), Damaged: []int{7}}
	tests := []struct {
		reason string
		facts  recovery.Facts
		class  recovery.Class
		debris recovery.Debris
	}{
		{"it waits for its quota, past every limit", recovery.Facts{Worktree: clean, Process: alive("S"), Session: seen(time.Hour, "assistant", "error"), Known: quota}, recovery.Waiting, recovery.Empty},
		{"nobody knows whether it lives, and it waits for its quota", recovery.Facts{Worktree: clean, Session: seen(time.Hour, "assistant", "error"), Known: quota}, recovery.Waiting, recovery.Empty},
		{"it waits for a credential, its recording says", recovery.Facts{Worktree: clean, Process: alive("S"), Session: seen(time.Hour, "assistant", "error"), Verdict: &recovery.Verdict{Name: "awaiting_auth", Status: "ok"}}, recovery.Waiting, recovery.Empty},
		{"it died in a wait for its quota", recovery.Facts{Worktree: clean, Process: gone, Session: seen(time.Hour, "assistant", "error"), Known: quota}, recovery.DeadClean, recovery.Empty},
		{"a shell that is no pi", recovery.Facts{Worktree: clean, Process: shell, Session: seen(time.Hour, "user", "")}, recovery.Undetermined, recovery.Empty},
		{"a shell with a pi below it", recovery.Facts{Worktree: clean, Process: below, Session: seen(time.Hour, "assistant", "stop")}, recovery.Blocked, recovery.Empty},
		{"another pi in its session", recovery.Facts{Worktree: clean, Process: gone, Session: seen(time.Hour, "user", ""), Holders: other}, recovery.Undetermined, recovery.Empty},
		{"a line that cannot be read may have held a push", recovery.Facts{Worktree: clean, Process: gone, Session: damaged}, recovery.DeadAtRisk, recovery.Empty},
		{"no process, edits", recovery.Facts{Worktree: dirty, Process: gone}, recovery.DeadAtRisk, recovery.HalfDone},
		{"no process, commits that no remote has", recovery.Facts{Worktree: ahead, Process: gone}, recovery.DeadAtRisk, recovery.Resumable},
		{"commits, and a gate that passed", recovery.Facts{Worktree: ahead, Process: gone, Task: &recovery.Task{Status: "running", Gates: []string{"ci"}}}, recovery.DeadAtRisk, recovery.Publishable},
		{"no process, nothing left", recovery.Facts{Worktree: clean, Process: gone, Session: seen(time.Hour, "assistant", "stop")}, recovery.DeadClean, recovery.Empty},
		{"a call that may have acted", recovery.Facts{Worktree: clean, Process: gone, Session: seen(time.Hour, "assistant", "toolUse", bash)}, recovery.DeadAtRisk, recovery.Empty},
		{"a call that cannot have acted", recovery.Facts{Worktree: clean, Process: gone, Session: seen(time.Hour, "assistant", "toolUse", recovery.Call{ID: "c", Name: "read"})}, recovery.DeadClean, recovery.Empty},
		{"a zombie", recovery.Facts{Worktree: dirty, Process: alive("Z")}, recovery.DeadAtRisk, recovery.HalfDone},
		{"the tree is gone, the process too", recovery.Facts{Worktree: &evidence.State{Missing: true}, Process: gone}, recovery.DeadAtRisk, recovery.Orphaned},
		{"the pid is of another process", recovery.Facts{Worktree: dirty, Place: "/w", Process: at("/home/me")}, recovery.Undetermined, recovery.HalfDone},
		{"it works below the worktree", recovery.Facts{Worktree: dirty, Place: "/w", Process: at("/w/sub")}, recovery.Hung, recovery.HalfDone},
		{"a name that begins alike", recovery.Facts{Worktree: dirty, Place: "/w", Process: at("/w2")}, recovery.Undetermined, recovery.HalfDone},
		{"stopped", recovery.Facts{Worktree: dirty, Process: alive("T")}, recovery.Hung, recovery.HalfDone},
		{"a tool asks at the terminal", recovery.Facts{Worktree: dirty, Process: alive("S", prompt), Session: seen(time.Hour, "assistant", "toolUse", bash)}, recovery.Blocked, recovery.HalfDone},
		{"waits for its next prompt", recovery.Facts{Worktree: clean, Process: alive("S"), Session: seen(9*time.Hour, "assistant", "stop")}, recovery.Blocked, recovery.Empty},
		{"a busy child", recovery.Facts{Worktree: dirty, Process: alive("S", busy), Session: seen(3*time.Hour, "assistant", "toolUse", bash)}, recovery.Progressing, recovery.HalfDone},
		{"a quiet child, inside the limit", recovery.Facts{Worktree: dirty, Process: alive("S", quiet), Session: seen(time.Hour, "assistant", "toolUse", bash)}, recovery.Progressing, recovery.HalfDone},
		{"a quiet child, past the limit", recovery.Facts{Worktree: dirty, Process: alive("S", quiet), Session: seen(3*time.Hour, "assistant", "toolUse", bash)}, recovery.Hung, recovery.HalfDone},
		{"a call without a process: a dialog or a dead chain", recovery.Facts{Worktree: dirty, Process: alive("S"), Session: seen(3*time.Hour, "assistant", "toolUse", bash)}, recovery.Undetermined, recovery.HalfDone},
		{"a reply is due, inside the limit", recovery.Facts{Worktree: clean, Process: alive("S"), Session: seen(29*time.Minute, "toolResult", "")}, recovery.Progressing, recovery.Empty},
		{"a reply is due, past the limit", recovery.Facts{Worktree: clean, Process: alive("S"), Session: seen(31*time.Minute, "toolResult", "")}, recovery.Hung, recovery.Empty},
		{"works, and the row says done", recovery.Facts{Worktree: clean, Process: alive("S", busy), Task: &recovery.Task{Status: "failed"}}, recovery.RowWrong, recovery.Empty},
		{"a row alone proves nothing", recovery.Facts{Worktree: clean, Task: &recovery.Task{Status: "failed"}}, recovery.Undetermined, recovery.Empty},
		{"a session that grows", recovery.Facts{Worktree: clean, Session: seen(time.Minute, "toolResult", "")}, recovery.Progressing, recovery.Empty},
		{"a silent session without a pid", recovery.Facts{Worktree: dirty, Session: seen(9*time.Hour, "toolResult", "")}, recovery.Undetermined, recovery.HalfDone},
		{"a stamp from the future is now", recovery.Facts{Worktree: clean, Session: seen(-9*time.Hour, "toolResult", "")}, recovery.Progressing, recovery.Empty},
		{"its recording shows a dialog", recovery.Facts{Worktree: dirty, Process: alive("S"), Session: seen(3*time.Hour, "assistant", "toolUse", bash), Verdict: &recovery.Verdict{Name: "awaiting_user", Status: "ok"}}, recovery.Blocked, recovery.HalfDone},
		{"its recording shows a stall", recovery.Facts{Worktree: dirty, Process: alive("S"), Verdict: &recovery.Verdict{Name: "stalled_stream", Status: "confirmed"}}, recovery.Hung, recovery.HalfDone},
		{"its recording says inconclusive", recovery.Facts{Worktree: dirty, Process: alive("S"), Verdict: &recovery.Verdict{Name: "inconclusive", Status: "confirmed"}}, recovery.Undetermined, recovery.HalfDone},
	}
	for _, test := range tests {
		test.facts.Now = now
		limits := watchdog.DefaultPolicy().Limits
		d := recovery.Diagnose(&test.facts, &limits)
		if d.Class != test.class || d.Debris != test.debris {
			t.Errorf("%s: %s, %s; want %s, %s\n%s", test.reason, d.Class, d.Debris, test.class, test.debris, strings.Join(d.Evidence, "\n"))
		}
		if d.Class == recovery.Undetermined && len(d.Unknown) == 0 {
			t.Errorf("%s: undetermined, and nothing is said of what would tell", test.reason)
		}
	}
}

func TestParseSession(t *testing.T) {
	const head = `{"type":"session","version":3,"id":"01a2","timestamp":"2026-11-29T11:00:00.000Z","cwd":"/w"}` + "\n"
	entry := func(id, parent, message string) string {
		return `{"type":"message","id":"` + id + `","parentId":"` + parent + `","timestamp":"2026-11-29T11:00:01.000Z","message":` + message + "}\n"
	}
	const user = `{"role":"user","content":[{"type":"text","text":"go"}],"timestamp":1}`
	const uses = `{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"}},{"type":"toolCall","id":"c2","name":"write","arguments":{}}],"stopReason":"toolUse"}`
	const result = `{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[]}`
	s := recovery.ParseSession("s", []byte(head+entry("1", "", user)+entry("2", "1", uses)+entry("3", "2", result)+"{torn"))
	if s.ID != "01a2" || s.CWD != "/w" || s.Role != "toolResult" || s.Line != 4 || !s.Torn || len(s.Damaged) != 1 || s.Damaged[0] != 5 {
		t.Errorf("read as %+v", s)
	}
	if len(s.Open) != 1 || s.Open[0].ID != "c2" || !s.Open[0].Effects() {
		t.Errorf("open calls: %+v", s.Open)
	}
	s = recovery.ParseSession("s", []byte(head+entry("1", "", user)+entry("2", "1", uses)+entry("3", "1", user)))
	if len(s.Forks) != 1 || s.Forks[0] != "1" {
		t.Errorf("two children of entry 1: forks %q", s.Forks)
	}
	aborted := strings.Replace(uses, "toolUse", "aborted", 1)
	if s = recovery.ParseSession("s", []byte(head+entry("2", "", aborted))); len(s.Open) != 0 {
		t.Errorf("calls of an aborted message never ran: %+v", s.Open)
	}
}

func FuzzParseSession(f *testing.F) {
	f.Add([]byte(`{"type":"session","id":"x"}` + "\n" + `{"type":"message","id":"1","message":{"role":"assistant","content":[{"type":"toolCall"}]}}`))
	f.Add([]byte("\x00\n{}\n[]\n{\"type\":\"message\",\"message\":3}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := recovery.ParseSession("s", data)
		for _, c := range s.Open {
			if strings.ContainsFunc(c.Args, func(r rune) bool { return r < 0x20 }) {
				t.Errorf("control characters in %q", c.Args)
			}
		}
	})
}
