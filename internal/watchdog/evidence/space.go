package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// room checks that the disk of a path can hold so many bytes, before anything is written (WDC-EVID-007).
func room(path string, bytes int64) error {
	var s syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(path), &s); err != nil {
		return fmt.Errorf("free space of %s: %w", filepath.Dir(path), err)
	}
	if free := int64(s.Bavail) * s.Bsize; free < bytes {
		return fmt.Errorf("%w: %s has %d MiB left, %d MiB are needed; free some, or name a folder on another disk",
			ErrNoSpace, filepath.Dir(path), free>>20, bytes>>20+1)
	}
	return nil
}

// weight is the size of all files in a folder. What is gone by now weighs nothing.
func weight(dir string) (int64, error) {
	n := int64(0)
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				n += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return n, err
}
