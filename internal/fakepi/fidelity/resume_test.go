package fidelity_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/fidelity/realpi"
)

// cutScript is a conversation that is killed while a tool runs, whose process outlives it for a while.
const cutScript = `0s prompt "Say hello."
+300ms thinks "Hm." over 100ms
+0s    says "Hello ü." over 100ms
+0s    settles
+1s    prompt "Run the job."
+300ms says "Running it."
+0s    tool bash "job" runs 60s as=job
@job+3s killed SIGKILL
`

const goOnScript = `0s prompt "Go on."
+300ms says "Gone on."
+0s    settles
`

// The real Pi goes on with a session that fakepi wrote, and exports it: each version with the files of both dialects. It
// asks the model what it would ask of a session of its own, the call without a result included (docs/pi-formats.md,
// section 9).
func TestRealPiGoesOn(t *testing.T) {
	program := "" // installed when the first Pi is there
	for _, version := range realpi.Versions {
		pi := realPi(t, version)
		if program == "" {
			program = install(t)
		}
		for _, d := range dialects {
			t.Run(version+" with a session of "+string(d), func(t *testing.T) {
				home := folder(t)
				var log requestLog
				serve(t, parse(t, goOnScript), home, &log)
				session := writtenBy(t, program, d, home)
				before := sessionEntries(t, session)
				out := run(t, pi.Command("--mode", "json", "--session", session, "Go on."), home)
				after := sessionEntries(t, session)
				if header := linesOf(t, out)[0]; header.ID != before[0].ID {
					t.Errorf("it began the session %s, want %s", header.ID, before[0].ID)
				}
				if len(after) < len(before)+2 || !bytes.HasPrefix(read(t, session), before.raw()) {
					t.Errorf("%d entries, before there were %d, and they are not what they were", len(after), len(before))
				}
				if first := after[len(before)]; first.ParentID != before[len(before)-1].ID {
					t.Errorf("the first new sessionLine follows %s, want %s", first.ParentID, before[len(before)-1].ID)
				}
				asked := log.String()
				for _, text := range []string{"Say hello.", "Hello ü.", "Run the job.", "Running it.", "No result provided", "Go on."} {
					if !strings.Contains(asked, text) {
						t.Errorf("the model was not told %q: %s", text, asked)
					}
				}
				page := filepath.Join(home, "page.html")
				if told := string(run(t, pi.Command("--export", session, page), home)); version == realpi.V16 && !strings.Contains(told, "Exported to: "+page) {
					t.Errorf("export says %q", told)
				}
				if !bytes.Contains(read(t, page), []byte("<html")) {
					t.Error("the export is no page")
				}
			})
		}
	}
}

// writtenBy lets fakepi write a session and returns its file.
func writtenBy(t *testing.T, program string, d native.Dialect, home string) string {
	t.Helper()
	script := filepath.Join(home, "script.txtar")
	if err := os.WriteFile(script, []byte(cutScript), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--mode", "rpc", "--name", "kept")
	if d == native.Pi073 {
		cmd.Args = cmd.Args[:3] // which has no names
	}
	cmd.Dir = home
	cmd.Env = append(realpi.Env(home), "FAKEPI_SCRIPT="+script, "FAKEPI_DIALECT="+string(d), "FAKEPI_TIME=x10")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watch := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer watch.Stop()
	lines := bufio.NewReader(out)
	for _, text := range []string{"Say hello.", "Run the job."} { // in the second it is killed
		if _, err := io.WriteString(in, `{"type":"prompt","message":"`+text+`"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		for line, err := "", error(nil); err == nil && !strings.Contains(line, `"agent_end"`); {
			line, err = lines.ReadString('\n')
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the script's SIGKILL did not end it")
	}
	files, err := filepath.Glob(filepath.Join(realpi.AgentDir(home), "sessions/*/*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return files[0]
}

// run runs a program in a home and returns its stdout. It must end well.
func run(t *testing.T, cmd *exec.Cmd, home string) []byte {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = home, realpi.Env(home), &out, &errOut
	if err := cmd.Run(); err != nil {
		t.Fatalf("%q: %v\n%s%s", cmd.Args, err, out.String(), errOut.String())
	}
	return out.Bytes()
}

// sessionLine is one of a session file.
type sessionLine struct {
	raw      []byte
	ID       string
	ParentID string
}

type sessionLines []sessionLine

func (l sessionLines) raw() []byte {
	var all []byte
	for _, e := range l {
		all = append(all, e.raw...)
	}
	return all
}

func sessionEntries(t *testing.T, file string) sessionLines {
	t.Helper()
	return linesOf(t, read(t, file))
}

func linesOf(t *testing.T, data []byte) sessionLines {
	t.Helper()
	var list sessionLines
	for line := range bytes.Lines(data) {
		e := sessionLine{raw: line}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		list = append(list, e)
	}
	return list
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// requestLog keeps what a model is asked.
type requestLog struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *requestLog) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(data)
}

func (l *requestLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}
