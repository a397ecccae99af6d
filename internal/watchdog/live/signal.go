package live

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"fakepi.example/internal/watchdog/evidence"
	"fakepi.example/internal/watchdog/live/clocks"
	"fakepi.example/internal/watchdog/live/spool"
	"fakepi.example/watchdog"
)

// Stop sends a signal that ends a worker and records that its user wanted that: an end on request is no alarm
// (WDC-LIFE-005).
func (f Folder) Stop(s syscall.Signal) error {
	if err := f.intend(watchdog.IntentStop); err != nil {
		return err
	}
	return f.Signal(s)
}

// intend records what the worker's user wants. Who calls is our parent, or sits at our terminal.
func (f Folder) intend(i watchdog.Intent) error {
	spec, err := f.ReadSpec()
	if err != nil {
		return err
	}
	now, err := clocks.Now()
	if err != nil {
		return err
	}
	log, err := spool.Open(f.Spool())
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // what was appended is in the file
	_, err = log.Append(watchdog.Observation{
		At: now, Worker: spec.ID, Generation: spec.Generation,
		Body: watchdog.Operator{Intent: i, Proof: watchdog.Proof{Caller: watchdog.CallerOutside}},
	})
	return err
}

// Signal sends a signal to the worker of the folder, if it is still the process that was started: by pid and start time
// (WDC-FENCE-001). One that has ended gets none.
func (f Folder) Signal(s syscall.Signal) error {
	spawned, ended, err := f.last()
	if err != nil || ended || spawned.PID == 0 {
		return err
	}
	process, err := os.FindProcess(spawned.PID) // a handle: from here on it means one process
	if err != nil {
		return err
	}
	defer func() { _ = process.Release() }()
	tree, err := evidence.Processes(spawned.PID)
	if errors.Is(err, evidence.ErrNoProcess) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, p := range tree.Processes {
		if p.PID == spawned.PID && int64(p.Start) == spawned.Start {
			if err := process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
				return fmt.Errorf("signal %d to the worker: %w", s, err)
			}
		}
	}
	return nil
}

// last reads the newest start of the worker, and whether that process has ended.
func (f Folder) last() (spawned watchdog.Spawned, ended bool, err error) {
	log, err := spool.Open(f.Spool())
	if err != nil {
		return spawned, false, err
	}
	defer func() { _ = log.Close() }() // it was only read
	err = log.Next(func(o watchdog.Observation) error {
		switch b := o.Body.(type) {
		case watchdog.Spawned:
			spawned, ended = b, false
		case watchdog.Exited:
			ended = true
		}
		return nil
	})
	return spawned, ended, err
}
