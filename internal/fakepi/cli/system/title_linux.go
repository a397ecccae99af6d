package system

import (
	"os"
	"strings"
	"unsafe"
)

// SetTitle gives the process a name in place of its program's and its arguments, as Node does at Pi's start: comm and
// cmdline in /proc then read the name alone. os.Args keeps what it had.
func SetTitle(name string) {
	SetComm(name)
	size := 0
	for _, arg := range os.Args {
		// The kernel shows the memory in which the arguments lie, one behind the other, each with a final NUL.
		if len(arg) > 0 && unsafe.StringData(arg) != (*byte)(unsafe.Add(unsafe.Pointer(unsafe.StringData(os.Args[0])), size)) {
			return // these are no longer those of the kernel
		}
		size += len(arg) + 1
	}
	if size == 0 {
		return
	}
	shown := unsafe.Slice(unsafe.StringData(os.Args[0]), size)
	for i, arg := range os.Args {
		os.Args[i] = strings.Clone(arg)
	}
	clear(shown)
	copy(shown[:size-1], name)
}

// SetComm sets the short name alone.
func SetComm(name string) {
	_ = os.WriteFile("/proc/self/comm", []byte(name), 0o644) // without /proc nobody reads it either
}
