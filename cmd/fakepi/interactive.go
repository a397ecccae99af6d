package main

import (
	"errors"

	"fakepi.example/fakepi"
)

var errInteractive = errors.New("fakepi has no interactive mode; use --mode rpc, --mode json or --print")

// runInteractive plays a worker in the terminal that stdin and stdout are, until it exits.
func runInteractive(*process) (fakepi.Exit, error) { return fakepi.Exit{Code: 1}, errInteractive }
