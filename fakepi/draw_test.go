package fakepi_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// drawScript makes the lines of a worker in rpc mode: some runs of every shape, and now and then an end.
func drawScript(t *rapid.T) string {
	d := drawer{t: t}
	for range rapid.IntRange(1, 3).Draw(t, "runs") {
		if !d.run() {
			break
		}
	}
	return strings.Join(d.lines, "\n") + "\n"
}

type drawer struct {
	t      *rapid.T
	lines  []string
	labels int
}

func (d *drawer) line(format string, args ...any) {
	gap := rapid.SampledFrom([]string{"0s", "1ms", "250ms", "2s", "90s"}).Draw(d.t, "gap")
	d.lines = append(d.lines, "+"+gap+" "+fmt.Sprintf(format, args...))
}

func (d *drawer) at(format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

func (d *drawer) pick(what string, of ...string) string { return rapid.SampledFrom(of).Draw(d.t, what) }

// run draws one run and reports whether the worker goes on.
func (d *drawer) run() bool {
	d.line("prompt \"do it\"")
	for range rapid.IntRange(0, 3).Draw(d.t, "turns") {
		d.turn()
	}
	switch d.pick("end", "settles", "settles", "ends", "refused", "retries", "overflow", "stalls", "wedges", "killed", "exits") {
	case "settles":
		d.reply()
		d.line("settles")
	case "ends":
		d.reply()
		d.line("ends")
		if d.pick("compacts", "yes", "no") == "yes" {
			d.line("compacts runs 30s")
		}
		d.line("settles")
	case "refused":
		d.line("refused %s", d.pick("class", "transient", "auth", "quota", "other"))
		d.line("settles")
	case "retries":
		d.line("refused transient")
		d.at("+0s retries %s", d.pick("delay", "2s", "60s"))
		d.reply()
		d.line("settles")
	case "overflow":
		d.line("refused overflow")
		d.at("+0s compacts overflow runs 3s")
		d.reply()
		d.line("settles")
	case "stalls":
		d.line("stalls")
		return false
	case "wedges":
		d.line("wedges deaf")
		return false
	case "killed":
		d.line("killed SIGKILL")
		return false
	case "exits":
		d.line("exits %s", d.pick("code", "0", "1"))
		return false
	}
	return true
}

// turn draws a turn that leads to another one.
func (d *drawer) turn() {
	if d.pick("text before", "yes", "no") == "yes" {
		d.reply()
	}
	d.labels++
	label := fmt.Sprintf("t%d", d.labels)
	d.line("tool %s \"cmd\" runs %s %s as=%s", d.pick("tool", "bash", "read", "write"), d.pick("runs", "0s", "1s", "40s"),
		d.pick("how", "", "busy", "bursts 700ms", "repeats 700ms gives \"x\"", "fails", "gives \"out\\n\"", "timeout=500ms"), label)
	switch d.pick("beside", "nothing", "parallel", "dialog", "notifies", "steer", "chatter") {
	case "parallel":
		d.at("@%s tool bash \"other\" runs %s", label, d.pick("other", "0s", "3s"))
	case "dialog":
		d.at("@%s asks %s timeout=%s", label, d.pick("method", `confirm "?"`, `select "?" "A" "B"`, `input "?"`), d.pick("timeout", "1s", "5m"))
	case "notifies":
		d.at("@%s notifies \"about to\"", label)
	case "steer":
		d.at("@%s steer \"rather this\"", label)
	case "chatter":
		d.at("@%s chatter %s", label, d.pick("kind", "state", "queue", "name", "level", "stderr"))
	}
	d.at("@%s.end thinks 0s", label)
}

func (d *drawer) reply() {
	switch d.pick("reply", "says", "streams", "thinks", "opens first") {
	case "says":
		d.line("says \"Done.\"")
	case "streams":
		d.line("says \"one two three\" over %s", d.pick("over", "1s", "4m"))
	case "thinks":
		d.line("thinks \"hm hm\" over 1s")
		d.line("says \"Done.\"")
	case "opens first":
		d.line("opens")
		d.line("says \"Done.\"")
	}
}
