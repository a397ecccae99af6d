package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// explained says of mutants that live why nothing can kill them, by their ids.
type explained map[string]string

// readExplained reads a file of explanations: lines with the ids of mutants, then indented lines with the reason for all of
// these; lines that begin with # are for people.
func readExplained(file string) (explained, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return explained{}, nil
	}
	if err != nil {
		return nil, err
	}
	all, reasoned := explained{}, true
	var group []string
	for i, line := range strings.Split(string(data), "\n") {
		switch reason := strings.TrimSpace(line); {
		case reason == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, "\t"):
			if _, again := all[line]; again {
				return nil, fmt.Errorf("%s:%d: %s stands there twice", file, i+1, line)
			}
			if reasoned {
				group, reasoned = nil, false
			}
			group, all[line] = append(group, line), ""
		case len(group) == 0:
			return nil, fmt.Errorf("%s:%d: a reason without a mutant above it", file, i+1)
		default:
			reasoned = true
			for _, id := range group {
				all[id] = strings.TrimSpace(all[id] + " " + reason)
			}
		}
	}
	for id, reason := range all {
		if reason == "" {
			return nil, fmt.Errorf("%s: %s has no reason; say below it, indented, why nothing can kill it", file, id)
		}
	}
	return all, nil
}
