package main

import (
	"os"
	"syscall"

	"fakepi.example/fakepi/native"
	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/agentdir"
)

// launchRules are how a dialect's Pi starts: what it reads, and what it says of that.
type launchRules struct {
	version string

	stdoutForInfo bool // the version and the page of an export are told on stdout in any mode
	infoOnStderr  bool // what is printed without a session goes to stderr also where no mode is named
	opensForInfo  bool // a session is opened even if only information is asked for

	reportsAtOnce bool // warnings are printed as they come up; damaged settings are then not fatal
	readsTwice    bool // settings are read once more, and told of
	quietTerminal bool // in a terminal nothing is said where it begins
	problem       func(p agentdir.SettingsProblem, during string) string
	warnsReread   bool // of settings that have become damaged

	asksTrust       bool     // the settings of a working directory count only where it is trusted
	needsAccounts   bool     // models whose accounts cannot be used are not asked
	failsOnNull     bool     // an auth.json of null
	noModelsWarning bool     // that there is no model to ask
	agentFiles      []string // made in Pi's own folder
	contextNames    []string // of a file with instructions for a project, of which the first in a folder counts
	contextRegular  bool     // such a file is a regular one

	terminalSignals []os.Signal // that it handles in a terminal beside the usual
}

// laterContextNames are the names of files with instructions, the first of which one Pi does not know.
var laterContextNames = []string{"AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"}

// launchRulesOf are the rules of a dialect; ok is false for one that there is not.
func launchRulesOf(dialect native.Dialect) (r launchRules, ok bool) {
	switch dialect {
	case native.Pi16:
		return launchRules{
			version: "1.6.0", stdoutForInfo: true, quietTerminal: true, warnsReread: true,
			problem: func(p agentdir.SettingsProblem, _ string) string {
				return "Invalid settings file " + p.File + ": " + p.Why
			},
			asksTrust: true, needsAccounts: true, noModelsWarning: true,
			agentFiles: []string{"auth.json", "models-store.json"}, contextNames: laterContextNames, contextRegular: true,
			terminalSignals: []os.Signal{syscall.SIGCONT, syscall.SIGTSTP},
		}, true
	case native.Pi073:
		return launchRules{
			version: "0.73.1", infoOnStderr: true, opensForInfo: true, reportsAtOnce: true, readsTwice: true,
			problem: func(p agentdir.SettingsProblem, during string) string {
				return "(" + during + ", " + p.Scope + " settings) " + p.Why
			},
			failsOnNull: true, agentFiles: []string{"auth.json"}, contextNames: laterContextNames[1:],
			terminalSignals: []os.Signal{syscall.SIGCONT},
		}, true
	}
	return launchRules{}, false
}

// terminalSignals are those that Pi handles beside the usual in this mode.
func (l *launch) terminalSignals() []os.Signal {
	if l.mode != script.ModeTUI {
		return nil
	}
	return l.rules.terminalSignals
}

// knownDialect reports whether there is a Pi of a dialect.
func knownDialect(dialect native.Dialect) bool {
	_, ok := launchRulesOf(dialect)
	return ok
}
