package main

import (
	"slices"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/agentdir"
)

// optionRules are how a dialect's Pi reads its command line.
type optionRules struct {
	options       []option
	endOfOptions  bool   // what follows "--" is no option
	strictValues  bool   // a value that begins with a dash is none, and a missing one is told of
	refusesMode   bool   // a mode that it does not know; otherwise that is passed over
	refusesTools  bool   // names of tools that contradict each other
	needsTerminal bool   // an interactive one prints on a terminal
	namesLate     bool   // the session's name is checked when the session was found
	emptyDir      string // the folder of the sessions that an empty text names
	once          bool   // nothing is printed twice before it begins

	patterns    func(text string) []string // of --models
	needsModel  bool                       // --provider without --model is refused
	chooseModel func(o *options, s agentdir.Search, models []native.Model) error

	imagesLast bool     // what is told of images stands behind the message
	imageKeys  []string // the order of an image's keys; nil: the usual

	builtins      []string // extensions of its own, named builtin:NAME; nil: such a name is one of a file
	extensionHint string
}

// optionRulesOf are the rules of a dialect.
func optionRulesOf(dialect native.Dialect) optionRules {
	switch dialect {
	case native.Pi073:
		return optionRules{
			options: piOptions, emptyDir: ".", patterns: allPatterns, chooseModel: (*options).chooseModel073,
			imageKeys: []string{"type", "mimeType", "data"},
		}
	default:
		return optionRules{
			options: slices.Concat(piOptions, laterOptions), endOfOptions: true, strictValues: true, refusesMode: true, refusesTools: true,
			needsTerminal: true, namesLate: true, once: true,
			patterns: splitNames, needsModel: true, chooseModel: (*options).chooseModel16,
			imagesLast: true,
			builtins:   []string{"llama.cpp", "codemode", "tool-search", "mcp"}, extensionHint: `Hint: Start without extensions using "pi -ne".`,
		}
	}
}
