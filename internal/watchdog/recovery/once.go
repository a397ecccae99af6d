package recovery

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// Registry is a folder of the owner's, outside of all cases, in which it stands which approvals were used and which worktree
// somebody works in. A case can be copied; its approvals are used once all the same.
type Registry string

// DefaultRegistry is piwatch in the XDG folder for state.
func DefaultRegistry() (Registry, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return Registry(filepath.Join(dir, "piwatch", "recovery")), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("%w: %w; set XDG_STATE_HOME to a folder of yours", ErrPlan, err)
	}
	return Registry(filepath.Join(home, ".local", "state", "piwatch", "recovery")), nil
}

// use is the record of an approval that was used.
type use struct {
	Case   string `json:"case"`
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
}

// useOnce records that an approval is used by a case, before the act. The same case may use it again: after an interruption it
// goes on under the same approval.
func (r Registry) useOnce(a *Approval, folder string) error {
	mine := use{Case: folder}
	var err error
	if mine.Device, mine.Inode, err = fileID(folder); err != nil {
		return fmt.Errorf("%w: %w", ErrApproval, err)
	}
	name := filepath.Join(string(r), "used", digestName(a.Signature)+".json")
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return fmt.Errorf("%w: %w", ErrApproval, err)
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		line, err := json.Marshal(mine)
		if err != nil {
			return err
		}
		return renameio.WriteFile(name, append(line, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrApproval, err)
	}
	var before use
	if err := json.Unmarshal(data, &before); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrApproval, name, err)
	}
	if before != mine {
		return fmt.Errorf("%w: it was used already, by the case %s; make a new plan", ErrApproval, before.Case)
	}
	return nil
}

// lock makes this the only apply in a worktree, whatever its case.
func (r Registry) lock(worktree string) (unlock func(), err error) {
	name := filepath.Join(string(r), "locks", digestName(worktree)+".lock")
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPlan, err)
	}
	l := flock.New(name)
	switch alone, err := l.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrPlan, err)
	case !alone:
		return nil, fmt.Errorf("%w in the worktree %s; wait until it has ended", ErrBusy, worktree)
	}
	return func() { _ = l.Unlock() }, nil // the end of the process would do it, too
}

func digestName(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:16])
}
