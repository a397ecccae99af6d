package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"fakepi.example/internal/watchdog/observe"
	"fakepi.example/watchdog"
)

// printText prints one line a change; where there are several files, each has a heading.
func printText(out io.Writer, several bool) func(observe.Change) error {
	file := ""
	return func(c observe.Change) error {
		heading := ""
		if several && c.File != file {
			heading = c.File + "\n"
			if file != "" {
				heading = "\n" + heading
			}
			file = c.File
		}
		line := fmt.Sprintf("%12s  %-20s  %-9s  %s", clock(c.Time), c.Phase, c.Status, strings.Join(because(&c), ", "))
		_, err := fmt.Fprintln(out, heading+strings.TrimRight(line, " "))
		return err
	}
}

// because says why a verdict was given, and what it is about.
func because(c *observe.Change) []string {
	var out []string
	add := func(given bool, format string, args ...any) {
		if given {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	d, numbers := &c.Detail, strings.Trim(fmt.Sprint(c.Evidence), "[]")
	past := c.Status != watchdog.StatusOK && c.Cause.Limit != watchdog.LimitNone
	add(past, "since %s", clock(c.Since))
	add(past, "limit %s", c.Cause.Limit)
	add(c.Cause.Phase != c.Phase && (!past || c.Phase == watchdog.VerdictInconclusive), "while %s", c.Cause.Phase)
	add(len(d.Calls) > 0, "%s", strings.Join(d.Calls, " "))
	add(d.DeadChain, "its processes are gone")
	add(d.Holder > 0, "pid %d holds its pipe", d.Holder)
	add(d.Terminal > 0, "pid %d reads a terminal", d.Terminal)
	add(d.Dialog != "", "dialog %s", d.Dialog)
	add(d.Credential != "", "credential %s", d.Credential)
	add(!d.Until.IsZero(), "until %s", d.Until.UTC().Format(time.RFC3339))
	add(d.Reason != "", "reason %s", d.Reason)
	for _, f := range c.Flags {
		add(true, "%s", f)
	}
	add(len(c.Evidence) == 1, "line %s", numbers)
	add(len(c.Evidence) > 1, "lines %s", numbers)
	return out
}

// clock spells a time of a recording as minutes, or hours and minutes, seconds and milliseconds.
func clock(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond)).Round(time.Millisecond)
	minutes, rest := d/time.Minute, d%time.Minute
	seconds, milli := rest/time.Second, rest%time.Second/time.Millisecond
	if minutes < 60 {
		return fmt.Sprintf("%d:%02d.%03d", minutes, seconds, milli)
	}
	return fmt.Sprintf("%d:%02d:%02d.%03d", minutes/60, minutes%60, seconds, milli)
}
