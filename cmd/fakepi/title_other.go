//go:build !linux

package main

// setTitle does nothing: these systems show a program by its file.
func setTitle(string) {}

func setComm(string) {}
