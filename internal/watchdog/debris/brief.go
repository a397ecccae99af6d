package debris

import (
	"fmt"
	"strings"
)

// Brief holds the facts that a successor is told (WDC-WORK-003, WDC-EVID-006, WDC-SIDE-005). Text puts them into words:
// of the predecessor's output nothing speaks through it but cleaned ids and names.
type Brief struct {
	Recreated bool     // the worktree was missing and is made again from the branch
	Evidence  string   // where the snapshot is; empty if its digest alone names it
	Digest    string   // of the snapshot
	Session   string   // the predecessor's; empty if it has none
	Calls     []Call   // without a saved result
	Midway    []string // what git is in the middle of: "merge", "rebase"
	Notes     []string // whatever else there is to know, in the caller's own words
}

// Call is a call of the predecessor whose result the successor does not see.
type Call struct {
	ID, Tool string
	Args     string // as far as they are known; shown quoted
	Effect   Effect
	Why      string // what shows the effect; may be empty
}

// Effect says whether a call has happened.
type Effect uint8

// What may be known of an effect. The successor looks itself where it is not known.
const (
	EffectUnknown Effect = iota
	EffectHappened
	EffectNone
)

// Text is the brief, a line a fact.
func (b *Brief) Text() string {
	var t strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&t, format+"\n", args...) }
	line("You take over the task of a worker that ended before it was done, in the same worktree and on the same branch.")
	if b.Recreated {
		line("- The worktree was missing and is made again from the branch.")
	}
	snapshot := Printable(b.Digest)
	if b.Evidence != "" {
		snapshot = fmt.Sprintf("%s, digest %s", Printable(b.Evidence), snapshot)
	}
	line("- A snapshot of the worktree as your predecessor left it: %s.", snapshot)
	if b.Session != "" {
		line("- Your predecessor's session: %s.", Printable(b.Session))
	}
	line("- Read git log and git status first: they are the memory of what is done.")
	line("- Verify before you repeat: a step without a result may have happened all the same.")
	for i := range b.Calls {
		line("- %s", b.Calls[i].text())
	}
	if len(b.Midway) > 0 {
		line("- Git is in the middle of a %s. Finish or abort it first.", Printable(strings.Join(b.Midway, ", ")))
	}
	for _, note := range b.Notes {
		line("- %s", Printable(note))
	}
	line("- Commit work in progress at each milestone.")
	return t.String()
}

// text says what is known of a call.
func (c *Call) text() string {
	name := fmt.Sprintf("Call %s of %s", ID(c.ID), ID(c.Tool))
	if c.Args != "" {
		name += fmt.Sprintf(" with %q", c.Args)
	}
	why := ""
	if c.Why != "" {
		why = " (" + Printable(c.Why) + ")"
	}
	switch c.Effect {
	case EffectHappened:
		return name + " has happened" + why + ", although you will be told that it gave no result."
	case EffectNone:
		return name + " has not happened" + why + ". It may be done now."
	}
	return "Whether c" + name[1:] + " had its effect is not known" + why + ": look before you do it again."
}
