package system

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"fakepi.example/internal/fakepi/ledger"
)

// sigaction is the kernel's, as large as it is on any architecture; the handler's address is first. Zero is the default
// action.
type sigaction [4]uint64

// actionOf is what a signal does.
func actionOf(s syscall.Signal) (action sigaction) {
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s), 0, uintptr(unsafe.Pointer(&action)), 8, 0, 0)
	return action
}

// swap changes what a signal does, past Go's own handler, and returns what it did.
func swap(s syscall.Signal, action sigaction) (before sigaction) {
	before = actionOf(s)
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
	return before // it fails for SIGKILL and SIGSTOP only
}

// SetDefault gives a signal back to the kernel.
func SetDefault(s syscall.Signal) { swap(s, sigaction{}) }

// ActDefault does once what the kernel does on a signal. It returns when the process goes on. The signal goes to this thread,
// which takes it before anything else: another one might take it when the action is back.
func ActDefault(s syscall.Signal) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := swap(s, sigaction{})
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), s)
	swap(s, before)
}

// StandAside lets the process be stopped as any other, and SIGINT not end it, until undo is called.
func StandAside() (undo func()) {
	const ignored = 1 // the kernel's SIG_IGN
	stop, interrupt := swap(syscall.SIGTSTP, sigaction{}), swap(syscall.SIGINT, sigaction{ignored})
	return func() { swap(syscall.SIGTSTP, stop); swap(syscall.SIGINT, interrupt) }
}

// describe fills in what the system knows of this process. What it does not tell stays empty.
func describe(s *ledger.Start) {
	s.StartTicks = startTicks()
	s.Parent = programOf(s.ParentPID)
	s.BootID = strings.TrimSpace(read("/proc/sys/kernel/random/boot_id"))
	for fd := range 3 {
		target, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		s.FDs = append(s.FDs, target)
	}
	s.Ignored, s.Blocked = signalNames(statusMask("SigIgn")), signalNames(statusMask("SigBlk"))
}

// statusMask reads a mask of signals out of /proc/self/status, of the main thread.
func statusMask(key string) uint64 {
	for line := range strings.Lines(read("/proc/self/status")) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			bits, _ := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
			return bits
		}
	}
	return 0
}

// programOf is the name of a process; empty if there is none.
func programOf(pid int) string {
	if pid == 0 {
		return ""
	}
	return strings.TrimSpace(read(fmt.Sprintf("/proc/%d/comm", pid)))
}

func read(name string) string {
	data, _ := os.ReadFile(name)
	return string(data)
}

// startTicks is field 22 of /proc/self/stat. The program's name before it may hold anything.
func startTicks() uint64 {
	stat, _ := os.ReadFile("/proc/self/stat")
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 {
		return 0
	}
	n, _ := strconv.ParseUint(fields[19], 10, 64)
	return n
}

// signalNames lists the signals of a mask.
func signalNames(mask uint64) []string {
	names := []string{}
	for n := range 64 {
		if name := unix.SignalName(syscall.Signal(n + 1)); mask&(1<<n) != 0 && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// WatchParent tells when a process has gone.
func WatchParent(pid int) <-chan int {
	gone := make(chan int, 1)
	fd, err := unix.PidfdOpen(pid, 0)
	switch {
	case err == unix.ESRCH:
		gone <- pid
		return gone
	case err != nil:
		return nil // it is none of this namespace
	}
	go func() {
		for {
			_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
			if err == unix.EINTR {
				continue
			}
			gone <- pid
			return
		}
	}()
	return gone
}
