package main

import (
	"bytes"
	"encoding/json"
	"time"

	"fakepi.example/fakepi/native"
	"fakepi.example/internal/fakepi/cli/disk"
)

// sessionRules are how a dialect's Pi finds, opens and lists sessions.
type sessionRules struct {
	dialect native.Dialect
	disk    disk.Disk

	passesOver  bool // a folder that is given holds the sessions of any working directory; those of others are passed over
	wholeID     bool // a session whose whole id is named comes before one whose id begins so
	headOffset  func(data []byte) int
	endsLine    bool // a last line without its line feed gets it
	byteOrder   bool // a byte order mark is trimmed off
	needsHeader bool // a file that is not empty and has no header is no session
	completes   bool // the path of a session to export is completed
	exclusive   bool // the first line of a session creates its file, which must not be there

	keepsChosen bool // a menu stays at the chosen session when it lists those of other folders
	treeAge     func(i sessionInfo, below map[string][]sessionInfo) time.Time
	leaves      bool // a terminal that goes away while the menu is open is as if the user declined
}

// sessionRulesOf are the rules of a dialect.
func sessionRulesOf(dialect native.Dialect) sessionRules {
	switch dialect {
	case native.Pi073:
		return sessionRules{
			dialect: dialect, disk: disk.Of(dialect), byteOrder: true,
			headOffset: func([]byte) int { return 0 },
			treeAge:    func(i sessionInfo, _ map[string][]sessionInfo) time.Time { return i.modified },
		}
	default:
		return sessionRules{
			dialect: dialect, disk: disk.Of(dialect), passesOver: true, wholeID: true, endsLine: true, needsHeader: true, completes: true, exclusive: true,
			headOffset: falseHead, treeAge: latestIn, keepsChosen: true, leaves: true,
		}
	}
}

// falseHead is how many bytes stand before the first line that is not read over: what is no JSON, and
// what JavaScript takes for false, is.
func falseHead(data []byte) (n int) {
	for line := range bytes.Lines(data) {
		var v any
		if json.Unmarshal(line, &v) == nil && v != nil && v != false && v != 0.0 && v != "" {
			break
		}
		n += len(line)
	}
	return n
}
