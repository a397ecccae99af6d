package holder

import (
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"fakepi.example/watchdog"
)

// modesOff takes back what a worker that was killed has switched on: bracketed paste, the kitty keyboard, a hidden cursor,
// mouse reports, the alternate screen, colours.
const modesOff = "\x1b[?2004l\x1b[<u\x1b[>4;0m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2026l\x1b[?1049l\x1b[?25h\x1b[0m\r\n"

// terminal holds a worker on a terminal of its own, behind the person's.
func (h *hold) terminal(cmd *exec.Cmd, started func()) (watchdog.Exited, error) {
	ours, workers, err := openTerminal()
	if err != nil {
		return watchdog.Exited{}, err
	}
	defer func() { _ = ours.Close() }() // the worker has exited
	cmd.Stdin, cmd.Stdout, cmd.Stderr = workers, workers, workers
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	person := int(h.streams.In.Fd())
	before, err := term.MakeRaw(person)
	if err != nil {
		_ = workers.Close()
		return watchdog.Exited{}, err
	}
	defer func() { _ = term.Restore(person, before) }() // a terminal that has gone needs none
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, unix.SIGWINCH)
	defer signal.Stop(resized)
	copySize(h.streams.In, ours)
	err = cmd.Start()
	_ = workers.Close()
	if err != nil {
		return watchdog.Exited{}, err
	}
	go func() {
		for range resized {
			copySize(h.streams.In, ours)
		}
	}()
	h.noteBody(h.spawned(cmd.Process.Pid))
	started()
	go func() {
		h.pass(watchdog.StreamIn, h.streams.In, ours)
		_ = ours.Close() // the person's terminal has gone: the worker's goes, too, and it gets SIGHUP
	}()
	var output sync.WaitGroup
	output.Go(func() { h.pass(watchdog.StreamPTY, ours, h.streams.Out) })
	exited := h.reap(cmd, func() {
		_ = ours.SetReadDeadline(time.Now())
		output.Wait()
	})
	if exited.Signal != "" {
		_, _ = h.streams.Out.WriteString(modesOff)
	}
	return exited, nil
}

// openTerminal opens a pseudoterminal whose master can be read with a deadline: that takes a descriptor which does not
// block when the file is made of it.
func openTerminal() (ours, workers *os.File, err error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = master.Close() }() // ours is a duplicate
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		_ = slave.Close()
		return nil, nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = slave.Close()
		_ = unix.Close(fd)
		return nil, nil, err
	}
	return os.NewFile(uintptr(fd), master.Name()), slave, nil
}

// copySize gives a terminal the size of another. A terminal without a size keeps its own.
func copySize(from, to *os.File) {
	size, err := pty.GetsizeFull(from)
	if err != nil {
		return
	}
	conn, err := to.SyscallConn()
	if err != nil {
		return
	}
	ws := unix.Winsize{Row: size.Rows, Col: size.Cols, Xpixel: size.X, Ypixel: size.Y}
	_ = conn.Control(func(fd uintptr) { _ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &ws) }) // best effort
}
