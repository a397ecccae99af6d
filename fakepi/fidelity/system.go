package fidelity

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// mark is the variable by which the processes of a run are known, in whatever group or session they are: the shell of a
// tool has its own (docs/pi-formats.md, section 8).
func (at Place) mark() string { return "FIDELITY_PLACE=" + at.Work }

// titleOf is the name and the command line by which the system lists a process.
func titleOf(pid int) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)) // gone by now, or no Linux: it has none
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return fmt.Sprintf("%s %q", bytes.TrimSpace(name), bytes.TrimRight(line, "\x00"))
}

// endMarked kills what a run has left behind.
func endMarked(at Place) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well-formed
	for _, file := range files {
		environ, _ := os.ReadFile(file) // a process that is gone, or of somebody else
		for variable := range bytes.SplitSeq(environ, []byte{0}) {
			if string(variable) == at.mark() {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file))) // of digits, by the pattern
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}
