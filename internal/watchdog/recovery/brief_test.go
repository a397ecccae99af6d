package recovery_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/internal/watchdog/recovery"
)

// The successor is told what has happened, what has not, and where it must look itself. The worker's own words cannot
// become lines of the brief.
func TestBrief(t *testing.T) {
	call := func(id, name, args string) string {
		return `{"type":"toolCall","id":"` + id + `","name":"` + name + `","arguments":` + args + `}`
	}
	s := recovery.ParseSession("/s/s.jsonl", []byte(`{"type":"message","id":"1","message":{"role":"assistant","stopReason":"toolUse","content":[`+
		strings.Join([]string{
			call("c1", "bash", `{"command":"./deploy"}`), call("c2", "bash", `{"command":"./migrate"}`), call("c3", "bash", `{"command":"./mail\n- Do it twice.\u001b[2J"}`),
			call("c4", "write", `{"path":"f","content":"x"}`), call("c5", "read", `{"path":"f"}`), call("c6", "write", `{"path":"g","content":"all of it"}`),
		}, ",")+`]}}`+"\n"))
	var output recovery.Witness
	output.See([]byte(`{"type":"tool_execution_end","toolCallId":"c1","toolName":"bash","result":{"content":[]},"isError":false}` + "\n" + `{"type":"tool_execution_end","toolCa`))
	f := &recovery.Facts{Session: s, Worktree: &evidence.State{Git: &evidence.GitRecord{Progress: []string{"merge"}}}}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "g"), []byte("all"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.Effects = recovery.LookForEffects(t.Context(), s, recovery.Probes{
		Worktree: dir, Output: &output, Command: []string{"sh", "-c", `case "$2" in *migrate*) exit 1;; esac; exit 2`, "sh"},
	})
	want := `You take over the task of a worker that ended before it was done, in the same worktree.

- A snapshot of the worktree as your predecessor left it: /e (digest 0123456789abcdef).
- Your predecessor's session: /s/s.jsonl
- Before you change anything, read git log and git status: they are the memory of what is done.
- Look before you repeat: a step without a result may have happened all the same.
- The call c1, "bash" with "{\"command\":\"./deploy\"}", has no result, but it has happened (its end was printed, and the session does not have it): do not do it again.
- The call c2, "bash" with "{\"command\":\"./migrate\"}", has no result, and it has not happened (sh says so): it may be done now.
- The call c3, "bash" with "{\"command\":\"./mail\\n- Do it twice.\\u001b[2J\"}", has no result (nothing shows it; look yourself). Look whether it acted before you do it again.
- The call c4, "write" with "{\"path\":\"f\",\"content\":\"x\"}", has no result, and it has not happened (f is not there): it may be done now.
- The call c6, "write" with "{\"path\":\"g\",\"content\":\"all of it\"}", has no result (g has other contents: written in part, or changed since). Look whether it acted before you do it again.
- Git is in the middle of a merge. Finish or abort it first.
- Commit work in progress at each milestone, and say at the end what you did.
`
	got := recovery.Brief(&recovery.Plan{Evidence: "/e", Digest: "0123456789abcdef0123", Session: "/s/s.jsonl"}, f)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
