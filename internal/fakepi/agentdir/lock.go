package agentdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How Pi takes the lock of a file: it tries some times, and breaks a lock that nobody has touched for long.
const (
	lockTries = 10
	lockPause = 20 * time.Millisecond
	lockStale = 10 * time.Second
)

//lint:ignore ST1005 the text is that of the library which Pi has
var errLocked = errors.New("Lock file is already being held")

// locked does something with a file under the lock that Pi takes: a folder beside it. The error of the lock is in Node's
// words.
func locked(file string, do func() error) error {
	lock := file + ".lock"
	for try := 1; ; try++ {
		err := takeLock(lock)
		if err == nil {
			break
		}
		if !errors.Is(err, errLocked) || try == lockTries {
			return err
		}
		time.Sleep(lockPause)
	}
	return errors.Join(do(), os.Remove(lock))
}

func takeLock(lock string) error {
	err := os.Mkdir(lock, 0o777)
	if info, statErr := os.Stat(lock); errors.Is(err, fs.ErrExist) && statErr == nil && time.Since(info.ModTime()) > lockStale {
		if err := os.Remove(lock); err != nil {
			return errLocked
		}
		err = os.Mkdir(lock, 0o777)
	}
	var code syscall.Errno
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return errLocked
	case errors.As(err, &code):
		return fmt.Errorf("%s: %w, mkdir '%s'", unix.ErrnoName(code), code, lock)
	}
	return err
}
