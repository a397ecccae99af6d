//go:build !linux

package terminal

// processOutput does nothing where it is not known how.
func processOutput(int) {}
