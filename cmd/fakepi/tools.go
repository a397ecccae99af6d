package main

import (
	"encoding/gob"
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/effects"
	"fakepi.example/internal/fakepi/ledger"
)

// tools has the worker's tools act: those with processes by these, the others here, as Pi does.
type tools struct {
	dir    string
	tree   *effects.Tree
	log    *ledger.Log
	ledger string  // path; empty: none
	speed  float64 // of the script; 0: tools have processes only where they run commands

	live    map[string]*tool // by call
	acting  *action          // nil: none
	updates chan toolUpdate
	ended   chan *tool // by itself, or by somebody's signal
}

// toolUpdate is what comes of an effect, or of a command what it prints.
type toolUpdate struct {
	call   string
	tool   *tool          // nil: it has no process
	effect *fakepi.Effect // of one that has none
	toolAnswer
}

// action is an effect that is under way, but a command.
type action struct {
	effect *fakepi.Effect
	tool   *tool // whose process does it; nil: this one
	over   bool  // the call ends with it
}

func newTools(dir string, log *ledger.Log, ledgerPath string, speed float64) (*tools, error) {
	if noFolder(dir) { // of a session that names a file: no command runs there
		dir = "."
	}
	tree, err := effects.Open(dir)
	if err != nil {
		return nil, err
	}
	return &tools{
		dir: dir, tree: tree, log: log, ledger: ledgerPath, speed: speed,
		live: map[string]*tool{}, updates: make(chan toolUpdate, 16), ended: make(chan *tool, 16),
	}, nil
}

// enter lets what comes next happen in another folder, where there is one.
func (t *tools) enter(dir string) error {
	if noFolder(dir) {
		return nil
	}
	tree, err := effects.Open(dir)
	if err != nil {
		return err
	}
	err = t.tree.Close()
	t.dir, t.tree = dir, tree
	return err
}

// noFolder reports whether there is none of that name.
func noFolder(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	return !info.IsDir()
}

// follow starts the processes that the worker's tools have begun, and ends those that are to end.
func (t *tools) follow(w *fakepi.Worker, now time.Duration) error {
	if t.speed == 0 && len(t.live) == 0 {
		return nil
	}
	t.reap(w)
	for _, c := range w.Children() {
		if t.live[c.Call] != nil || t.speed == 0 {
			continue
		}
		if _, err := t.begin(c, t.plan(w, c, now), nil); err != nil {
			return err
		}
	}
	return nil
}

// reap ends the processes whose calls have ended, as Pi does. One whose call ends with an effect does that before.
func (t *tools) reap(w *fakepi.Worker) {
	for call, live := range t.live {
		switch {
		case works(w, call), t.acting != nil && t.acting.over && t.acting.tool == live:
		case w.Detached(call):
			t.dismiss(live)
		default:
			t.kill(live)
		}
	}
}

// works reports whether a call has a process.
func works(w *fakepi.Worker, call string) bool {
	return slices.ContainsFunc(w.Children(), func(c fakepi.Child) bool { return c.Call == call })
}

// plan is what a process does by itself if its worker is killed.
func (t *tools) plan(w *fakepi.Worker, c fakepi.Child, now time.Duration) toolPlan {
	left, end, ends := w.OrphanPlan(c.Call)
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
	live := &tool{child: c, cmd: cmd, socket: ours, orders: gob.NewEncoder(ours)}
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
	go live.listen(t.updates)
	go live.wait(t.ended)
	live.order(toolOrder{Plan: &plan})
	return live, nil
}

// do begins an effect. What comes of it is an update.
func (t *tools) do(e *fakepi.Effect, w *fakepi.Worker) error {
	if e.Kind == script.EffectRun {
		return t.run(e)
	}
	live := t.live[e.Call]
	t.acting = &action{effect: e, tool: live, over: !works(w, e.Call)}
	if live != nil {
		live.act(e)
		return nil
	}
	tree := t.tree
	go func() { t.updates <- toolUpdate{call: e.Call, effect: e, toolAnswer: act(tree, e)} }()
	return nil
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
	live.act(e)
	return nil
}

// answered takes note of an update, and returns the effect that it is about, if that was under way; of a command nil.
func (t *tools) answered(r *toolUpdate) *fakepi.Effect {
	e := r.effect
	switch {
	case r.Command:
		return nil
	case r.tool == nil:
		noteEffect(t.log, e, 0, r.Failed)
	default:
		e = r.tool.acted()
	}
	if t.acting == nil || t.acting.effect != e {
		return nil // of a call that has ended
	}
	t.acting = nil
	return e
}

// kill ends a process with all that it has started, as Pi does.
func (t *tools) kill(l *tool) {
	t.forget(l)
	_ = syscall.Kill(-l.cmd.Process.Pid, syscall.SIGKILL) // it may have ended
	t.note(l, true, true)
}

// dismiss lets a process end whose commands have ended, and leaves alone what they have started.
func (t *tools) dismiss(l *tool) {
	t.forget(l)
	l.order(toolOrder{Over: true})
	t.note(l, true, false)
}

// gone takes note of a process that has ended without the worker's doing.
func (t *tools) gone(l *tool) (unexpected bool) {
	unexpected = t.live[l.child.Call] == l
	if unexpected {
		t.forget(l)
		t.note(l, true, false)
	}
	_ = l.close() // nothing is behind them any more
	return unexpected
}

// forget leaves a process to itself.
func (t *tools) forget(l *tool) {
	delete(t.live, l.child.Call)
	if t.acting != nil && t.acting.tool == l {
		t.acting = nil
	}
}

func (t *tools) note(l *tool, ended, killed bool) {
	_ = t.log.Append(&ledger.ToolChild{
		PID: l.cmd.Process.Pid, Call: l.child.Call, Command: l.child.Command, Ended: ended, Killed: killed,
	}) // a ledger that cannot be written is told at the worker's own records
}
