package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/prometheus/procfs"
)

// ProcessTree is what processes.json says: a process and its descendants, by pid and start time (WDC-FENCE-001).
type ProcessTree struct {
	BootID    string    `json:"boot_id"`
	Processes []Process `json:"processes"` // in the order of their pids
}

// Process is one process.
type Process struct {
	PID      int      `json:"pid"`
	Parent   int      `json:"parent"`
	Start    uint64   `json:"start"` // ticks since boot
	Session  int      `json:"session"`
	State    string   `json:"state"` // one letter, as in /proc
	Name     string   `json:"name"`
	Command  []string `json:"command,omitempty"`
	Dir      string   `json:"dir,omitempty"`
	CPU      float64  `json:"cpu_s"`              // used so far
	IO       uint64   `json:"io"`                 // bytes read and written so far; 0 where that may not be seen
	Terminal string   `json:"terminal,omitempty"` // that it is blocked reading
}

// ErrNoProcess: there is no process of that pid.
var ErrNoProcess = errors.New("no such process")

// Processes lists a process and its descendants. One that ends meanwhile is left out.
func Processes(pid int) (*ProcessTree, error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("processes: %w", err)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return nil, fmt.Errorf("processes: %w", err)
	}
	parent := map[int]int{}
	stats := make([]procfs.ProcStat, len(all))
	for i, p := range all {
		if s, err := p.Stat(); err == nil {
			parent[p.PID], stats[i] = s.PPID, s
		}
	}
	if _, ok := parent[pid]; !ok {
		return nil, fmt.Errorf("%w: %d", ErrNoProcess, pid)
	}
	tree := &ProcessTree{BootID: strings.TrimSpace(string(boot))}
	for i, p := range all {
		if stats[i].PID != 0 && descends(p.PID, pid, parent) {
			tree.Processes = append(tree.Processes, describe(p, &stats[i]))
		}
	}
	return tree, nil
}

// Ancestors lists a process's parents, the nearest first.
func Ancestors(pid int) ([]Process, error) {
	var list []Process
	for pid > 1 {
		p, err := procfs.NewProc(pid)
		if err != nil {
			return nil, fmt.Errorf("%w: %d: %w", ErrNoProcess, pid, err)
		}
		s, err := p.Stat()
		if err != nil {
			return nil, fmt.Errorf("%w: %d: %w", ErrNoProcess, pid, err)
		}
		list = append(list, describe(p, &s))
		pid = s.PPID
	}
	return list[min(1, len(list)):], nil
}

// Inside lists the processes that work in a folder or below it, or have a file there open for writing, without the caller and
// those that it descends from.
func Inside(dir string) ([]Process, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("processes: %w", err)
	}
	own, err := Ancestors(os.Getpid())
	if err != nil {
		return nil, err
	}
	var list []Process
	for _, p := range all {
		ours := p.PID == os.Getpid() || slices.ContainsFunc(own, func(a Process) bool { return a.PID == p.PID })
		at, err := p.Cwd()
		if ours || (err != nil || !inside(at, dir)) && !writesBelow(p, dir) {
			continue
		}
		if s, err := p.Stat(); err == nil && s.State != "Z" {
			list = append(list, describe(p, &s))
		}
	}
	return list, nil
}

// writesBelow reports whether a process has a file below a folder open for writing.
func writesBelow(p procfs.Proc, dir string) bool {
	fds := filepath.Join("/proc", strconv.Itoa(p.PID), "fd")
	names, _ := os.ReadDir(fds) // those of a foreign process cannot be read
	for _, fd := range names {
		target, err := os.Readlink(filepath.Join(fds, fd.Name()))
		if err != nil || !inside(target, dir) {
			continue
		}
		info, err := p.FDInfo(fd.Name())
		if err != nil {
			continue // it is closed by now
		}
		if flags, err := strconv.ParseUint(info.Flags, 8, 64); err == nil && flags&(syscall.O_WRONLY|syscall.O_RDWR) != 0 {
			return true
		}
	}
	return false
}

// descends reports whether pid is root or comes from it.
func descends(pid, root int, parent map[int]int) bool {
	for range len(parent) + 1 {
		if pid == root {
			return true
		}
		if pid = parent[pid]; pid == 0 {
			return false
		}
	}
	return false
}

func describe(p procfs.Proc, s *procfs.ProcStat) Process {
	one := Process{
		PID: p.PID, Parent: s.PPID, Start: s.Starttime, Session: s.Session, State: s.State, Name: harmless(s.Comm),
		CPU: s.CPUTime(), Terminal: terminalRead(p.PID),
	}
	one.Command, _ = p.CmdLine()
	one.Dir, _ = p.Cwd()
	if io, err := p.IO(); err == nil {
		one.IO = io.RChar + io.WChar
	}
	return one
}

// readCall is the number of the system call read.
var readCall = map[string]string{"amd64": "0", "arm64": "63"}

// terminalRead names the terminal that one of a process's threads is blocked reading, or "".
func terminalRead(pid int) string {
	base := "/proc/" + strconv.Itoa(pid)
	threads, _ := filepath.Glob(base + "/task/*/syscall")
	for _, thread := range threads {
		data, err := os.ReadFile(thread)
		if err != nil {
			continue
		}
		f := strings.Fields(string(data))
		if len(f) < 2 || f[0] != readCall[runtime.GOARCH] {
			continue
		}
		fd, err := strconv.ParseUint(strings.TrimPrefix(f[1], "0x"), 16, 32)
		if err != nil {
			continue
		}
		target, err := os.Readlink(base + "/fd/" + strconv.FormatUint(fd, 10))
		if err == nil && (strings.HasPrefix(target, "/dev/pts/") || strings.HasPrefix(target, "/dev/tty")) {
			return target
		}
	}
	return ""
}

// writeProcesses writes processes.json. A worker that has ended by now leaves none.
func writeProcesses(dir string, pid int) error {
	if pid == 0 {
		return nil
	}
	tree, err := Processes(pid)
	if errors.Is(err, ErrNoProcess) {
		return nil
	}
	if err != nil {
		return err
	}
	for i := range tree.Processes {
		tree.Processes[i].Command = maskedArguments(tree.Processes[i].Command)
	}
	data, err := json.MarshalIndent(tree, "", "  ")
	if err != nil {
		return err
	}
	return writeText(dir, ProcessesFile, string(data)+"\n")
}
