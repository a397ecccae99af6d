package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"fakepi.example/internal/watchdog/live"
	"fakepi.example/internal/watchdog/live/holder"
	"fakepi.example/watchdog"
)

// readyFD is the descriptor on which a holder says that the worker has started, or why not.
const readyFD = 3

// holdCommand is what piwatch run starts as the parent of the worker.
func holdCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "hold FOLDER",
		Short:  "Own the worker of a folder (started by piwatch run)",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			folder := live.Folder(args[0])
			unix.CloseOnExec(readyFD) // it is not the worker's
			ready := os.NewFile(readyFD, "ready")
			started := func() {
				_, _ = io.WriteString(ready, "ok\n")
				_ = ready.Close()
			}
			exited, err := hold(folder, started)
			if err != nil {
				_, _ = fmt.Fprintln(ready, err) // closed by now, if the worker has started
				logTo(folder, err)
				return err
			}
			return statusOf(exited)
		},
	}
}

func hold(folder live.Folder, started func()) (watchdog.Exited, error) {
	spec, err := folder.ReadSpec()
	if err != nil {
		return watchdog.Exited{}, err
	}
	// A signal to all processes of a service is the worker's to answer; the holder ends behind it. To be caught, not
	// ignored: what is ignored would be so in the worker.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	return holder.Run(holder.Worker{
		ID: spec.ID, Generation: spec.Generation, Command: spec.Command, Dir: spec.Dir, Mode: spec.Mode, Task: spec.Task,
		Model: spec.Model, Autonomous: spec.Autonomous, Spool: folder.Spool(), Folder: string(folder),
	}, holder.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, started)
}

// startHolder starts the parent of the worker in a session of its own, with our streams, and waits until the worker runs.
func startHolder(folder live.Folder) (*os.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // it was read to its end
	cmd := exec.Command(self, "hold", string(folder))
	cmd.Args[0] = os.Args[0] // as people know it
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_ = w.Close()
	if err != nil {
		return nil, err
	}
	said, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(said, []byte("ok\n")) {
		_ = cmd.Wait() // what it said is the reason
		return nil, fmt.Errorf("the worker did not start: %s", bytes.TrimSpace(said))
	}
	return cmd.Process, nil
}

// forward sends the signals that piwatch gets on to the worker, or, for a new size of the terminal, to its holder.
func forward(signals <-chan os.Signal, holder *os.Process, folder live.Folder) {
	for s := range signals {
		if s == syscall.SIGWINCH {
			_ = holder.Signal(s) // one that has ended needs none
			continue
		}
		if err := folder.Stop(s.(syscall.Signal)); err != nil {
			logTo(folder, err)
		}
	}
}

func signalNumber(name string) syscall.Signal { return unix.SignalNum(name) }

// logTo writes down what went wrong where nobody can be told.
func logTo(folder live.Folder, err error) {
	file, oerr := os.OpenFile(folder.HolderLog(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if oerr != nil {
		return
	}
	defer func() { _ = file.Close() }() // what was written is in the file
	_, _ = fmt.Fprintln(file, err)
}
