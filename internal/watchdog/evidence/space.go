package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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

// weight is the size of all files in a folder of objects. What is gone by now weighs nothing. A pipe or device there is an
// ErrRepository: git would wait for it.
func weight(dir string) (int64, error) {
	n := int64(0)
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			var info fs.FileInfo
			if info, err = e.Info(); err == nil {
				n += info.Size()
				err = checkPlain(name, e)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return n, err
}

// checkPlain refuses what git would wait for, also by way of a link.
func checkPlain(name string, e fs.DirEntry) error {
	mode := e.Type()
	if mode&fs.ModeSymlink != 0 {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		mode = info.Mode().Type()
	}
	if mode.IsRegular() || mode.IsDir() {
		return nil
	}
	return fmt.Errorf("%w: %s is neither file nor folder: %s", ErrRepository, name, mode)
}

// checkStore refuses a folder of objects in whose lists is what git would wait for.
func checkStore(objects string) error {
	for _, sub := range []string{"info", "pack"} {
		entries, _ := os.ReadDir(filepath.Join(objects, sub))
		for _, e := range entries {
			if err := checkPlain(filepath.Join(objects, sub, e.Name()), e); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
