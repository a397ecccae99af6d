//go:build unix

// Package terminal drives a program as a person does: on a terminal of its own, by what the screen shows and by keys.
//
// A Program is read all the time, so it never waits for its reader; the screen that the caller sees advances only as far as
// Expect and Exit need. What was shown for a moment is therefore found, however late the caller asks for it.
package terminal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/Netflix/go-expect"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Size is that of a terminal, in characters.
type Size struct{ Cols, Rows int }

// Program is a program on a terminal. It is for one goroutine.
type Program struct {
	ctx     context.Context
	cmd     *exec.Cmd
	mark    string // stands in the environment of the program and of whatever it starts
	console *expect.Console
	fd      int // of the console; its Fd method would make it blocking each time
	found   *term.State
	screen  *screen
	out     *output
	exited  chan struct{} // closed when cmd.ProcessState and left are known
	left    error         // what outlived the program
}

// Start starts cmd in a session of its own, with a new terminal as its controlling terminal and standard input, and as
// whatever of standard output and error cmd leaves open. The context bounds the program's whole life: when it is done,
// Expect and Exit return. The caller must call Close.
//
// So that no screen depends on who runs it, the environment has TERM, LANG, PATH and what cmd.Env adds, nothing else.
func Start(ctx context.Context, cmd *exec.Cmd, size Size) (*Program, error) {
	p := &Program{
		ctx: ctx, cmd: cmd, mark: markName + "=" + rand.Text(),
		screen: newScreen(size), out: newOutput(), exited: make(chan struct{}),
	}
	console, err := expect.NewConsole(expect.WithStdout(p.out))
	if err != nil {
		return nil, fmt.Errorf("no terminal: %w", err)
	}
	p.console, p.fd = console, int(console.Fd())
	if err = p.prepare(size); err == nil {
		err = p.launch()
	}
	if err != nil {
		p.release()
		return nil, err
	}
	// One call for the console's whole life: the only matcher is the end, so no output is matched twice.
	go func() {
		_, _ = console.ExpectEOF()
		p.out.end()
	}()
	go p.screen.answer(console)
	go func() {
		_ = cmd.Wait() // how it ended is in cmd.ProcessState
		// What holds the terminal would keep the output from ending.
		p.left = killMarked(p.mark)
		close(p.exited)
	}()
	return p, nil
}

// prepare gives the terminal its size and takes down its modes.
func (p *Program) prepare(size Size) (err error) {
	// A blocking read would keep Close from taking effect.
	if err := syscall.SetNonblock(p.fd, true); err != nil {
		return fmt.Errorf("terminal: %w", err)
	}
	if err := p.setSize(size); err != nil {
		return err
	}
	if p.found, err = term.GetState(p.fd); err != nil {
		return fmt.Errorf("terminal modes: %w", err)
	}
	return nil
}

func (p *Program) launch() error {
	tty := p.console.Tty()
	defer tty.Close() // else there is no end of the output
	p.cmd.Stdin = tty
	if p.cmd.Stdout == nil {
		p.cmd.Stdout = tty
	}
	if p.cmd.Stderr == nil {
		p.cmd.Stderr = tty
	}
	p.cmd.Env = append([]string{"TERM=xterm-256color", "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH"), p.mark}, p.cmd.Env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	// A signal that this process ignores (as in the background of a script) the program would ignore, too; one that it
	// catches is as new.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP)
	defer signal.Stop(caught)
	return p.cmd.Start()
}

// Screen returns what the screen shows, without the spaces and empty lines that end it.
func (p *Program) Screen() string { return p.screen.text() }

// Printed returns all that was printed so far as it came, control sequences included. Bytes that are no UTF-8 are U+FFFD.
func (p *Program) Printed() string { return p.out.all() }

// Expect advances the screen until it matches the regular expression, in which ^ and $ stand for the ends of a line; not at
// all if it does already. The error tells the screen, and is io.EOF if the output ends without a match, or the cause of the
// context's end.
func (p *Program) Expect(pattern string) error {
	re, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		return err
	}
	for !re.MatchString(p.Screen()) {
		if err := p.advance(); err != nil {
			return fmt.Errorf("the screen never matched %q: %w; it shows:\n%s", pattern, err, p.Screen())
		}
	}
	return nil
}

// advance draws the next step of what the program prints, and waits for it if need be. After the last one it returns
// io.EOF.
func (p *Program) advance() error {
	for p.ctx.Err() == nil {
		step, ended := p.out.next()
		if len(step) > 0 {
			p.screen.draw(step)
			return nil
		}
		if ended {
			return io.EOF
		}
		select {
		case <-p.out.news:
		case <-p.ctx.Done():
		}
	}
	return context.Cause(p.ctx)
}

// Send types keys: Enter is "\r", control-C is "\x03".
func (p *Program) Send(keys string) error {
	_, err := p.console.Send(keys)
	return err
}

// Resize changes the size of the terminal, of which the program is told by SIGWINCH.
func (p *Program) Resize(size Size) error {
	p.screen.Resize(size.Cols, size.Rows)
	return p.setSize(size)
}

func (p *Program) setSize(size Size) error {
	err := unix.IoctlSetWinsize(p.fd, unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(size.Cols), Row: uint16(size.Rows)})
	if err != nil {
		return fmt.Errorf("terminal size: %w", err)
	}
	return nil
}

// Signal sends the program a signal.
func (p *Program) Signal(s syscall.Signal) error { return p.cmd.Process.Signal(s) }

// HangUp takes the terminal away from the program, as a closed window does. What it has not drawn by then is lost, and
// [Program.Restored] has nothing to look at.
func (p *Program) HangUp() error { return p.console.Close() }

// Exit waits until the program has ended and all that it printed is on the screen. The error is ErrLeftBehind if a process
// that it had started outlived it (and was killed), or the cause of the context's end.
func (p *Program) Exit() (*os.ProcessState, error) {
	var err error
	for err == nil {
		err = p.advance()
	}
	if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("no end: %w; the screen shows:\n%s", err, p.Screen())
	}
	select {
	case <-p.exited:
		return p.cmd.ProcessState, p.left
	case <-p.ctx.Done(): // it has closed its terminal and lives on
		return nil, fmt.Errorf("no end: %w", context.Cause(p.ctx))
	}
}

// ErrLine says that the modes of the line are not as they were.
var ErrLine = errors.New("the modes of the line")

// Restored returns an error that names what the program left otherwise than it had found it: modes of the line (such as
// echo), which are ErrLine, and of the screen (such as a hidden cursor).
func (p *Program) Restored() error {
	now, err := term.GetState(p.fd)
	if err != nil {
		return fmt.Errorf("terminal modes: %w", err)
	}
	if *now != *p.found {
		err = fmt.Errorf("%w are %+v, were %+v", ErrLine, *now, *p.found)
	}
	return errors.Join(err, p.screen.restored())
}

// Close kills the program and all that it started, if they still live, and releases the terminal.
func (p *Program) Close() {
	select {
	case <-p.exited: // its number may be another's by now
	default:
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.exited
	}
	p.release()
}

func (p *Program) release() {
	_ = p.console.Close()
	p.screen.close()
}
