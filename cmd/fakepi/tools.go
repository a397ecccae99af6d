package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/effects"
	"fakepi.example/fakepi/ledger"
	"fakepi.example/fakepi/script"
)

// tools has the worker's tools act: those with processes by these, the others here, as Pi does.
type tools struct {
	dir    string
	tree   *effects.Tree
	log    *ledger.Log
	ledger string  // path; empty: none
	speed  float64 // of the script; 0: tools have processes only where they run commands

	live  map[string]*tool // by call
	told  chan told
	ended chan *tool // by itself, or by somebody's signal
}

// tool is a process of a tool, seen from the worker.
type tool struct {
	child   fakepi.Child
	cmd     *exec.Cmd
	socket  *os.File
	output  *os.File        // held open by the process until it ends, as a shell's is
	answers chan toolAnswer // to effects that are no commands; closed when the process has gone
}

// told is what the process of a call tells of a command.
type told struct {
	call string
	toolAnswer
}

func newTools(dir string, log *ledger.Log, ledgerPath string, speed float64) (*tools, error) {
	tree, err := effects.Open(dir)
	if errors.Is(err, syscall.ENOTDIR) { // of a session that names a file: no command runs there
		dir = "."
		tree, err = effects.Open(dir)
	}
	if err != nil {
		return nil, err
	}
	return &tools{
		dir: dir, tree: tree, log: log, ledger: ledgerPath, speed: speed,
		live: map[string]*tool{}, told: make(chan told, 16), ended: make(chan *tool, 16),
	}, nil
}

// enter lets what comes next happen in another folder, where there is one.
func (t *tools) enter(dir string) error {
	tree, err := effects.Open(dir)
	if err != nil {
		return nil // what stands in its place is no folder
	}
	err = t.tree.Close()
	t.dir, t.tree = dir, tree
	return err
}

// follow starts the processes that the worker's tools have begun, and kills those that are to end.
func (t *tools) follow(w *fakepi.Worker, now time.Duration) error {
	if t.speed == 0 && len(t.live) == 0 {
		return nil
	}
	children := w.Children()
	for _, live := range t.live {
		switch call := live.child.Call; {
		case slices.ContainsFunc(children, func(c fakepi.Child) bool { return c.Call == call }):
		case w.Spared(call):
			if err := t.dismiss(live); err != nil {
				return err
			}
		default:
			t.kill(live)
		}
	}
	for _, c := range children {
		if t.live[c.Call] != nil || t.speed == 0 {
			continue
		}
		if _, err := t.begin(c, t.plan(w, c, now), nil); err != nil {
			return err
		}
	}
	return nil
}

// plan is what a process does by itself if its worker is killed.
func (t *tools) plan(w *fakepi.Worker, c fakepi.Child, now time.Duration) toolPlan {
	left, end, ends := w.Afterlife(c.Call)
	real := func(at time.Duration) time.Duration { return time.Duration(float64(max(0, at)) / t.speed) }
	plan := t.obedient(c)
	plan.Busy, plan.End, plan.Ends = real(c.Busy), real(end-now), ends
	for _, o := range left {
		plan.Effects = append(plan.Effects, timedEffect{At: real(o.At - now), Effect: *o.Effect})
	}
	return plan
}

// obedient is the plan of a process that does nothing by itself.
func (t *tools) obedient(c fakepi.Child) toolPlan {
	return toolPlan{Dir: t.dir, Call: c.Call, Kind: c.Kind, Ends: true, Ledger: t.ledger, Generation: t.log.Generation()}
}

// leave leaves a process behind that holds stdout for as long as the script wants it to outlive the worker.
func (t *tools) leave(w *fakepi.Worker, now time.Duration, stdout *os.File) error {
	dead := w.Clone()
	for at, ok := dead.Next(); ok && t.speed > 0; at, ok = dead.Next() {
		for _, o := range dead.Step(at, nil) {
			if o.Closed && o.Stream == fakepi.Out {
				plan := t.obedient(fakepi.Child{})
				plan.End = time.Duration(float64(at-now) / t.speed)
				_, err := t.begin(fakepi.Child{}, plan, stdout)
				return err
			}
		}
	}
	return nil
}

// begin starts a process in a session of its own, as Pi starts a shell. Its output is a pipe to the worker, unless given.
func (t *tools) begin(c fakepi.Child, plan toolPlan, stdout *os.File) (*tool, error) {
	kind := toolShell
	if c.Kind == script.ChildHolds {
		kind = toolLeaves
	}
	cmd, err := toolCommand(kind, t.dir)
	if err != nil {
		return nil, err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	live := &tool{child: c, cmd: cmd, socket: ours, answers: make(chan toolAnswer, 1)}
	held, output, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, live.socket.Close())
	}
	defer output.Close()
	live.output = held
	cmd.Args = []string{effects.Shell(), "-c", c.Command}
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = output, output, []*os.File{theirs}
	if stdout != nil {
		cmd.Stdout = stdout
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, live.close())
	}
	t.live[c.Call] = live
	t.note(live, false, false)
	go live.listen(t.told)
	go live.wait(t.ended)
	return live, live.order(toolOrder{Plan: &plan})
}

// socketPair makes two ends, which no process inherits by accident.
func socketPair() (a, b *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	unix.CloseOnExec(ends[0])
	unix.CloseOnExec(ends[1])
	return os.NewFile(uintptr(ends[0]), "tool"), os.NewFile(uintptr(ends[1]), "worker"), nil
}

func (l *tool) close() error { return errors.Join(l.socket.Close(), l.output.Close()) }

// order tells the process something. That it has gone is told otherwise.
func (l *tool) order(o toolOrder) error {
	if err := json.NewEncoder(l.socket).Encode(o); err != nil && !errors.Is(err, syscall.EPIPE) {
		return err
	}
	return nil
}

// listen takes the answers of the process.
func (l *tool) listen(tell chan<- told) {
	defer close(l.answers)
	in := json.NewDecoder(l.socket)
	for {
		var a toolAnswer
		switch err := in.Decode(&a); {
		case err != nil:
			return
		case a.Command:
			tell <- told{l.child.Call, a}
		default:
			l.answers <- a
		}
	}
}

// wait waits until nobody holds the output any more, and until the process itself has ended.
func (l *tool) wait(ended chan<- *tool) {
	_, _ = io.Copy(io.Discard, l.output) // its end is all that matters
	_ = l.cmd.Wait()                     // how it ended is in its state
	ended <- l
}

// code is the exit status of the process, or below 0 the number of the signal that ended it.
func (l *tool) code() int {
	if status := l.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return -int(status.Signal())
	}
	return l.cmd.ProcessState.ExitCode()
}

// do carries out an effect that is no command. One whose process has gone answers nothing.
func (t *tools) do(e *fakepi.Effect) (toolAnswer, error) {
	live := t.live[e.Call]
	if live == nil {
		return act(t.tree, e, t.log), nil
	}
	if err := live.order(toolOrder{Effect: e}); err != nil {
		return toolAnswer{}, err
	}
	return <-live.answers, nil
}

// run starts a command, in the process of its tool or in one made for it.
func (t *tools) run(e *fakepi.Effect) error {
	live := t.live[e.Call]
	if live == nil {
		c := fakepi.Child{Call: e.Call, Command: e.Command}
		var err error
		if live, err = t.begin(c, t.obedient(c), nil); err != nil {
			return err
		}
	}
	return live.order(toolOrder{Effect: e})
}

// kill ends a process with all that it has started, as Pi does.
func (t *tools) kill(l *tool) {
	delete(t.live, l.child.Call)
	_ = syscall.Kill(-l.cmd.Process.Pid, syscall.SIGKILL) // it may have ended
	t.note(l, true, true)
}

// dismiss lets a process end whose commands have ended, and leaves alone what they have started.
func (t *tools) dismiss(l *tool) error {
	delete(t.live, l.child.Call)
	t.note(l, true, false)
	return l.order(toolOrder{Over: true})
}

// gone takes note of a process that has ended without the worker's doing.
func (t *tools) gone(l *tool) (unexpected bool) {
	unexpected = t.live[l.child.Call] == l
	if unexpected {
		delete(t.live, l.child.Call)
		t.note(l, true, false)
	}
	_ = l.close() // nothing is behind them any more
	return unexpected
}

func (t *tools) note(l *tool, ended, killed bool) {
	_ = t.log.Append(&ledger.ToolChild{
		PID: l.cmd.Process.Pid, Call: l.child.Call, Command: l.child.Command, Ended: ended, Killed: killed,
	}) // a ledger that cannot be written is told at the worker's own records
}
