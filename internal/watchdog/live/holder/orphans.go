package holder

import (
	"os"
	"os/signal"
	"sync"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// reapOrphans collects the descendants of the worker that have become our children and end, until stop is called. The
// worker itself, whose pid is sent once, is left to who waits for it.
func reapOrphans(worker <-chan int) (stop func()) {
	children := make(chan os.Signal, 1)
	signal.Notify(children, unix.SIGCHLD)
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		pid := 0
		for {
			select {
			case pid = <-worker:
				reapEnded(pid)
			case <-children:
				if pid != 0 {
					reapEnded(pid)
				}
			case <-done:
				return
			}
		}
	})
	return func() {
		signal.Stop(children)
		close(done)
		ended.Wait()
	}
}

// reapEnded collects all children that have ended but one. A child that has not been waited for hides those behind it, so
// the one is looked for by its pid.
func reapEnded(but int) {
	for _, pid := range zombies() {
		if pid != but {
			var status unix.WaitStatus
			_, _ = unix.Wait4(pid, &status, unix.WNOHANG, nil) // it is a zombie, or has been collected
		}
	}
}

// zombies lists our children that have ended.
func zombies() []int {
	var found []int
	procs, err := procfs.AllProcs()
	if err != nil {
		return nil
	}
	for _, p := range procs {
		if stat, err := p.Stat(); err == nil && stat.PPID == os.Getpid() && stat.State == "Z" {
			found = append(found, p.PID)
		}
	}
	return found
}
