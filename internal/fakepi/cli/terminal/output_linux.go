package terminal

import "golang.org/x/sys/unix"

// processOutput lets a raw terminal process what is written to it.
func processOutput(fd int) {
	modes, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return
	}
	modes.Oflag |= unix.OPOST | unix.ONLCR
	_ = unix.IoctlSetTermios(fd, unix.TCSETS, modes) // without it lines are ragged, and that is all
}
