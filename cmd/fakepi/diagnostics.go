package main

import (
	"fmt"
	"os"
	"slices"

	"fakepi.example/internal/fakepi/cli/refusal"
)

// diagnostic is something that Pi prints on stderr before it begins.
type diagnostic struct {
	fatal bool // it then does not begin
	text  string
}

// diagnostics are gathered in the order in which Pi prints them.
type diagnostics struct {
	once    bool // nothing is printed twice, as by Pi 1.6
	printed []diagnostic
	pending []diagnostic
	hint    string // printed behind what is fatal
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
	if d.once && (slices.Contains(d.printed, n) || slices.Contains(d.pending, n)) {
		return
	}
	d.pending = append(d.pending, n)
}

// flush prints what has gathered. The error is errReported.
func (d *diagnostics) flush() error {
	err := d.fatal()
	for _, n := range d.pending {
		kind := "Warning: "
		if n.fatal {
			kind = "Error: "
		}
		fmt.Fprintln(os.Stderr, kind+n.text)
	}
	d.dismiss()
	return err
}

// fatal is errReported if something among what has gathered is fatal.
func (d *diagnostics) fatal() error {
	if slices.ContainsFunc(d.pending, func(n diagnostic) bool { return n.fatal }) {
		return refusal.ErrReported
	}
	return nil
}

// dismiss forgets what has gathered, as if it were printed.
func (d *diagnostics) dismiss() { d.printed, d.pending = append(d.printed, d.pending...), nil }
