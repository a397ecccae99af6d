package fidelity

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// titleOf is the name and the command line by which the system lists a process.
func titleOf(pid int) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)) // gone by now, or no Linux: it has none
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return fmt.Sprintf("%s %q", bytes.TrimSpace(name), bytes.TrimRight(line, "\x00"))
}

// endMarked ends what a run has left behind, and returns when it has ended.
func endMarked(at Place) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well-formed
	for _, file := range files {
		environ, _ := os.ReadFile(file) // a process that is gone, or of somebody else
		for variable := range bytes.SplitSeq(environ, []byte{0}) {
			if string(variable) == at.mark() {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file))) // of digits, by the pattern
				endProcess(pid)
			}
		}
	}
}

// endProcess kills a process and waits for its end. It may be gone already, and then none is hit that has its number.
func endProcess(pid int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil {
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(patience.Milliseconds()))
	}
}
