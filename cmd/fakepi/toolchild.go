package main

import (
	"encoding/gob"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/cli/system"
	"fakepi.example/internal/fakepi/effects"
	"fakepi.example/internal/fakepi/ledger"
)

// The process of a bash tool is this program again, in a session of its own, which looks like a shell. It does what its
// worker tells it over a socket, a [toolOrder] each, and answers with a [toolAnswer]. When the worker has gone it does the
// rest of its plan by itself, as a real shell does.

// toolEnv tells a process that it is one of a tool, and which.
const toolEnv = "FAKEPI_TOOL_PROCESS"

const (
	toolShell  = "shell"
	toolLeaves = "leaves" // a shell that goes at once and leaves a descendant behind, which holds its output
)

// toolSocket is the descriptor of the socket to the worker.
const toolSocket = 3

// toolPlan is what a tool's process does by itself. Times are real, since its start.
type toolPlan struct {
	Dir        string
	Call       string
	Kind       script.Child
	Busy       time.Duration // how long one of kind busy uses CPU
	Effects    []timedEffect
	End        time.Duration // if Ends
	Ends       bool
	Ledger     string
	Generation int
}

type timedEffect struct {
	At     time.Duration
	Effect fakepi.Effect
}

// toolOrder is what the worker wants: at first the plan, then effects, and maybe an end.
type toolOrder struct {
	Plan   *toolPlan
	Effect *fakepi.Effect
	Over   bool
}

// toolAnswer tells what comes of an effect.
type toolAnswer struct {
	Command bool   // it is about one
	Printed []byte // by a command that runs
	Code    int    // of one that has ended
	Failed  string // why another effect came to nothing
	Change  effects.Change
}

// longestOrphan bounds the life of a process that would never end, once its worker has gone.
const longestOrphan = time.Hour

// toolProcess is one process of a tool.
type toolProcess struct {
	plan  toolPlan
	start time.Time
	tree  *effects.Tree
	log   *ledger.Log

	answers sync.Mutex
	out     *gob.Encoder
	running sync.WaitGroup // commands
}

// runToolProcess is the main function of a tool's process. It returns the exit status.
func runToolProcess(kind string) int {
	system.SetComm("bash")
	os.Unsetenv(toolEnv)
	p := &toolProcess{start: time.Now()}
	unix.CloseOnExec(toolSocket) // commands do not get it
	socket := os.NewFile(toolSocket, "worker")
	if kind == toolLeaves {
		return p.leave(socket)
	}
	in := gob.NewDecoder(socket)
	var first toolOrder
	if err := in.Decode(&first); err != nil || first.Plan == nil {
		return 1 // the worker has gone before it said anything
	}
	p.plan, p.out = *first.Plan, gob.NewEncoder(socket)
	if err := p.open(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p.live()
	for {
		var order toolOrder
		if err := in.Decode(&order); err != nil {
			break
		}
		if order.Over {
			return 0
		}
		p.obey(order)
	}
	p.goOn()
	return 0
}

// leave starts the process that holds the shell's output when the shell has gone.
func (p *toolProcess) leave(socket *os.File) int {
	cmd, err := toolCommand(toolShell, ".")
	if err != nil {
		return 1
	}
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = os.Stdout, os.Stderr, []*os.File{socket}
	if cmd.Start() != nil {
		return 1
	}
	return 0
}

func (p *toolProcess) open() (err error) {
	if p.tree, err = effects.Open(p.plan.Dir); err != nil {
		return err
	}
	if p.plan.Ledger != "" {
		p.log, err = ledger.Join(p.plan.Ledger, p.plan.Generation)
	}
	return err
}

// live begins what the process does all the time.
func (p *toolProcess) live() {
	switch p.plan.Kind {
	case script.ChildBusy:
		go system.Burn(p.plan.Busy)
	case script.ChildTTY:
		if user, terminal, err := pty.Open(); err == nil {
			terminal.Fd() // it then blocks in the system call, as a program does that asks
			go func() {
				_, _ = terminal.Read(make([]byte, 1)) // nobody ever types
				runtime.KeepAlive(user)
			}()
		}
	}
}

// obey carries out an effect. A command runs beside what follows.
func (p *toolProcess) obey(o toolOrder) {
	if len(p.plan.Effects) > 0 {
		p.plan.Effects = p.plan.Effects[1:]
	}
	if o.Effect.Kind != script.EffectRun {
		a := act(p.tree, o.Effect)
		noteEffect(p.log, o.Effect, 0, a.Failed)
		p.answer(a)
		return
	}
	p.running.Go(func() { p.command(o.Effect) })
}

func (p *toolProcess) answer(a toolAnswer) {
	p.answers.Lock()
	defer p.answers.Unlock()
	_ = p.out.Encode(a) // the worker may have gone: then nobody asks
}

// command runs a command and tells of it.
func (p *toolProcess) command(e *fakepi.Effect) {
	code := p.tree.Run(e.Command, func(output []byte) { p.answer(toolAnswer{Command: true, Printed: output}) })
	noteEffect(p.log, e, code, "")
	p.answer(toolAnswer{Command: true, Code: code})
}

// act does an effect that is no command.
func act(tree *effects.Tree, e *fakepi.Effect) (a toolAnswer) {
	var err error
	if a.Change, err = tree.Do(*e); err != nil {
		a.Failed = err.Error()
	}
	return a
}

func noteEffect(log *ledger.Log, e *fakepi.Effect, code int, failed string) {
	_ = log.Append(&ledger.Effect{
		What: string(e.Kind), Call: e.Call, Path: e.Path, Remote: e.Remote, Command: e.Command, Code: code, Error: failed,
	}) // the effect has happened all the same
}

// goOn is the life of a process without a worker: the rest of its plan.
func (p *toolProcess) goOn() {
	for _, e := range p.plan.Effects {
		time.Sleep(e.At - time.Since(p.start))
		p.obey(toolOrder{Effect: &e.Effect})
	}
	p.running.Wait()
	if !p.plan.Ends {
		time.Sleep(longestOrphan)
	}
	time.Sleep(p.plan.End - time.Since(p.start))
}

// toolCommand is this program as a tool's process.
func toolCommand(kind, dir string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), toolEnv+"="+kind)
	return cmd, nil
}
