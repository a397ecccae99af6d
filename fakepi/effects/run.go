package effects

import (
	"bytes"
	"os/exec"
	"syscall"
	"time"
)

// pipeDelay is how long Pi waits for a descendant that holds the output of a shell that has gone (docs/pi-formats.md,
// section 3.2).
const pipeDelay = 100 * time.Millisecond

// Run runs a command in a shell, as Pi's bash tool does, and returns its output, stderr included, and its exit status:
// 128 and the signal's number where one ended it, 127 where there is no shell.
func (t *Tree) Run(command string) (output []byte, code int) {
	var out bytes.Buffer
	cmd := exec.Command(Shell(), "-c", command)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = t.root.Name(), &out, &out, pipeDelay
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return []byte(err.Error()), 127
	}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return out.Bytes(), 128 + int(status.Signal())
	}
	return out.Bytes(), cmd.ProcessState.ExitCode()
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
