package effects

import (
	"os/exec"
	"sync"
	"syscall"
	"time"
)

const (
	// pipeDelay is how long Pi waits for a descendant that holds the output of a shell that has gone (docs/pi-formats.md,
	// section 3.2).
	pipeDelay = 100 * time.Millisecond
	// updateDelay is the least time between two of its updates about output.
	updateDelay = 100 * time.Millisecond
)

// Run runs a command in a shell, as Pi's bash tool does, and returns its exit status: the signal's number below 0 where one
// ended it, 127 where there is no shell. Its output, stderr included, goes to printed while it runs, as often as Pi tells
// of it, and whole by the end.
func (t *Tree) Run(command string, printed func(output []byte)) (code int) {
	out := &updates{printed: printed}
	defer out.finish()
	cmd := exec.Command(Shell(), "-c", command)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = t.root.Name(), out, out, pipeDelay
	if err := cmd.Run(); cmd.ProcessState == nil {
		_, _ = out.Write([]byte(err.Error()))
		return 127
	}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return -int(status.Signal())
	}
	return cmd.ProcessState.ExitCode()
}

// updates passes output on: at once, or together with what comes until the next update may be made.
type updates struct {
	printed func([]byte)

	mu    sync.Mutex
	data  []byte
	last  time.Time
	timer *time.Timer // of the next update; nil if none is due
}

func (u *updates) Write(data []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.data = append(u.data, data...)
	switch wait := updateDelay - time.Since(u.last); {
	case wait <= 0:
		u.update()
	case u.timer == nil:
		u.timer = time.AfterFunc(wait, func() {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.update()
		})
	}
	return len(data), nil
}

// update is called with the lock held.
func (u *updates) update() {
	if u.timer != nil {
		u.timer.Stop()
		u.timer = nil
	}
	if len(u.data) > 0 {
		u.printed(u.data)
		u.data, u.last = nil, time.Now()
	}
}

// finish passes on what is left.
func (u *updates) finish() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.update()
}

// Shell is the shell that Pi runs commands in.
func Shell() string {
	for _, name := range []string{"/bin/bash", "bash"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return "sh"
}
