//go:build !linux

package system

// setTitle does nothing: these systems show a program by its file.
func setTitle(string) {}

func setComm(string) {}
