// Package scenarios is the matrix: what may happen to a worker, and what a watchdog must then say and do. A scenario is
// one .txtar file, a header and a timeline of one-line steps in the language of package script, embedded here.
//
//	id       stall/silent-after-tool
//	title    The tool ends and the model never speaks again
//	requires WDC-STALL-002 WDC-EXPL-002
//	policy   first_token=90s confirmations=2
//
//	0s       w1 spawn
//	+0s      w1 prompt "tidy the imports"
//	+2s      w1 tool bash "ls" runs 400ms            as=tool
//	+0s      w1 stalls
//	expect   slow_first_token w1 within @tool.end+first_token..+2m
//	race     @abort w1 says "late token"
//	crash    every
//	twin     from tool
//	         @tool.end+first_token-1s  w1 says "Done."
//	         +0s                       w1 settles
//
// The twin is the same story with a healthy end: its steps take the place of all that stands below the label's line.
// Parse is strict: a file that could mean nothing, or never fail, is an error with line and column.
package scenarios

import (
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/watchdog"
)

// Scenario is one file of the matrix.
type Scenario struct {
	Pos      script.Pos // of the id line
	ID       string     // "stall/silent-after-tool": the file's path without its ending
	Title    string
	Family   string   // a code of Families
	Requires []string // ids of requirements, "WDC-STALL-002"
	Profile  string   // one of Profiles
	Features []string // what a subject must have declared
	Spawner  watchdog.Spawner
	Dialects []string // those of Dialects that can show it; empty: all
	Why      string   // the others cannot; empty where all can
	Renames  []Rename // of records: the workers write a dialect that nobody knows
	Note     string

	Settings []Setting                // the policy line, in its order
	Policy   watchdog.Policy          // the default policy with Settings
	Limits   map[string]time.Duration // its durations by name

	Timeline []script.Step // resolved, in order of time
	Expects  []Expect
	Races    []Race
	Crash    *Crash // nil: none
	Twin     *Twin  // nil: NoTwin says why
	NoTwin   string
	Files    map[string][]byte // payload files by name
	Horizon  time.Duration     // until when the base history is played

	Source []byte
}

// The profiles that a scenario belongs to where watchdogs need not act. Each holds the one before it.
const (
	ProfileBasic = "basic" // a first watchdog: one worker of a known dialect, on a held stdout
	ProfileCore  = "core"  // the default
)

// Profiles lists the profiles that a scenario can belong to, the smallest first.
func Profiles() []string {
	return []string{ProfileBasic, ProfileCore, "explain", "recovery", "durable", "gated", "fleet", "realtime"}
}

// Acts reports whether the scenario is for watchdogs that act: they have durable state, and what they command has effects.
func (s *Scenario) Acts() bool {
	return s.Profile != ProfileBasic && s.Profile != ProfileCore && s.Profile != "explain"
}

// Rename gives a type of records another name, which no dialect has.
type Rename struct{ From, To string }

// Setting is one word of the policy line: a limit, for the workers, models and tools that are named.
type Setting struct {
	Name, Value         string
	Worker, Model, Tool string // empty: all
}

// Expect is what a subject must say or do, or must never.
type Expect struct {
	Pos       script.Pos
	Never     bool
	Alts      []string // any of them will do: verdict names, command kinds, Told
	Worker    string   // empty: any
	HasWindow bool
	From, To  time.Duration   // of the window, both included; the whole history without one
	Cause     string          // a verdict name, phase or limit that the cause must name; empty: any
	Status    watchdog.Status // of the verdict; empty: any
}

// Told is the alternative that the owner is told, by whatever command.
const Told = "told"

// Race is a step to be played just before, at and just after an anchor, in histories beside the base history.
type Race struct {
	Step   script.Step // not resolved: its Time names the anchor, whose instant a history tells
	Anchor string      // a label, or a kind of command
	End    bool        // the label's end
	OnAct  bool        // the anchor is a kind of command
}

// Crash says where the watchdog is to crash, in histories beside the base history.
type Crash struct {
	Pos   script.Pos
	Every bool     // at every boundary
	At    []string // at these labels or kinds of commands
}

// Twin is the same story with a healthy end.
type Twin struct {
	Pos      script.Pos
	From     string
	Timeline []script.Step // complete: what stands above From's end in the scenario, then the twin's own steps
	Expects  []Expect
	Horizon  time.Duration
}
