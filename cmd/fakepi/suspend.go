package main

import (
	"syscall"

	"golang.org/x/term"
)

// loseTerminal tells the worker that its terminal has gone, once.
func (p *process) loseTerminal() {
	if !p.terminal.gone {
		p.terminal.gone = true
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
	t.held.Lock()
	t.keys, p.lines = p.lines, nil
	t.restore()
	t.undo = standAside()
	_ = syscall.Kill(0, syscall.SIGTSTP)
}

// goOn takes the terminal again, which may be of another size.
func (p *process) goOn() error {
	t := p.terminal
	if t == nil || t.undo == nil {
		return nil
	}
	t.undo()
	t.undo, p.lines = nil, t.keys
	err := t.take()
	t.held.Unlock()
	if err != nil {
		return err
	}
	if cols, rows, err := term.GetSize(int(t.in.Fd())); err == nil {
		p.out = p.worker.Resize(p.at, cols, rows, p.out)
	}
	p.out = p.worker.Signal(p.at, "SIGCONT", p.out)
	return nil
}
