package recovery

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"

	"fakepi.example/internal/watchdog/evidence"
)

// Pi takes no lock on a session: two processes in one fork it (WDC-FENCE-004). And what a worker has started outlives it
// (WDC-ACT-007). So before a worker counts as dead, and before anything goes on, whoever is still there is looked for.

// SessionHolders lists the live processes that have the session file open, or were started with it, whatever folder they work
// in.
func SessionHolders(session string) ([]evidence.Process, error) {
	session, err := filepath.Abs(session)
	if err != nil {
		return nil, err
	}
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("processes: %w", err)
	}
	var found []evidence.Process
	for _, p := range all {
		if isPi(p) && holds(p, session) {
			found = append(found, living(p.PID)...)
		}
	}
	return found, nil
}

// Strangers lists the live pis of which nobody knows the session, and that have run since before this one was last written.
// A pi hides its command line behind a title, and keeps no file open; one that has written a session into Pi's folder for
// its own working directory is known by that.
func Strangers(s *Session) ([]evidence.Process, error) {
	info, err := os.Stat(s.Path)
	if err != nil {
		return nil, nil // nothing was written, by nobody
	}
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("processes: %w", err)
	}
	var found []evidence.Process
	for _, p := range all {
		started, err := os.Stat("/proc/" + strconv.Itoa(p.PID))
		if err != nil || !isPi(p) || started.ModTime().After(info.ModTime()) || ownSession(p, started.ModTime()) {
			continue
		}
		found = append(found, living(p.PID)...)
	}
	return found, nil
}

// ownSession reports whether a session was written into Pi's folder for a process's working directory since it started.
func ownSession(p procfs.Proc, started time.Time) bool {
	cwd, err := p.Cwd()
	if err != nil {
		return true // another user's; nothing can be said
	}
	dir := agentDir(p)
	names, _ := filepath.Glob(filepath.Join(dir, "sessions", "--"+strings.ReplaceAll(strings.TrimPrefix(cwd, "/"), "/", "-")+"--", "*.jsonl"))
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && !info.ModTime().Before(started)
	})
}

// agentDir is where a process keeps Pi's files.
func agentDir(p procfs.Proc) string {
	environ, _ := p.Environ() // of a foreign process it cannot be read
	home := ""
	for _, v := range environ {
		if dir, ok := strings.CutPrefix(v, "PI_CODING_AGENT_DIR="); ok {
			return dir
		}
		if dir, ok := strings.CutPrefix(v, "HOME="); ok {
			home = dir
		}
	}
	return filepath.Join(home, ".pi", "agent")
}

// living describes a process that has not ended.
func living(pid int) []evidence.Process {
	tree, err := evidence.Processes(pid)
	if err != nil {
		return nil
	}
	i := slices.IndexFunc(tree.Processes, func(q evidence.Process) bool { return q.PID == pid && q.State != "Z" })
	if i < 0 {
		return nil
	}
	return tree.Processes[i : i+1]
}

// isPi reports whether a process is a Pi: it gives itself that title, or was started as one.
func isPi(p procfs.Proc) bool {
	name, err := p.Comm()
	if err != nil {
		return false
	}
	command, _ := p.CmdLine() // a title in its place has no words
	return piByName(name, command)
}

func piByName(name string, command []string) bool {
	if name == "pi" || name == "fakepi" {
		return true
	}
	for _, word := range command[:min(len(command), 2)] { // the program, or the script of an interpreter
		if base := filepath.Base(word); base == "pi" || base == "fakepi" || strings.Contains(word, "/pi-coding-agent/") {
			return true
		}
	}
	return false
}

// holds reports whether a process has a file open, or names it in its command line.
func holds(p procfs.Proc, file string) bool {
	targets, _ := p.FileDescriptorTargets() // of a foreign process they cannot be read
	if slices.Contains(targets, file) {
		return true
	}
	cwd, err := p.Cwd()
	if err != nil {
		cwd = "/"
	}
	words, _ := p.CmdLine()
	return slices.ContainsFunc(words, func(w string) bool {
		return strings.HasSuffix(w, filepath.Base(file)) && same(w, cwd, file)
	})
}

func same(word, cwd, file string) bool {
	if !filepath.IsAbs(word) {
		word = filepath.Join(cwd, word)
	}
	return filepath.Clean(word) == file || samePlace(file, word)
}

// pi reports whether the process that was named is a Pi, or has one below it.
func (s *Sighting) pi() bool {
	if piByName(s.Process.Name, s.Process.Command) {
		return true
	}
	return slices.ContainsFunc(s.Descendants, func(m Moved) bool { return piByName(m.Name, m.Command) })
}

// listed names processes.
func listed(all []evidence.Process) string {
	var names []string
	for i := range all {
		names = append(names, fmt.Sprintf("process %d (%s)", all[i].PID, cut(all[i].Name, 40)))
	}
	if len(names) == 1 {
		return names[0] + " runs"
	}
	return strings.Join(names, ", ") + " run"
}
