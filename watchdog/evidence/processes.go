package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/prometheus/procfs"
)

// ProcessTree is what processes.json says: a process and its descendants, by pid and start time (WDC-FENCE-001).
type ProcessTree struct {
	BootID    string    `json:"boot_id"`
	Processes []Process `json:"processes"`
}

// Process is one process.
type Process struct {
	PID     int      `json:"pid"`
	Parent  int      `json:"parent"`
	Start   uint64   `json:"start"` // ticks since boot
	Session int      `json:"session"`
	State   string   `json:"state"` // one letter, as in /proc
	Name    string   `json:"name"`
	Command []string `json:"command,omitempty"`
	Dir     string   `json:"dir,omitempty"`
}

// ErrNoProcess: there is no process of that pid.
var ErrNoProcess = errors.New("no such process")

// Processes lists a process and its descendants, in the order of their pids. One that ends meanwhile is left out.
func Processes(pid int) (*ProcessTree, error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, err
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return nil, err
	}
	parent := map[int]int{}
	stats := map[int]procfs.ProcStat{}
	for _, p := range all {
		if s, err := p.Stat(); err == nil {
			parent[p.PID], stats[p.PID] = s.PPID, s
		}
	}
	if _, ok := stats[pid]; !ok {
		return nil, fmt.Errorf("%w: %d", ErrNoProcess, pid)
	}
	tree := &ProcessTree{BootID: strings.TrimSpace(string(boot))}
	for _, p := range all {
		if s, ok := stats[p.PID]; ok && descends(p.PID, pid, parent) {
			tree.Processes = append(tree.Processes, describe(p, s))
		}
	}
	return tree, nil
}

// descends reports whether pid is root or comes from it.
func descends(pid, root int, parent map[int]int) bool {
	for range len(parent) {
		if pid == root {
			return true
		}
		if pid = parent[pid]; pid == 0 {
			return false
		}
	}
	return false
}

func describe(p procfs.Proc, s procfs.ProcStat) Process {
	one := Process{PID: p.PID, Parent: s.PPID, Start: s.Starttime, Session: s.Session, State: s.State, Name: harmless(s.Comm)}
	one.Command, _ = p.CmdLine()
	one.Dir, _ = p.Cwd()
	return one
}

// writeProcesses writes processes.json. A worker that has ended by now leaves none.
func writeProcesses(dir string, pid int) error {
	if pid == 0 {
		return nil
	}
	tree, err := Processes(pid)
	if errors.Is(err, ErrNoProcess) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(tree, "", "  ")
	if err != nil {
		return err
	}
	return writeText(dir, ProcessesFile, string(data)+"\n")
}
