package process

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// attributes put the process into a group of its own, and let it die with the suite.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// adoptOrphans makes this process the parent of whatever an adapter leaves, so that it can be found and ended.
var adoptOrphans = sync.OnceFunc(func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) })

// limitFiles bounds the size of each file that a process writes.
func limitFiles(pid int, size int64) {
	limit := unix.Rlimit{Cur: uint64(size), Max: uint64(size)}
	_ = unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil) // it has ended already
}

// childrenOf lists the children of a process.
func childrenOf(pid int) []int {
	var list []int
	tasks, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, file := range tasks {
		text, _ := os.ReadFile(file) // the process may have ended
		for _, word := range bytes.Fields(text) {
			if n, err := strconv.Atoi(string(word)); err == nil {
				list = append(list, n)
			}
		}
	}
	return list
}

// treeOf lists a process and its descendants.
func treeOf(pid int) []int {
	tree := []int{pid}
	for i := 0; i < len(tree) && len(tree) <= 4*maxProcesses; i++ {
		tree = append(tree, childrenOf(tree[i])...)
	}
	return tree
}

func residentOf(tree []int) int64 {
	var pages int64
	for _, pid := range tree {
		text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
		if words := bytes.Fields(text); len(words) > 1 {
			n, _ := strconv.ParseInt(string(words[1]), 10, 64)
			pages += n
		}
	}
	return pages * int64(os.Getpagesize())
}

func sizeOf(dir string) int64 {
	var size int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

// orphansOf lists the children of this process that carry the owner of c, apart from c itself.
func orphansOf(c *child) []int {
	mark := append([]byte(ownerVariable+"="+c.owner), 0)
	var list []int
	for _, pid := range childrenOf(os.Getpid()) {
		if pid == c.cmd.Process.Pid {
			continue
		}
		environ, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if bytes.Contains(append(environ, 0), mark) {
			list = append(list, pid)
		}
	}
	return list
}

func leftOver(c *child) bool { return len(orphansOf(c)) > 0 }

// killRounds is how often what is left is looked for: what forks while it is killed is found the next time.
const killRounds = 200

// killTree kills the group, the descendants, and what has left both.
func killTree(c *child) {
	leader := c.cmd.Process.Pid
	for range killRounds {
		var all []int
		select {
		case <-c.ended:
		default:
			all = treeOf(leader)
			_ = syscall.Kill(-leader, syscall.SIGKILL)
		}
		orphans := orphansOf(c)
		for _, pid := range orphans {
			all = append(all, treeOf(pid)...)
		}
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		for _, pid := range orphans {
			_, _ = syscall.Wait4(pid, nil, 0, nil)
		}
		<-c.ended
		if len(orphans) == 0 && len(orphansOf(c)) == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
