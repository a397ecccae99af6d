//go:build unix

package terminal_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"fakepi.example/internal/terminal"
)

// deadline is far beyond what any of these programs needs.
const deadline = time.Minute

// sh starts a shell script on a terminal of 60 columns and 10 rows.
func sh(t *testing.T, script string) *terminal.Program {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	t.Cleanup(cancel)
	return shIn(ctx, t, script)
}

func shIn(ctx context.Context, t *testing.T, script string) *terminal.Program {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = t.TempDir()
	p, err := terminal.Start(ctx, cmd, terminal.Size{Cols: 60, Rows: 10})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func expect(t *testing.T, p *terminal.Program, pattern string) {
	t.Helper()
	if err := p.Expect(pattern); err != nil {
		t.Fatal(err)
	}
}

func send(t *testing.T, p *terminal.Program, keys string) {
	t.Helper()
	if err := p.Send(keys); err != nil {
		t.Fatal(err)
	}
}

func exits(t *testing.T, p *terminal.Program, want string) {
	t.Helper()
	state, err := p.Exit()
	if err != nil {
		t.Fatal(err)
	}
	if state.String() != want {
		t.Errorf("the program ended with %s, want %s", state, want)
	}
}

func TestScreen(t *testing.T) {
	t.Setenv("TERM", "dumb")
	t.Setenv("NO_COLOR", "1")
	tests := []struct{ script, want, reason string }{
		{`printf 'one\ntwo  \n\n'`, "one\ntwo", "what is empty at the ends is left out"},
		{`printf 'busy\r\033[Kdone'`, "done", "what is erased is gone"},
		{`printf '\033[2;3Hx\033[31my\033[0m'`, "\n  xy", "the cursor moves, colors are no text"},
		{`seq 12`, "4\n5\n6\n7\n8\n9\n10\n11\n12", "what scrolls out is gone"},
		{`printf '\033[?2026hhalf'`, "", "an unfinished synchronised frame is not shown"},
		{`stty size`, "10 60", "the size is set"},
		{`echo here >/dev/tty`, "here", "it is the controlling terminal"},
		{`echo $TERM $NO_COLOR`, "xterm-256color", "nothing is told of this process's own terminal"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			p := sh(t, tt.script)
			exits(t, p, "exit status 0")
			if got := p.Screen(); got != tt.want {
				t.Errorf("the screen shows %q, want %q", got, tt.want)
			}
		})
	}
}

// What was there for a moment is found, though the program has ended before it is asked for.
func TestExpectMissesNothing(t *testing.T) {
	p := sh(t, `printf 'one\rtwo\rsix\033[?2026h\rold\r\033[Knew\033[?2026l\r\033[K'`)
	for _, want := range []string{"one", "two", "six", "new"} {
		expect(t, p, "^"+want+"$")
	}
	exits(t, p, "exit status 0")
	if got := p.Screen(); got != "" {
		t.Errorf("the screen shows %q, want nothing", got)
	}
}

func TestExpectFails(t *testing.T) {
	p := sh(t, `printf 'one\rtwo\n'; sed s/x/y/`) // sed waits
	expect(t, p, "two")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	q := shIn(ctx, t, `echo one; cat`)

	send(t, p, "\x04")
	tests := []struct {
		p      *terminal.Program
		want   error
		reason string
	}{
		{p, io.EOF, "it was there, but before"},
		{q, context.Cause(ctx), "the time is over, while the program lives"},
	}
	for _, tt := range tests {
		if err := tt.p.Expect("one"); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.reason, err, tt.want)
		}
	}
	if _, err := q.Exit(); !errors.Is(err, context.Cause(ctx)) {
		t.Errorf("Exit after the time is over: %v, want its cause", err)
	}
	if err := p.Expect("("); err == nil {
		t.Error("a bad pattern is no error")
	}
}

// A program that never falls silent does not put the deadline off.
func TestDeadlineIsTotal(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	p := shIn(ctx, t, `while :; do printf '.\r'; done`)
	if err := p.Expect("never"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}
}

func TestExit(t *testing.T) {
	tests := []struct{ script, keys, want, reason string }{
		{`exit 7`, "", "exit status 7", "the status is the program's"},
		{`echo ready; read x; test "$x" = yes`, "yes\r", "exit status 0", "Enter ends a line"},
		{`echo ready; cat`, "\x04", "exit status 0", "control-D ends the input"},
		{`trap 'exit 6' INT; echo ready; read x`, "\x03", "exit status 6", "control-C interrupts"},
		{`kill -KILL $$`, "", "signal: killed", "an end by signal is told"},
		{`exec >&- 2>&- <&-; exit 3`, "", "exit status 3", "the output may end first"},
		{`seq 2000`, "", "exit status 0", "much output is drawn to its end"},
		{`stty raw -echo; printf '\033[6n'; test "$(head -c 6 | od -An -c | tr -d ' ')" = '033[1;1R'`, "", "exit status 0",
			"the terminal answers where the cursor is"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			p := sh(t, tt.script)
			if tt.keys != "" {
				expect(t, p, "ready")
				send(t, p, tt.keys)
			}
			exits(t, p, tt.want)
		})
	}
}

func TestResize(t *testing.T) {
	p := sh(t, `trap 'stty size; exit 4' WINCH; echo ready; while :; do read x; done`)
	expect(t, p, "ready")
	if err := p.Resize(terminal.Size{Cols: 100, Rows: 30}); err != nil {
		t.Fatal(err)
	}
	exits(t, p, "exit status 4")
	if got, want := p.Screen(), "ready\n30 100"; got != want {
		t.Errorf("the screen shows %q, want %q", got, want)
	}
}

func TestRestored(t *testing.T) {
	tests := []struct{ script, left, reason string }{
		{`echo`, "", "nothing was changed"},
		{`was=$(stty -g); stty raw -echo; stty $was`, "", "the line is as before"},
		{`stty -echo`, "line", "no echo"},
		{`printf '\033[?25l\033[?1049h\033[?2004h\033[?1049l\033[?2004l\033[?25h\0337\0338'`, "", "the screen is as before"},
		{`printf '\033[?25l'`, "25", "the cursor is hidden"},
		{`printf '\033[?2004h'`, "2004", "pasted text is bracketed"},
		{`printf '\033[?1049h'`, "1049", "the alternative screen is shown"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			p := sh(t, tt.script)
			exits(t, p, "exit status 0")
			switch err := p.Restored(); {
			case err == nil && tt.left != "":
				t.Errorf("no error, want one that says %q", tt.left)
			case err != nil && (tt.left == "" || !strings.Contains(err.Error(), tt.left)):
				t.Errorf("got %v, want one that says %q", err, tt.left)
			}
		})
	}
}

func TestLeftBehind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	// Without the trap the terminal's hangup would end the child. It tells by the queue when it has come to stay.
	const child = `sh -c 'echo >queue; read never <queue' & read x <queue`
	for _, how := range []string{"", "setsid "} {
		p := sh(t, `trap '' HUP; mkfifo queue; `+how+child)
		_, err := p.Exit()
		if !errors.Is(err, terminal.ErrLeftBehind) || !strings.Contains(err.Error(), "read never") {
			t.Errorf("%q: got %v, want the child left behind", how, err)
		}
	}
}

func TestNoSuchProgram(t *testing.T) {
	_, err := terminal.Start(t.Context(), exec.Command("/nowhere/program"), terminal.Size{Cols: 80, Rows: 24})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that it does not exist", err)
	}
}
