package main

import (
	"fmt"
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/cli/refusal"
)

// Pi's commands about packages, accounts and servers, none of which a fake has. The accountCommands are of Pi 1.6 alone.
var (
	packageCommands = []string{"install", "remove", "uninstall", "update", "config"}
	accountCommands = []string{"auth", "mcp"}
)

// packageCommand runs a command of pi's that is not about a worker, and reports whether the command line was one.
func packageCommand(args []string, dialect native.Dialect) (bool, error) {
	if len(args) == 0 {
		return false, nil
	}
	name := args[0]
	switch {
	case name == "list":
		fmt.Println("No packages installed.")
		return true, nil
	case slices.Contains(packageCommands, name), dialect == native.Pi16 && slices.Contains(accountCommands, name):
		return true, refusal.UsageError("fakepi has no command " + name + ": it keeps no packages, accounts or servers. As a prompt, write it behind an option, such as -p")
	}
	return false, nil
}
