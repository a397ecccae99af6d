//go:build unix

package recovery

import (
	"fmt"
	"os"
	"syscall"
)

// fileID tells a folder from a copy of it.
func fileID(path string) (device, inode uint64, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, fmt.Errorf("%s: its system has no inodes", path)
	}
	return uint64(stat.Dev), stat.Ino, nil
}
