// Package holder owns one worker for as long as it runs: its standard streams or its terminal, and its exit.
//
// A watchdog that dies must not take its worker along: Pi ends when its stdin is closed, and may lose the reply. So the
// worker is the child of a small process that does nothing but pass bytes through and write them down with the time
// (package spool). The watchdog reads the spool, and after its own death the next one reads on.
package holder

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/internal/watchdog/live/clocks"
	"fakepi.example/internal/watchdog/live/spool"
	"fakepi.example/watchdog"
)

// WorkerVariable is set in the environment of a worker and so of all that descends from it: the folder that it is watched
// in. It tells a process that it speaks from inside of a supervised worker (WDC-GATE-007).
const WorkerVariable = "PIWATCH_WORKER"

// statusVariable makes Pi 1.6 report to its terminal what it does (docs/pi-formats.md, section 13).
const statusVariable = "PI_PROGRAM_STATUS"

// Worker says what to start.
type Worker struct {
	ID         string
	Generation int
	Command    []string // the executable and its arguments
	Dir        string   // its working directory
	Mode       watchdog.Mode
	Task       string
	Model      string
	Autonomous bool
	Spool      string // file
	Folder     string // value of WorkerVariable
}

// Streams are the other ends of the worker's streams: who started us has them.
type Streams struct {
	In       *os.File
	Out, Err *os.File
}

// pieceSize is how many bytes one observation carries at most.
const pieceSize = 64 << 10

// hold is a worker being held.
type hold struct {
	worker  Worker
	streams Streams
	mu      sync.Mutex // of spool and offsets: streams are copied at once
	spool   *spool.Spool
	offsets map[watchdog.Stream]int64
	failed  error    // the first failure to write down
	session *session // nil for a worker whose stdout says what it does
	pid     chan int // the worker's, once
}

// Run starts the worker, tells started, and holds it until it has exited and its output is read to the end, or to where
// a descendant still holds it. It returns the worker's exit status. The error is about what could not be started or
// written down; a worker that cannot be watched goes on all the same.
func Run(w Worker, s Streams, started func()) (watchdog.Exited, error) {
	log, err := spool.Open(w.Spool)
	if err != nil {
		return watchdog.Exited{}, err
	}
	defer func() { _ = log.Close() }() // every line was written when it was appended
	h := &hold{worker: w, streams: s, spool: log, offsets: map[watchdog.Stream]int64{}}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return watchdog.Exited{}, fmt.Errorf("become the reaper of what the worker leaves: %w", err)
	}
	h.pid = make(chan int, 1)
	defer reapOrphans(h.pid)()
	cmd := exec.Command(w.Command[0], w.Command[1:]...)
	cmd.Dir = w.Dir
	cmd.Env = append(os.Environ(), WorkerVariable+"="+w.Folder)
	if _, set := os.LookupEnv(statusVariable); w.Mode == watchdog.ModeTUI && !set {
		cmd.Env = append(cmd.Env, statusVariable+"=1") // without it a wait looks like a silence (WDC-OBS-008)
	}
	if w.Mode == watchdog.ModePrint || w.Mode == watchdog.ModeTUI {
		h.session = newSession(w.Command, w.Dir)
	}
	var exited watchdog.Exited
	if w.Mode == watchdog.ModeTUI {
		exited, err = h.terminal(cmd, started)
	} else {
		exited, err = h.pipes(cmd, started)
	}
	return exited, errors.Join(err, h.failed)
}

// note writes down an observation of now. The first failure is kept: the streams go on without it.
func (h *hold) note(body watchdog.Body) {
	now, err := clocks.Now()
	if err == nil {
		_, err = h.spool.Append(watchdog.Observation{At: now, Worker: h.worker.ID, Generation: h.worker.Generation, Body: body})
	}
	if err != nil && h.failed == nil {
		h.failed = fmt.Errorf("write down what is observed: %w", err)
	}
}

// fail keeps the first failure.
func (h *hold) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed == nil {
		h.failed = err
	}
}

// noteBytes writes down a piece of a stream.
func (h *hold) noteBytes(stream watchdog.Stream, data []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.note(watchdog.Bytes{Stream: stream, Offset: h.offsets[stream], Data: data})
	h.offsets[stream] += int64(len(data))
}

func (h *hold) noteBody(body watchdog.Body) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.note(body)
}

// spawned describes the worker that has just started.
func (h *hold) spawned(pid int) watchdog.Spawned {
	h.pid <- pid
	s := watchdog.Spawned{
		Mode: h.worker.Mode, Source: watchdog.SourceHeld, Parent: true, Task: h.worker.Task, Model: h.worker.Model,
		PID: pid, Worktree: h.worker.Dir, Autonomous: h.worker.Autonomous,
	}
	if tree, err := evidence.Processes(pid); err == nil {
		for _, p := range tree.Processes {
			if p.PID == pid {
				s.Start = int64(p.Start)
			}
		}
	}
	return s
}

// pass copies a stream to its other end and writes it down, until the stream ends. What is read is written down before it
// is passed on, so the watchdog knows whatever the reader can know. A reader that has gone is the worker's to notice: then
// the stream is closed, and the worker gets EPIPE, as it would without us.
func (h *hold) pass(stream watchdog.Stream, from, to *os.File) {
	buf := make([]byte, pieceSize)
	read := from.Read
	for {
		n, err := read(buf)
		if n > 0 {
			h.noteBytes(stream, buf[:n])
			if _, werr := to.Write(buf[:n]); werr != nil {
				_ = from.Close()
				err = werr
			}
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			read = func(p []byte) (int, error) { return readNow(from, p) }
		case errors.Is(err, unix.EAGAIN):
			return // a descendant of the worker still has the other end: the stream has not ended
		case err != nil:
			h.noteBody(watchdog.Closed{Stream: stream})
			return
		}
	}
}

// readNow reads what is there. It is EAGAIN if nothing is, and io.EOF at the end.
func readNow(f *os.File, p []byte) (n int, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	cerr := conn.Control(func(fd uintptr) { n, err = unix.Read(int(fd), p) })
	switch {
	case cerr != nil:
		return 0, cerr
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// exitOf is the wait status of a process that has ended.
func exitOf(state *os.ProcessState) watchdog.Exited {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return watchdog.Exited{Code: -1, Signal: unix.SignalName(ws.Signal())}
	}
	return watchdog.Exited{Code: state.ExitCode()}
}
