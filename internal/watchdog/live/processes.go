package live

import (
	"errors"
	"time"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/watchdog"
)

// processes lists a worker and what descends from it. A worker that has ended has an empty tree.
func processes(s watchdog.Spawned) ([]watchdog.Process, error) {
	tree, err := evidence.Processes(s.PID)
	if errors.Is(err, evidence.ErrNoProcess) {
		return []watchdog.Process{}, nil
	}
	if err != nil {
		return nil, err
	}
	var list []watchdog.Process
	for _, p := range tree.Processes {
		list = append(list, watchdog.Process{
			PID: p.PID, Parent: p.Parent, Start: int64(p.Start), CPU: time.Duration(p.CPU * float64(time.Second)), IO: int64(p.IO),
			State: p.State, Role: role(s, &p), ReadsTTY: p.Terminal != "",
		})
	}
	return list, nil
}

// role tells what a process is in the tree: Pi starts a shell for a bash call.
func role(s watchdog.Spawned, p *evidence.Process) watchdog.Role {
	switch {
	case p.PID == s.PID:
		return watchdog.RoleAgent
	case p.Parent == s.PID:
		return watchdog.RoleShell
	}
	return watchdog.RoleTool
}

// alive is the pid if such a process exists, else 0.
func alive(pid int) int {
	if _, err := evidence.Processes(pid); err != nil {
		return 0
	}
	return pid
}
