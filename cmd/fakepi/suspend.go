package main

import (
	"syscall"

	"golang.org/x/term"

	"fakepi.example/internal/fakepi/cli/system"
)

// loseTerminal tells the worker that its terminal has gone, once.
func (p *process) loseTerminal() {
	if !p.terminal.Gone {
		p.terminal.Gone = true
		p.stdin(nil, false)
	}
}

// suspend gives the terminal back and stops the process with all of its group, as ctrl+z has it. In a group that nobody
// could let go on the system stops nothing: the process then waits for SIGCONT too.
func (p *process) suspend() {
	t := p.terminal
	if t == nil {
		return
	}
	t.Held.Lock()
	t.Keys, p.lines = p.lines, nil
	t.Restore()
	t.Undo = system.StandAside()
	_ = syscall.Kill(0, syscall.SIGTSTP)
}

// goOn takes the terminal again, which may be of another size.
func (p *process) goOn() error {
	t := p.terminal
	if t == nil || t.Undo == nil {
		return nil
	}
	t.Undo()
	t.Undo, p.lines = nil, t.Keys
	err := t.MakeRaw()
	t.Held.Unlock()
	if err != nil {
		return err
	}
	if cols, rows, err := term.GetSize(int(t.In.Fd())); err == nil {
		p.out = p.worker.Resize(p.at, cols, rows, p.out)
	}
	p.out = p.worker.Signal(p.at, "SIGCONT", p.out)
	return nil
}
