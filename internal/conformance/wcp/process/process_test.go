//go:build linux

package process_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fakepi.example/conformance"
	"fakepi.example/internal/conformance/wcp"
	"fakepi.example/internal/conformance/wcp/process"
	"fakepi.example/scenarios"
	"fakepi.example/watchdog"
	"fakepi.example/watchdog/engine"
)

// The test's own program serves as an adapter, and misbehaves as its environment says.
const behaviour = "WCP_TEST_BEHAVIOUR"

func TestMain(m *testing.M) {
	what := os.Getenv(behaviour)
	if what == "" {
		os.Exit(m.Run())
	}
	if err := serve(what); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve is the reference engine, which does what it is told in its first step.
func serve(what string) error {
	a := wcp.Adapter{Name: "reference", Start: func(b watchdog.Boot) (watchdog.Watchdog, error) {
		w, err := engine.New(b)
		return misbehaving{w, what}, err
	}}
	switch what {
	case "claims everything":
		return claimEverything()
	case "keeps a file", "forgets its file":
		a.Open = func(dir string) (watchdog.State, error) {
			if what != "keeps a file" {
				if err := os.RemoveAll(filepath.Join(dir, "journal")); err != nil {
					return nil, err
				}
			}
			return openFile(filepath.Join(dir, "journal"))
		}
	case "dies at hello":
		fmt.Fprintln(os.Stderr, "no licence")
		os.Exit(7)
	case "lingers":
		defer time.Sleep(time.Hour)
	case "leaves a child":
		defer escape()
	case "ends badly":
		defer os.Exit(3)
	}
	return wcp.Serve(os.Stdin, os.Stdout, a)
}

// claimEverything answers ready whatever is needed.
func claimEverything() error {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return nil
		}
		var m struct{ Type string }
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		fmt.Println(map[string]string{
			"hello": `{"type":"hello_ok","protocol":1,"name":"x","wakeups":"exact","storage":"none"}`, "start": `{"type":"ready"}`,
		}[m.Type])
	}
}

type misbehaving struct {
	watchdog.Watchdog
	what string
}

func (m misbehaving) Step(now watchdog.Instant, seen []watchdog.Observation) (watchdog.Decision, error) {
	switch m.what {
	case "hangs", "hangs and ignores SIGTERM":
		if m.what != "hangs" {
			signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
		}
		time.Sleep(time.Hour)
	case "floods":
		for {
			fmt.Print(`{"type":"log","text":"` + strings.Repeat("x", 1000) + `"}` + "\n")
		}
	case "writes a line without end":
		for {
			fmt.Print(strings.Repeat("x", 1<<16))
		}
	case "floods stderr":
		for range 2000 {
			fmt.Fprint(os.Stderr, strings.Repeat("x", 1<<16))
		}
	case "writes garbage":
		fmt.Println("panic: oh")
	case "dies":
		fmt.Fprintln(os.Stderr, "a bug")
		os.Exit(9)
	case "eats memory":
		var all [][]byte
		for {
			all = append(all, bytes.Repeat([]byte("x"), 16<<20))
			runtime.KeepAlive(all)
			time.Sleep(time.Millisecond)
		}
	case "forks without end":
		for {
			_ = exec.Command("sleep", "1000").Start()
		}
	case "leaves a child and dies":
		escape()
		os.Exit(9)
	case "lies":
		d, err := m.Watchdog.Step(now, seen)
		d.Ack = 1 << 30
		return d, err
	}
	return m.Watchdog.Step(now, seen)
}

// escape starts a process in a session of its own that outlives its parent.
func escape() {
	c := exec.Command("sleep", marker())
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	_ = c.Start()
}

// marker is a time to sleep that only this test's processes have.
func marker() string { return os.Getenv("WCP_TEST_MARKER") }

// running counts the processes that sleep for the marker's time.
func running(t *testing.T, marker string) int {
	t.Helper()
	out, _ := exec.Command("pgrep", "-fc", "^sleep "+marker+"$").Output()
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Skipf("pgrep: %v", err)
	}
	return n
}

func config(what string) process.Config {
	self, _ := os.Executable()
	return process.Config{
		Command: []string{"env", behaviour + "=" + what, self},
		Limits:  wcp.Limits{Answer: answerTime(what)}, Memory: 256 << 20,
	}
}

// answerTime is short for what never answers, and long enough for what is noticed in another way, however busy the machine is.
func answerTime(what string) time.Duration {
	if strings.HasPrefix(what, "hangs") || what == "lingers" {
		return 2 * time.Second
	}
	return time.Minute
}

func small(t *testing.T) []scenarios.Scenario {
	t.Helper()
	all, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestMisbehaviour: an adapter that misbehaves costs its own case, within the time of an answer, and leaves nothing behind.
func TestMisbehaviour(t *testing.T) {
	for _, row := range []struct{ what, want string }{
		{"hangs", "hung: no answer within 2s"},
		{"hangs and ignores SIGTERM", "hung: no answer within 2s"},
		{"floods", "WCP-14"},
		{"writes a line without end", "WCP-01"},
		{"writes garbage", "WCP-01"},
		{"dies", `exit status 9); the end of its stderr: "a bug"`},
		{"eats memory", "WCP-14"},
		{"forks without end", "WCP-14"},
		{"leaves a child and dies", "exit status 9"},
		{"lies", "WCP-11"},
		{"lingers", "WCP-16"},
		{"leaves a child", "WCP-16"},
		{"ends badly", "WCP-16"},
	} {
		t.Run(row.what, func(t *testing.T) {
			marker := "98" + strconv.Itoa(os.Getpid())
			t.Setenv("WCP_TEST_MARKER", marker)
			s, err := process.New(t.Context(), config(row.what))
			if err != nil {
				t.Fatal(err)
			}
			h, err := s.Open(conformance.Case{ID: "x"})
			if err != nil {
				t.Fatal(err)
			}
			err = live(h)
			err = errors.Join(err, h.Close(), s.Close())
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want an error with %q", err, row.want)
			}
			if n := running(t, marker); n != 0 {
				t.Errorf("%d processes were left behind", n)
			}
		})
	}
}

// live lives through one tick.
func live(h conformance.Incarnations) error {
	w, err := h.Start(watchdog.Boot{Policy: watchdog.DefaultPolicy(), Incarnation: 1})
	if err != nil {
		return err
	}
	_, err = w.Step(watchdog.Instant{}, []watchdog.Observation{{N: 1, Body: watchdog.Link{Up: true}}})
	return err
}

// TestGoodConduct: floods of stderr and forks that end do not matter.
func TestGoodConduct(t *testing.T) {
	for _, what := range []string{"nothing", "floods stderr"} {
		s, err := process.New(t.Context(), config(what))
		if err != nil {
			t.Fatal(err)
		}
		h, err := s.Open(conformance.Case{ID: "x"})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(live(h), h.Close(), s.Close()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestRefused: who cannot be judged at all is told so at once.
func TestRefused(t *testing.T) {
	for _, row := range []struct{ what, want string }{
		{"claims everything", "WCP-05"},
		{"dies at hello", `exit status 7); the end of its stderr: "no licence"`},
	} {
		_, err := process.New(t.Context(), config(row.what))
		if !errors.Is(err, process.ErrAdapter) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want ErrAdapter with %q", row.what, err, row.want)
		}
	}
	if _, err := process.New(t.Context(), process.Config{Command: []string{"/no/such/adapter"}}); !errors.Is(err, process.ErrAdapter) {
		t.Errorf("got %v, want ErrAdapter", err)
	}
}

// TestOneCase: the case in which an adapter dies fails, and the others are judged as if nothing had been.
func TestOneCase(t *testing.T) {
	s, err := process.New(t.Context(), config("dies"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := conformance.Run(t.Context(), s, small(t), conformance.Options{CaseGlob: "stall/silent-after-tool*", Explore: conformance.ExploreNone})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Cases {
		if c.Status != conformance.Fail || len(c.Failures) == 0 || !c.Failures[0].Crash || c.Histories != 1 {
			t.Errorf("%s is %s after %d histories with %v; want one history, which it failed to answer", c.ID, c.Status, c.Histories, c.Failures)
		}
	}
}

// TestCrashes: crashes of the watchdog are SIGKILLs of its process, and the results are those of one in this process.
func TestCrashes(t *testing.T) {
	all := small(t)
	o := conformance.Options{CaseGlob: "restart/every-boundary*", Explore: conformance.ExploreFull, Histories: 12}
	want, err := conformance.Run(t.Context(), direct{}, all, o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := process.New(t.Context(), config("nothing"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := conformance.Run(t.Context(), s, all, o)
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	if got.Digest != want.Digest || got.Histories < 12 {
		t.Errorf("%d histories with digest %s, want %s", got.Histories, got.Digest, want.Digest)
	}
}

// TestCrashesOfADirectory: an adapter that keeps its state in a folder of its own is killed wherever the suite crashes it, and finds
// again what it had stored; one that loses it is caught.
func TestCrashesOfADirectory(t *testing.T) {
	all := small(t)
	o := conformance.Options{CaseGlob: "restart/every-boundary*", Explore: conformance.ExploreFull, Histories: 16}
	for _, row := range []struct {
		what string
		want conformance.Status
	}{
		{"keeps a file", conformance.Pass},
		{"forgets its file", conformance.Fail},
	} {
		s, err := process.New(t.Context(), config(row.what))
		if err != nil {
			t.Fatal(err)
		}
		if h := s.Hello(); h.Storage != wcp.StorageDirectory {
			t.Errorf("%s: storage %s", row.what, h.Storage)
		}
		r, err := conformance.Run(t.Context(), s, all, o)
		if err = errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		worst := conformance.Pass
		for _, c := range r.Cases {
			if c.Status != conformance.Pass {
				worst = c.Status
				for _, f := range c.Failures {
					if row.want == conformance.Pass || f.Crash {
						t.Errorf("%s: %s broke %s: expected %s, got %s", row.what, c.ID, f.Requirement, f.Expected, f.Actual)
					}
				}
			}
		}
		if worst != row.want || r.Histories < 16 {
			t.Errorf("%s came to %s in %d histories, want %s", row.what, worst, r.Histories, row.want)
		}
	}
}

// file is a State in a file.
type file struct{ *os.File }

func openFile(name string) (file, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	return file{f}, err
}

func (f file) Read() ([]byte, error) { return os.ReadFile(f.Name()) }

func (f file) Append(p []byte) error {
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	_, err := f.Write(p)
	return err
}

type direct struct{}

func (direct) Name() string { return "reference" }

func (direct) Start(b watchdog.Boot) (watchdog.Watchdog, error) { return engine.New(b) }
