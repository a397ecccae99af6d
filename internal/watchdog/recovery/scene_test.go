package recovery_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/internal/watchdog/recovery"
	"fakepi.example/watchdog"
)

func sh(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("bash", "-euc", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// scene is a dead worker's worktree with its snapshot and plan.
type scene struct {
	t                     *testing.T
	dir, worktree, folder string
	facts                 *recovery.Facts
	means                 recovery.Means
	record                *evidence.Record
	tracker               *recovery.Tracker
	plan                  *recovery.Plan
	applying              recovery.Applying
	now                   time.Time
}

const session = `{"type":"session","version":3,"id":"01a2","timestamp":"2026-11-29T11:00:00.000Z","cwd":"/w"}
{"type":"message","id":"1","parentId":null,"timestamp":"2026-11-29T11:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"go"}]}}
{"type":"message","id":"2","parentId":"1","timestamp":"2026-11-29T11:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"deploy"}}],"stopReason":"toolUse"}}
`

func newScene(t *testing.T, setUp string, means recovery.Means) *scene {
	dir := t.TempDir()
	s := &scene{t: t, dir: dir, worktree: filepath.Join(dir, "w"), folder: filepath.Join(dir, "case"), means: means, now: now}
	sh(t, dir, `git init -q --bare remote; git init -q -b main w; cd w; echo one > f; git add f; git commit -qm one; git remote add origin ../remote; git push -q origin main; `+setUp)
	if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(session), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := recovery.NewKey(filepath.Join(dir, "key")); err != nil {
		t.Fatal(err)
	}
	s.applying = recovery.Applying{
		Folder: s.folder, PublicKey: filepath.Join(dir, "key.pub"), Now: func() time.Time { return s.now }, Grace: 5 * time.Second, Output: &bytes.Buffer{},
		Registry: recovery.Registry(filepath.Join(dir, "registry")),
	}
	return s
}

// capture takes the snapshot.
func (s *scene) capture() {
	s.t.Helper()
	var err error
	if s.record, err = evidence.Take(s.t.Context(), evidence.Options{Worktree: s.worktree, Out: filepath.Join(s.dir, "evidence")}); err != nil {
		s.t.Fatal(err)
	}
}

// make plans, on a snapshot that it takes if there is none.
func (s *scene) make(process *recovery.Sighting, task *recovery.Task) {
	s.t.Helper()
	if s.record == nil {
		s.capture()
	}
	f := &recovery.Facts{Now: now, Process: process, Task: task, Tracker: s.tracker}
	var err error
	if f.Worktree, err = evidence.Inspect(s.t.Context(), s.worktree); err != nil {
		s.t.Fatal(err)
	}
	if f.Session, err = recovery.ReadSession(filepath.Join(s.dir, "s.jsonl")); err != nil {
		s.t.Fatal(err)
	}
	if task != nil && task.Finished() {
		f.Against = recovery.CheckDone(s.t.Context(), recovery.Claim{Worktree: f.Worktree, Remote: s.means.Remote})
	}
	if err := f.LookForWork(s.t.Context(), s.worktree); err != nil {
		s.t.Fatal(err)
	}
	limits := watchdog.DefaultPolicy().Limits
	s.facts = f
	s.plan, err = recovery.Make(f, recovery.Diagnose(f, &limits), recovery.Places{Worktree: s.worktree, Evidence: filepath.Join(s.dir, "evidence"), Case: s.folder}, s.record, s.means, boot(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.plan.Write(s.folder, recovery.Brief(s.plan, f)); err != nil {
		s.t.Fatal(err)
	}
}

func boot(t *testing.T) string {
	tree, err := evidence.Processes(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return tree.BootID
}

func (s *scene) approve(item string) {
	s.t.Helper()
	if _, err := recovery.Approve(s.folder, item, filepath.Join(s.dir, "key"), "owner", s.now, time.Hour); err != nil {
		s.t.Fatal(err)
	}
}

// apply applies and returns what became of the items as "item result", and the events as names.
func (s *scene) apply() (results, events []string, err error) {
	s.t.Helper()
	list, err := s.applying.Apply(s.t.Context())
	for _, r := range list {
		results = append(results, r.Item+" "+r.Result)
	}
	log, failed := recovery.ReadEvents(s.folder)
	if failed != nil {
		s.t.Fatal(failed)
	}
	for _, e := range log {
		if e.Recovery != s.plan.ID {
			s.t.Errorf("event %s has the recovery id %s, the plan %s", e.Event, e.Recovery, s.plan.ID)
		}
		events = append(events, string(e.Event))
	}
	return results, events, err
}

var gone = &recovery.Sighting{PID: 1 << 22, Gone: true}

// successor goes on with a session, as a Pi would that finishes.
func successor(dir, stop string) []string {
	return []string{"bash", "-c", `echo two >> f && cat "${2#@}" > ` + dir + `/told && echo '{"type":"message","id":"9","parentId":"2","timestamp":"2026-11-29T12:00:00.000Z","message":{"role":"assistant","content":[],"stopReason":"` + stop + `"}}' >> "$1"`, "pi", "@session", "@brief"}
}
