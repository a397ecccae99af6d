package recovery

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"fakepi.example/internal/watchdog/evidence"
)

// AskLimit is how long the owner's tracker or command may take to answer a question.
const AskLimit = evidence.DefaultWait

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 1 << 20

var errAnswer = fmt.Errorf("it printed more than %d bytes", maxAnswer)

// ask runs a command of the owner's, without a shell, and returns what it prints. When the context ends, the command
// ends with all that it has started.
func ask(ctx context.Context, command []string) ([]byte, error) {
	out, stderr := limited{left: maxAnswer}, limited{left: 4096, drop: true}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch said := strings.TrimSpace(stderr.kept.String()); {
	case out.left < 0:
		return nil, fmt.Errorf("%s: %w", command[0], errAnswer)
	case err == nil:
		return out.kept.Bytes(), nil
	case said != "":
		return nil, fmt.Errorf("%s: %w: %s", command[0], err, cut(said, 200))
	}
	return nil, fmt.Errorf("%s: %w", command[0], err)
}

// limited takes so many bytes. What is more is dropped, or is an error.
type limited struct {
	kept bytes.Buffer
	left int
	drop bool
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left && !l.drop {
		l.left = -1
		return 0, errAnswer
	}
	n := min(len(p), l.left)
	l.left -= n
	l.kept.Write(p[:n])
	return len(p), nil
}
