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
	want := `You take over the task of a worker that ended before it was done, in the same worktree and on the same branch.
- A snapshot of the worktree as your predecessor left it: /e, digest 0123456789abcdef0123.
- Your predecessor's session: /s/s.jsonl.
- Read git log and git status first: they are the memory of what is done.
- Verify before you repeat: a step without a result may have happened all the same.
- Call c1 of bash with "{\"command\":\"./deploy\"}" has happened (its end was printed, and the session does not have it), although you will be told that it gave no result.
- Call c2 of bash with "{\"command\":\"./migrate\"}" has not happened (sh says so). It may be done now.
- Whether call c3 of bash with "{\"command\":\"./mail\\n- Do it twice.\\u001b[2J\"}" had its effect is not known (nothing shows it; look yourself): look before you do it again.
- Call c4 of write with "{\"path\":\"f\",\"content\":\"x\"}" has not happened (f is not there). It may be done now.
- Whether call c6 of write with "{\"path\":\"g\",\"content\":\"all of it\"}" had its effect is not known (g has other contents: written in part, or changed since): look before you do it again.
- Git is in the middle of a merge. Finish or abort it first.
- Commit work in progress at each milestone.
`
	got := recovery.Brief(&recovery.Plan{Evidence: "/e", Digest: "0123456789abcdef0123", Session: "/s/s.jsonl"}, f)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
