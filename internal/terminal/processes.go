//go:build unix

package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// markName is the variable by which processes are known that a program has started, in whatever group or session they are.
const markName = "TERMINAL_PROGRAM"

// ErrLeftBehind says that a process which the program had started outlived it. Only Linux can tell.
var ErrLeftBehind = errors.New("the program left a process behind")

// killMarked kills the processes that have the mark, and returns an error that names each.
func killMarked(mark string) error {
	var errs []error
	for _, pid := range marked(mark) {
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // gone by now: it has no name
		_ = syscall.Kill(pid, syscall.SIGKILL)
		errs = append(errs, fmt.Errorf("%w: %d %q", ErrLeftBehind, pid, bytes.ReplaceAll(command, []byte{0}, []byte{' '})))
	}
	return errors.Join(errs...)
}

// marked returns the processes that have the mark in their environment. Those that have ended have none.
func marked(mark string) []int {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well-formed
	var pids []int
	for _, file := range files {
		environ, _ := os.ReadFile(file) // a process that is gone, or of somebody else
		if bytes.Contains(environ, []byte(mark)) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file))) // of digits, by the pattern
			pids = append(pids, pid)
		}
	}
	return pids
}
