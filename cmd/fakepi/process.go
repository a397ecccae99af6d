package main

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"syscall"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/agentdir"
	"fakepi.example/internal/fakepi/cli/stdio"
	"fakepi.example/internal/fakepi/cli/terminal"
	"fakepi.example/internal/fakepi/ledger"
)

// process runs a worker in the place of a process of Pi: on a clock, with its streams, signals, session file and tools.
type process struct {
	worker   *fakepi.Worker
	rules    processRules
	mode     script.Mode
	speed    float64               // how many times faster than written; 0: no waiting
	lines    <-chan [][]byte       // of stdin, those that came together; closed at its end; nil: not read
	rest     []byte                // a last line without its line feed, which counts at the end of stdin
	resized  <-chan [2]int         // columns and rows of the terminal
	terminal *terminal.Terminal    // nil: the mode has none
	signals  <-chan syscall.Signal // all but SIGKILL and SIGSTOP
	parent   <-chan int            // gets the pid of the process that started this one, when that has gone
	stdout   *stdio.Pipe
	stderr   *stdio.Pipe
	session  *sessionLog
	settings *agentdir.SettingsFiles
	tools    *tools
	notes    notes

	start time.Time
	at    time.Duration   // the worker's time
	out   []fakepi.Output // what the worker has done and the process has not
	done  int             // of out
	bound int             // of out: what comes before waits for the effect that is under way
	exit  *fakepi.Exit

	failed error // of a stream or the session file, met while the worker was held

	backpressure bool // the worker knows that stdout's reader holds it up
	parting      bool // a signal or the end of stdin came while it did
	closing      bool // the end of stdin came
	gone         bool // a signal came that waits for no reader
	asked        int  // how often a signal has asked it to go
	hasty        bool // what is not read at the exit is lost
	wedged       bool // the process has stopped itself, or uses all its CPU
}

// run plays until the worker exits. The error is that of a stream or of the session file.
func (p *process) run() (fakepi.Exit, error) {
	p.start = time.Now()
	p.out = p.worker.Step(0, p.out)
	for {
		if err := p.carryOut(); err != nil {
			return fakepi.Exit{}, err
		}
		if p.exit != nil {
			return p.end()
		}
		if err := p.next(); err != nil {
			return fakepi.Exit{}, err
		}
	}
}

// held reports whether the worker waits for the reader of stdout, between two events of a run. Otherwise its memory grows, but
// not where no time passes.
func (p *process) held() bool {
	return !p.gone && (p.rules.waitsForReader || p.speed == 0) && p.stdout.Stalled()
}

// blocked reports whether a worker that is held up has more to print: its run waits.
func (p *process) blocked() bool { return p.done < len(p.out) || p.worker.Blocked() }

// tellBackpressure tells the worker whether it is held, and reports whether it does something about that. Where no time
// passes it stands still instead.
func (p *process) tellBackpressure() bool {
	held, n := p.held(), len(p.out)
	if held == p.backpressure || p.speed == 0 {
		return false
	}
	p.backpressure = held
	p.out = p.worker.Backpressure(p.at, held, p.out)
	return len(p.out) > n
}

// acting reports whether an effect is under way for which the script waits. Who is to go waits for none, but at the end of
// stdin for what ends by itself.
func (p *process) acting() bool {
	return p.tools.acting != nil && p.asked == 0 && (!p.closing || p.tools.acting.tool == nil)
}

// behindEffect reports whether what the worker has done next waits for the effect before it.
func (p *process) behindEffect() bool { return p.done < p.bound && p.acting() }

// closes reports whether an output ends a one-shot that ends by itself: no event waits for the reader any more.
func (p *process) closes(o *fakepi.Output) bool {
	return p.mode.OneShot() && p.asked == 0 && (o.Closed || o.Exit != nil)
}

// waits reports whether an output waits for the reader of stdout.
func (p *process) waits(o *fakepi.Output) bool { return p.held() && !o.Answer && !p.closes(o) }

// carryOut does what the worker has done, as far as it is not held up.
func (p *process) carryOut() error {
	for p.done < len(p.out) && p.exit == nil {
		if p.waits(&p.out[p.done]) || p.behindEffect() {
			p.tools.reap(p.worker)
			return nil
		}
		o := p.out[p.done]
		p.done++
		if err := p.do(&o); err != nil {
			return err
		}
	}
	p.out, p.done, p.bound = p.out[:0], 0, 0
	p.notes.truth(p.worker, p.at)
	p.beWedged()
	return p.tools.follow(p.worker, p.at)
}

// do does one thing.
func (p *process) do(o *fakepi.Output) error {
	switch {
	case o.Exit != nil:
		p.exit = o.Exit
		return nil
	case o.Effect != nil:
		p.bound = len(p.out)
		return p.tools.do(o.Effect, p.worker)
	case o.Dir != "":
		return p.tools.enter(o.Dir)
	case o.Setting != nil:
		p.settings.Save(*o.Setting)
		return nil
	case o.Suspended:
		p.suspend()
		return nil
	}
	switch o.Stream {
	case fakepi.Out, fakepi.PTY:
		return p.write(p.stdout, o)
	case fakepi.Err:
		return p.write(p.stderr, o)
	case fakepi.Session:
		path := cmp.Or(o.Path, p.worker.SessionPath())
		if p.session.write(path, o.Data, o.Emptied) == nil { // otherwise Pi goes on without it; the worker has asked before
			p.notes.session(p.session.absolute(path), o.Data)
		}
	}
	return nil
}

func (p *process) write(to *stdio.Pipe, o *fakepi.Output) error {
	if o.Closed {
		return to.Close()
	}
	p.notes.delta(o)
	_, err := to.Write(o.Data)
	if to == p.stderr {
		return nil // Node's console heeds no error
	}
	if p.terminal != nil && errors.Is(err, syscall.EIO) {
		p.loseTerminal()
		return nil
	}
	return err
}

// next waits for what comes first: a line, a signal, an end, or the script.
func (p *process) next() error {
	if p.tellBackpressure() {
		return nil
	}
	at, due, stop := p.due()
	defer stop()
	var happens func()
	select {
	case <-due:
		p.at = max(at, p.at)
		p.out = p.worker.Step(p.at, p.out)
		return nil
	case <-p.stdout.Drained:
		return nil
	case pid := <-p.parent:
		p.parent = nil
		p.notes.note(&ledger.ParentDeath{PID: pid})
		return nil
	case lines, open := <-p.lines:
		happens = func() { p.stdin(lines, open) }
	case s := <-p.signals:
		happens = func() { p.signal(s) }
	case size := <-p.resized:
		happens = func() { p.out = p.worker.Resize(p.at, size[0], size[1], p.out) }
	case r := <-p.tools.updates:
		happens = func() { p.toolUpdated(r) }
	case l := <-p.tools.ended:
		happens = func() { p.toolEnded(l) }
	}
	if err := p.catchUp(); err != nil || p.exit != nil {
		return err
	}
	happens()
	return p.failed
}

// due tells when the script goes on by itself: at a time of the worker, and by a channel, which stop ends.
func (p *process) due() (at time.Duration, due <-chan time.Time, stop func()) {
	stop = func() {}
	at, ok := p.worker.Next()
	switch {
	case !ok || p.speed == 0 && p.held() || p.acting():
	case p.speed == 0:
		due = always
	default:
		timer := time.NewTimer(time.Duration(float64(at)/p.speed) - time.Since(p.start))
		due, stop = timer.C, func() { timer.Stop() }
	}
	return at, due, stop
}

// toolUpdated gives the worker what comes of an effect: that it came to nothing, which fails the tool, or what it has changed;
// of a command what it has printed, or that it has ended.
func (p *process) toolUpdated(r toolUpdate) {
	e := p.tools.answered(&r)
	switch a := &r.toolAnswer; {
	case len(a.Printed) > 0:
		p.out = p.worker.Printed(p.at, r.call, a.Printed, p.out)
	case a.Command:
		p.out = p.worker.Ran(p.at, r.call, nil, a.Code, p.out)
	case e != nil && a.Failed != "":
		p.out = p.worker.Failed(p.at, r.call, a.Failed, p.out)
	case e != nil && a.Change.Before != a.Change.After:
		p.out = p.worker.Edited(p.at, r.call, e.Path, a.Change.Before, a.Change.After, p.out)
	}
}

// toolEnded tells the worker that the process of a tool has gone, if it does not know.
func (p *process) toolEnded(l *tool) {
	if p.tools.gone(l) {
		p.out = p.worker.ChildEnded(p.at, l.child.Call, l.code(), p.out)
	}
}

// always is ready at once, every time.
var always = func() <-chan time.Time {
	c := make(chan time.Time)
	close(c)
	return c
}()

// catchUp lets the worker play what is due by now, each at its own time.
func (p *process) catchUp() error {
	now := p.at
	if p.speed > 0 {
		now = max(now, time.Duration(float64(time.Since(p.start))*p.speed))
	}
	for {
		if err := p.carryOut(); err != nil || p.exit != nil {
			return err
		}
		p.tellBackpressure()
		at, ok := p.worker.Next()
		switch {
		case p.speed == 0, p.acting():
			return nil
		case !ok || at > now:
			p.at = now
			return nil
		}
		p.at = max(p.at, at)
		p.out = p.worker.Step(p.at, p.out)
	}
}

// stdin hands the worker lines, or the end.
func (p *process) stdin(lines [][]byte, open bool) {
	if last := len(lines) - 1; p.mode == script.ModeRPC && last >= 0 && !bytes.HasSuffix(lines[last], []byte("\n")) {
		lines, p.rest = lines[:last], lines[last]
	}
	p.heard(lines)
	if open {
		return
	}
	held := p.held()
	if len(p.rest) > 0 {
		p.notes.stdin(p.rest, true)
	}
	p.notes.stdin(nil, false)
	p.lines, p.closing = nil, true
	if len(p.rest) > 0 {
		p.out = p.worker.LastLine(p.at, p.rest, p.out)
	} else {
		p.out = p.worker.CloseStdin(p.at, p.out)
	}
	p.part(held)
}

// part lets what the worker has done to go wait for the reader who holds it up. Of the run nothing is printed any more.
func (p *process) part(held bool) {
	if p.parting = held && p.rules.waitsForReader; !p.parting {
		return
	}
	p.out = slices.DeleteFunc(p.out[p.done:], func(o fakepi.Output) bool { return o.Stream == fakepi.Out && !o.Closed && !o.Answer })
	p.done, p.bound = 0, len(p.out)
}

// heard hands the worker lines that came in one read.
func (p *process) heard(lines [][]byte) {
	for _, line := range lines {
		p.notes.stdin(line, true)
	}
	switch {
	case len(lines) == 0:
	case p.held() || p.behindEffect():
		for _, line := range lines {
			p.lineHeld(line)
		}
	default:
		n := len(p.out)
		p.out = p.worker.Send(p.at, bytes.Join(lines, nil), p.out)
		p.saveSettings(p.out[n:])
	}
}

// lineHeld hands the worker a line. Pi answers a command also while its run is held up, unless that ends the run.
func (p *process) lineHeld(line []byte) {
	running, _, _ := p.worker.State(p.at)
	answers := p.worker.Send(p.at, line, nil)
	if still, _, _ := p.worker.State(p.at); running && !still {
		p.out = append(p.out, answers...)
		return
	}
	for i := range answers {
		p.failed = errors.Join(p.failed, p.do(&answers[i]))
	}
}

// saveSettings saves what lines have changed before more are heard: a session that these begin reads the settings again.
func (p *process) saveSettings(outputs []fakepi.Output) {
	for i := range outputs {
		if change := outputs[i].Setting; change != nil {
			p.settings.Save(*change)
			outputs[i].Setting = nil
		}
	}
}
