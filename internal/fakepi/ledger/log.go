package ledger

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

// Log appends to a ledger. Several processes may append to one file. A nil Log writes nothing.
type Log struct {
	file       *os.File
	pid        int
	generation int
	mu         sync.Mutex // so that records stand in the order of their stamps
}

// ErrNoFile: what is written down must be found again.
var ErrNoFile = errors.New("no file that can be read again")

// ErrForeign: the file holds something else, to which nothing is appended.
var ErrForeign = errors.New("this file is no ledger; name a new file, or an empty one")

// ErrCounter: the file that counts generations holds no number.
var ErrCounter = errors.New("no number of generations")

// Open opens a ledger, creating it if there is none, and writes the start of the next generation. Generations are
// counted in a file beside it, path.lock, under a lock.
func Open(path string, start *Start) (*Log, error) {
	file, err := openFile(path)
	if err != nil {
		return nil, err
	}
	l := &Log{file: file, pid: os.Getpid()}
	if err := l.begin(path, start); err != nil {
		file.Close()
		return nil, err
	}
	return l, nil
}

func (l *Log) begin(path string, start *Start) error {
	lock := flock.New(path+".lock", flock.SetFlag(os.O_CREATE|os.O_RDWR))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	defer lock.Close()
	var err error
	if l.generation, err = next(lock.Path(), l.file); err != nil {
		return err
	}
	if err := endLine(path, l.file); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return l.Append(start)
}

// endLine ends a last line that has broken off, as on a full disk, so that only that one is lost.
func endLine(path string, ledger *os.File) error {
	read, err := os.Open(path)
	if err != nil {
		return err
	}
	defer read.Close()
	info, err := read.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := read.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = ledger.Write([]byte("\n"))
	return err
}

// Join opens a ledger for a process that a worker of a generation has started.
func Join(path string, generation int) (*Log, error) {
	file, err := openFile(path)
	if err != nil {
		return nil, err
	}
	return &Log{file: file, pid: os.Getpid(), generation: generation}, nil
}

func openFile(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("ledger: %s: %w", path, ErrNoFile)
	}
	if err := checkHeader(path); err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	return file, nil
}

// header begins every ledger: its first record is a start.
const header = `{"kind":"start",`

// checkHeader refuses a file that holds something other than a ledger. A first record that has broken off is one of its own.
func checkHeader(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	head := make([]byte, len(header))
	n, err := io.ReadFull(file, head)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return err
	}
	if first, _, _ := strings.Cut(string(head[:n]), "\n"); first != "" && strings.HasPrefix(header, first) {
		return nil
	}
	return fmt.Errorf("%s: %w", path, ErrForeign)
}

// next counts a generation; an empty ledger begins with 1. The number has a fixed width, so that a process that is killed
// here leaves the old one or the new one.
func next(counter string, ledger *os.File) (int, error) {
	file, err := os.OpenFile(counter, os.O_RDWR, 0)
	if err != nil {
		return 0, fmt.Errorf("ledger: %w", err)
	}
	defer file.Close()
	n, err := count(file, ledger)
	if err == nil {
		n++
		_, err = file.WriteAt(fmt.Appendf(nil, "%020d\n", n), 0)
	}
	if err != nil {
		return 0, fmt.Errorf("ledger: %s: %w", counter, err)
	}
	return n, nil
}

// count is how many generations there have been.
func count(counter, ledger *os.File) (int, error) {
	info, err := ledger.Stat()
	if err != nil || info.Size() == 0 {
		return 0, err
	}
	text, err := io.ReadAll(counter)
	if err != nil || len(text) == 0 {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || n < 0 {
		return 0, ErrCounter
	}
	return n, nil
}

// Generation is the number of this start; 1 without a ledger.
func (l *Log) Generation() int {
	if l == nil {
		return 1
	}
	return l.generation
}

// Append writes one record in one write.
func (l *Log) Append(e Event) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	line, err := marshal(Record{l.stamp(), e})
	if err == nil {
		_, err = l.file.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

func (l *Log) stamp() Stamp {
	return Stamp{
		PID: l.pid, Generation: l.generation,
		Mono: clock(unix.CLOCK_MONOTONIC), Boot: clock(bootClock), Wall: time.Now().UTC(),
	}
}

// clock reads a clock of the host.
func clock(id int32) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(id, &t) != nil {
		return 0 // no such clock
	}
	return time.Duration(t.Nano())
}
