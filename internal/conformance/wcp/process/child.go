package process

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fakepi.example/internal/conformance/wcp"
)

// ownerVariable marks in its environment whatever an adapter starts, so that it is found wherever it went.
const ownerVariable = "WCP_OWNER"

// child is one process of an adapter, with all that it has started.
type child struct {
	s       *Subject
	cmd     *exec.Cmd
	owner   string // value of ownerVariable
	stdin   *os.File
	stdout  *os.File
	stderr  tail
	harness *wcp.Harness
	ended   chan struct{} // the process has ended and was waited for
	killing sync.Once
	over    atomic.Pointer[wcp.Violation] // the limit that it broke
	dir     atomic.Pointer[string]        // of the state that counts against its limit
}

// spawn starts a process.
func (s *Subject) spawn() (*child, error) {
	if len(s.cfg.Command) == 0 {
		return nil, errors.New("no command; name the adapter's program")
	}
	adoptOrphans()
	var random [12]byte
	_, _ = rand.Read(random[:]) // never fails
	c := &child{s: s, owner: hex.EncodeToString(random[:]), ended: make(chan struct{})}
	c.cmd = exec.Command(s.cfg.Command[0], s.cfg.Command[1:]...)
	c.cmd.Env = append(os.Environ(), ownerVariable+"="+c.owner)
	c.cmd.Stderr = &c.stderr
	c.cmd.WaitDelay = 200 * time.Millisecond // for what still holds stderr
	c.cmd.SysProcAttr = attributes()
	if err := c.start(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", s.cfg.Command[0], err)
	}
	c.harness = wcp.NewHarness(c.stdout, c.stdin, s.cfg.Limits, s.cfg.Log)
	c.harness.Tap(s.cfg.Tap)
	go func() {
		_ = c.cmd.Wait() // how it ended is in its state
		close(c.ended)
	}()
	limitFiles(c.cmd.Process.Pid, s.cfg.Disk)
	go c.guard()
	return c, nil
}

// start connects stdin and stdout through pipes that know deadlines, and starts the process.
func (c *child) start() error {
	in, stdin, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	stdout, out, err := os.Pipe()
	if err != nil {
		return errors.Join(err, stdin.Close())
	}
	defer out.Close()
	c.stdin, c.stdout = stdin, stdout
	c.cmd.Stdin, c.cmd.Stdout = in, out
	if err := c.cmd.Start(); err != nil {
		return errors.Join(err, stdin.Close(), stdout.Close())
	}
	return nil
}

func (c *child) hello() (wcp.HelloOK, error) { return c.harness.Hello(suite, c.s.cfg.Nonce) }

// watch says where the process stores the state of its case.
func (c *child) watch(dir string) { c.dir.Store(&dir) }

// guardEvery is how often memory, processes and files are looked at.
const guardEvery = 100 * time.Millisecond

// maxProcesses is how many processes an adapter may have.
const maxProcesses = 128

// guard kills the process once it breaks a limit.
func (c *child) guard() {
	look := time.NewTicker(guardEvery)
	defer look.Stop()
	for {
		select {
		case <-c.ended:
			return
		case <-look.C:
		}
		if v := c.excess(); v != nil {
			c.over.Store(v)
			c.kill()
			return
		}
	}
}

func (c *child) excess() *wcp.Violation {
	tree := treeOf(c.cmd.Process.Pid)
	if n := len(tree); n > maxProcesses {
		return &wcp.Violation{Rule: "WCP-14", What: fmt.Sprintf("more than %d processes", maxProcesses)}
	}
	if residentOf(tree) > c.s.cfg.Memory {
		return &wcp.Violation{Rule: "WCP-14", What: fmt.Sprintf("more than %d bytes of memory", c.s.cfg.Memory)}
	}
	if dir := c.dir.Load(); dir != nil && *dir != "" && sizeOf(*dir) > c.s.cfg.Disk {
		return &wcp.Violation{Rule: "WCP-14", What: fmt.Sprintf("more than %d bytes in state_dir", c.s.cfg.Disk)}
	}
	return nil
}

// Memory is how much its processes have resident.
func (c *child) memory() int64 { return residentOf(treeOf(c.cmd.Process.Pid)) }

// kill ends the process and all that it has started, and returns when nothing of it runs.
func (c *child) kill() {
	c.killing.Do(func() {
		killTree(c)
		c.stdin.Close()
		c.stdout.Close()
	})
}

// dismiss lets the process end in good order: its stdin is closed, and it has the time of an answer. The error says what it
// did wrong.
func (c *child) dismiss() error {
	defer c.kill()
	c.stdin.Close()
	wait := time.NewTimer(c.s.patience())
	defer wait.Stop()
	select {
	case <-c.ended:
	case <-wait.C:
		return &wcp.Violation{Rule: "WCP-16", What: "the adapter still runs after its stdin was closed"}
	}
	if code := c.cmd.ProcessState.ExitCode(); code != 0 {
		return c.explain(&wcp.Violation{Rule: "WCP-16", What: "the adapter did not end with exit code 0 after its stdin was closed"})
	}
	if leftOver(c) {
		return &wcp.Violation{Rule: "WCP-16", What: "the adapter ended and left processes behind"}
	}
	return nil
}

func (s *Subject) patience() time.Duration {
	if s.cfg.Limits.Answer > 0 {
		return s.cfg.Limits.Answer
	}
	return 10 * time.Second
}

// explain adds to an error what is known of the process: the limit that it broke, how it ended, the end of its stderr.
func (c *child) explain(err error) error {
	if err == nil {
		return nil
	}
	if v := c.over.Load(); v != nil {
		return v
	}
	if errors.Is(err, wcp.ErrDied) {
		select { // it has closed its stdout: that may be all
		case <-c.ended:
		case <-time.After(time.Second):
		}
		if v := c.over.Load(); v != nil {
			return v
		}
	}
	select {
	case <-c.ended:
		err = fmt.Errorf("%w (%s)", err, c.cmd.ProcessState)
	default:
	}
	if said := c.stderr.last(); said != "" {
		err = fmt.Errorf("%w; the end of its stderr: %q", err, said)
	}
	return err
}

// tail is a writer that keeps the last few lines.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const (
	keptTail  = 4 << 10
	shownTail = 400
)

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-keptTail):]...)
	t.kept = t.kept[max(0, len(t.kept)-keptTail):]
	return len(p), nil
}

func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "?"))
	return text[max(0, len(text)-shownTail):]
}
