package recovery

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// readRegular reads a file. A pipe, a socket or a device, which could wait or never end, is refused without being waited for.
func readRegular(path string) ([]byte, os.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if err := regular(path, info); err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(f)
	return data, info, err
}

// regular refuses what is no regular file.
func regular(path string, info os.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	kind := "a special file"
	switch m := info.Mode(); {
	case m.IsDir():
		kind = "a folder"
	case m&os.ModeNamedPipe != 0:
		kind = "a pipe"
	case m&os.ModeSocket != 0:
		kind = "a socket"
	case m&os.ModeDevice != 0:
		kind = "a device"
	}
	return fmt.Errorf("%s is %s; name a regular file", path, kind)
}
