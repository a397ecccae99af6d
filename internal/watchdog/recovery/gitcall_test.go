package recovery_test

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/internal/watchdog/recovery"
)

// A call that does nothing but a git commit or push is looked for in HEAD and at the owner's remote.
func TestLookForGit(t *testing.T) {
	t.Parallel()
	const two = `echo two > f; git commit -qam two; `
	tests := []struct {
		reason, setUp, command string
		began                  time.Duration // of the call, after the last commit
		remote                 string        // "" none, "@" the owner's
		want                   recovery.Happened
	}{
		{"the commit is there", two, `git commit -am "two"`, -time.Hour, "", recovery.Yes},
		{"after git add", two, `git add -A && git commit -m 'two'`, -time.Hour, "", recovery.Yes},
		{"no message is told", two, `git commit --amend --no-edit`, -time.Hour, "", recovery.Yes},
		{"the commit is older than the call", two, `git commit -am two`, time.Hour, "", recovery.No},
		{"another commit was made", two, `git commit -am three`, -time.Hour, "", recovery.Unknown},
		{"more than the commit", two, `git commit -am two; ./deploy`, -time.Hour, "", recovery.Unknown},
		{"a shell's expansion", two, `git commit -am "$(cat msg)"`, -time.Hour, "", recovery.Unknown},
		{"the push has reached the remote", two + `git push -q origin main`, `git push`, -time.Hour, "@", recovery.Yes},
		{"named in full", two + `git push -q origin main`, `git push -u origin main`, -time.Hour, "@", recovery.Yes},
		{"the push has not", two, `git push origin HEAD`, -time.Hour, "@", recovery.No},
		{"the remote is not named", two, `git push`, -time.Hour, "", recovery.Unknown},
		{"the remote cannot be asked", two, `git push`, -time.Hour, "@-not-there", recovery.Unknown},
		{"another branch", two, `git push origin other`, -time.Hour, "@", recovery.Unknown},
		{"a push that deletes", two, `git push --delete origin main`, -time.Hour, "@", recovery.Unknown},
	}
	for _, test := range tests {
		s := newScene(t, test.setUp, recovery.Means{})
		state, err := evidence.Inspect(t.Context(), s.worktree)
		if err != nil {
			t.Fatal(err)
		}
		commits, err := evidence.Commits(t.Context(), s.worktree)
		if err != nil {
			t.Fatal(err)
		}
		args, err := json.Marshal(map[string]string{"command": test.command})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Unix(commits[0].Time, 0).Add(test.began).UTC().Format(time.RFC3339)
		session := recovery.ParseSession("s", []byte(`{"type":"message","id":"1","timestamp":"`+began+`","message":{"role":"assistant","stopReason":"toolUse","content":[`+
			`{"type":"toolCall","id":"c","name":"bash","arguments":`+string(args)+`}]}}`+"\n"))
		p := recovery.Probes{Worktree: s.worktree, State: state}
		if test.remote != "" {
			p.Remote = filepath.Join(s.dir, "remote") + test.remote[1:]
		}
		got := recovery.LookForEffects(t.Context(), session, p)
		if len(got) != 1 || got[0].Happened != test.want {
			t.Errorf("%s: %+v, want %s", test.reason, got, test.want)
		}
	}
}
