package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// diagnostic is something that Pi tells on stderr before it begins.
type diagnostic struct {
	fatal bool // it then does not begin
	text  string
}

// diagnostics are gathered in the order in which Pi tells them.
type diagnostics struct {
	once   bool // nothing is told twice, as by Pi 1.6
	told   []diagnostic
	untold []diagnostic
	hint   string // told behind what is fatal
}

func (d *diagnostics) warn(text string) { d.add(diagnostic{text: text}) }
func (d *diagnostics) fail(text string) { d.add(diagnostic{fatal: true, text: text}) }

// warnAll warns of several things.
func (d *diagnostics) warnAll(texts []string) {
	for _, text := range texts {
		d.warn(text)
	}
}

func (d *diagnostics) add(n diagnostic) {
	if d.once && (slices.Contains(d.told, n) || slices.Contains(d.untold, n)) {
		return
	}
	d.untold = append(d.untold, n)
}

// errTold: Pi does not begin, and has told why.
var errTold = errors.New("told")

// tell tells what has gathered. The error is errTold.
func (d *diagnostics) tell() error {
	err := d.fatal()
	for _, n := range d.untold {
		kind := "Warning: "
		if n.fatal {
			kind = "Error: "
		}
		fmt.Fprintln(os.Stderr, kind+n.text)
	}
	d.dismiss()
	return err
}

// fatal is errTold if something among what has gathered is fatal.
func (d *diagnostics) fatal() error {
	if slices.ContainsFunc(d.untold, func(n diagnostic) bool { return n.fatal }) {
		return errTold
	}
	return nil
}

// dismiss leaves untold what has gathered.
func (d *diagnostics) dismiss() { d.told, d.untold = append(d.told, d.untold...), nil }
