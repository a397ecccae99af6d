package main

import "fakepi.example/fakepi/native"

// processRules are how a dialect's Pi deals with the readers of its streams.
type processRules struct {
	waitsForReader bool // a run goes on only as stdout is read; otherwise what is not read waits in memory
	hastyRPC       bool // in rpc mode what is not read at the exit is lost
}

// processRulesOf are the rules of a dialect.
func processRulesOf(dialect native.Dialect) processRules {
	switch dialect {
	case native.Pi073:
		return processRules{hastyRPC: true}
	default:
		return processRules{waitsForReader: true}
	}
}
