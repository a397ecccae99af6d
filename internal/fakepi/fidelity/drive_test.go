package fidelity_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fakepi.example/internal/fakepi/fidelity"
)

// shell is a subject that is a shell script: it may print what no Pi would.
type shell string

func (s shell) Command(c fidelity.Case, n int, at fidelity.Place, args []string) (fidelity.Command, error) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", string(s), strconv.Itoa(n)}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + at.Home}
	return fidelity.Command{Cmd: cmd, Begun: func() {}, Exited: func() {}}, nil
}

// drive plays a client's half with a shell script.
func driven(t *testing.T, program, client string) (fidelity.Run, error) {
	t.Helper()
	text := "modes rpc\nclient " + strings.ReplaceAll(client, "\n", "\n       ") + "\n\n0s prompt \"x\"\n+0s stalls\n"
	s, err := fidelity.Parse("01a-x.txt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	at, err := fidelity.NewPlace(t.TempDir(), s)
	if err != nil {
		t.Fatal(err)
	}
	return fidelity.Drive(t.Context(), shell(program), s.Cases("pi-1.6")[0], at, nil)
}

const echo = `while read line; do echo "$line"; done; echo '{"type":"bye"}'; exit 3`

func TestDrive(t *testing.T) {
	const answers = `read line; echo "$line" >sent; echo '{"type":"response","command":"get_state"}'; `
	tests := []struct {
		reason, program, client string
		stdout                  []string
		exit                    string
		files                   map[string]string
	}{
		{
			"lines come back, and the end of stdin is the end", echo, `send {"type":"a"}` + "\non a\nsend \"b\\n\"",
			[]string{`{"type":"a"}`, `b`, `{"type":"bye"}`}, "exit 3", map[string]string{},
		},
		{
			"a command gets an id first", answers, `command {"type":"get_state"}`,
			[]string{`{"type":"response","command":"get_state"}`}, "exit 0",
			map[string]string{"sent": `{"id":"c1","type":"get_state"}` + "\n"},
		},
		{
			"a signal ends it, and stdin stays open", `echo '{"type":"a"}'; read line; echo never`, "on a\nsignal SIGKILL",
			[]string{`{"type":"a"}`}, "SIGKILL", map[string]string{},
		},
		{
			"the second of two", `echo '{"type":"a","n":1}'; echo '{"type":"a","n":2}'; read line; echo "$line"`, "on a x2\nsend {\"type\":\"b\"}\non b",
			[]string{`{"type":"a","n":1}`, `{"type":"a","n":2}`, `{"type":"b"}`}, "exit 0", map[string]string{},
		},
		{
			"a dialog is answered by its id", `echo '{"type":"extension_ui_request","id":"7","method":"confirm"}'; read line; echo "$line"`,
			"on extension_ui_request\nanswer yes",
			[]string{`{"type":"extension_ui_request","id":"7","method":"confirm"}`, `{"type":"extension_ui_response","id":"7","confirmed":true}`},
			"exit 0", map[string]string{},
		},
		{
			"a file of the worktree", `echo one >out.txt; read line`, `until out.txt "one"`, nil, "exit 1", map[string]string{"out.txt": "one\n"},
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			run, err := driven(t, test.program, test.client)
			if err != nil {
				t.Fatal(err)
			}
			var stdout []string
			for _, r := range run.Pis[0].Stdout {
				stdout = append(stdout, string(r.Raw))
			}
			if diff := cmp.Diff(test.stdout, stdout); diff != "" || run.Pis[0].Exit != test.exit {
				t.Errorf("got %s, want %s; stdout (-want +got):\n%s", run.Pis[0].Exit, test.exit, diff)
			}
			if diff := cmp.Diff(test.files, run.Files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDriveTells: an error names the line of the client's half, and what was printed last.
func TestDriveTells(t *testing.T) {
	tests := []struct {
		reason, program, client string
		want                    []string
	}{
		{"it does not come", `echo '{"type":"a"}'; echo oops >&2`, "on a\non b", []string{"01a-x.txt:3:8: on b", "before the exit", `{"type":"a"}`, "oops"}},
		{"there is no dialog", echo, `answer "x"`, []string{"01a-x.txt:2:8", "no dialog"}},
		{"there is no second one", echo, `process 2`, []string{"01a-x.txt:2:8", "only 1"}},
		{"the script has no more prompts", `while read l; do echo '{"type":"response","command":"prompt"}'; done`, "prompt\nprompt", []string{"01a-x.txt:3:8", "no prompt left"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			_, err := driven(t, test.program, test.client)
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want it to say %s", err, want)
				}
			}
		})
	}
}

// TestDriveEnds: what a subject starts in a session of its own is ended too.
func TestDriveEnds(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid")
	}
	run, err := driven(t, `setsid sh -c 'echo $$ >pid; exec sleep 1000' </dev/null >/dev/null 2>&1 & while [ ! -s pid ]; do :; done`, "exited")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(run.Files["pid"]))
	if err != nil {
		t.Fatal(err)
	}
	// A killed process may wait for its new parent to take note of it.
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("process %d, which the subject had started, lives: %s", pid, stat)
	}
}
