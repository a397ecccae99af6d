package world

import (
	"fmt"
	"slices"
	"time"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/conformance/trace"
	"fakepi.example/watchdog"
)

// tree is the worktree of a task with its branch and the branch at the remote. It is abstract, contents are numbers, and
// faithful: whoever changes it, each change shows in its digest, and what is undone does not.
type tree struct {
	task int // whose it is

	edited, untracked, ignored int // the changes that lie there uncommitted, each by the number of its last; 0 = none
	commits                    []int
	pushed                     int // how many of commits the remote has
	midway, missing, locked    bool
	gates                      []watchdog.Gate

	serial  int           // numbers changes
	wrote   time.Duration // when a process of the worker changed it last
	summary string        // the digest; empty = to be computed
}

// change notes that the tree is another one and numbers the change.
func (t *tree) change() int {
	t.serial++
	t.summary = ""
	return t.serial
}

func (t *tree) edit() {
	if !t.missing {
		t.edited = t.change()
	}
}

// commit adds a commit of all that was uncommitted, or an empty one.
func (t *tree) commit() {
	if !t.missing {
		t.commits = append(t.commits[:len(t.commits):len(t.commits)], t.change())
		t.edited, t.untracked = 0, 0
	}
}

// push gives the remote the branch, and reports whether it had not all of it.
func (t *tree) push() bool {
	if t.pushed == len(t.commits) {
		return false
	}
	t.pushed, t.summary = len(t.commits), ""
	return true
}

// restore makes a missing worktree again, from its branch.
func (t *tree) restore() {
	t.missing, t.summary = false, ""
}

// remove takes the folder away, with all that is uncommitted.
func (t *tree) remove() {
	t.missing, t.midway, t.edited, t.untracked, t.ignored, t.summary = true, false, 0, 0, 0, ""
}

// by changes the tree as a scenario says.
func (t *tree) by(c script.WorktreeChange) {
	switch c {
	case script.TreeEdited:
		t.edit()
	case script.TreeUntracked:
		t.untracked = t.change()
	case script.TreeIgnored:
		t.ignored = t.change()
	case script.TreeCommitted:
		t.commit()
	case script.TreePushed:
		t.push()
	case script.TreeReverted:
		t.commits, t.edited, t.untracked, t.summary = t.commits[:t.pushed], 0, 0, ""
	case script.TreeMidway:
		t.midway, t.summary = true, ""
	case script.TreeMissing:
		t.remove()
	case script.TreeCleaned:
		t.midway, t.edited, t.untracked, t.summary = false, 0, 0, ""
	}
}

// gate sets how a check stands on the commit that is the head now.
func (t *tree) gate(g script.Gate) {
	set := watchdog.Gate{Name: g.Name, Status: watchdog.GateStatus(g.Status), By: g.By, Head: t.head()}
	i := slices.IndexFunc(t.gates, func(old watchdog.Gate) bool { return old.Name == g.Name })
	t.gates = slices.Clone(t.gates)
	if i < 0 {
		i, t.gates = len(t.gates), append(t.gates, set)
	}
	t.gates[i], t.summary = set, ""
}

// The names of commits are made up; the first is where the branch began.
func (t *tree) name(n int) string {
	serial := 0
	if n > 0 {
		serial = t.commits[n-1]
	}
	return fmt.Sprintf("%010x", sum(uint64(t.task), uint64(serial))>>24)
}

func (t *tree) head() string   { return t.name(len(t.commits)) }
func (t *tree) remote() string { return t.name(t.pushed) }

// digest identifies all that the worktree and its branch hold and how its gates stand, without times: leave to publish is
// void once a gate fails.
func (t *tree) digest() string {
	if t.summary == "" {
		head := 0
		if n := len(t.commits); n > 0 {
			head = t.commits[n-1]
		}
		t.summary = fmt.Sprintf("%016x", sum(uint64(t.edited), uint64(t.untracked), uint64(t.ignored), uint64(head),
			uint64(t.pushed), flags(t.midway, t.missing), t.standing()))
	}
	return t.summary
}

// standing numbers how the gates stand.
func (t *tree) standing() uint64 {
	h := uint64(0)
	for _, g := range t.gates {
		for _, word := range []string{g.Name, string(g.Status), g.By, g.Head} {
			for i := range len(word) {
				h = sum(h, uint64(word[i]))
			}
		}
	}
	return h
}

// facts is what git tells of it.
func (t *tree) facts() watchdog.Worktree {
	return watchdog.Worktree{
		Missing: t.missing, Dirty: t.edited+t.untracked > 0, Ahead: len(t.commits) - t.pushed, Head: t.head(), Remote: t.remote(),
		Intended: t.head(), Midway: t.midway, Gates: t.gates, Digest: t.digest(),
	}
}

// truth is all of it, for whoever judges.
func (t *tree) truth() trace.Tree {
	return trace.Tree{Worktree: t.facts(), Wrote: t.wrote}
}

func flags(all ...bool) uint64 {
	var set uint64
	for i, f := range all {
		if f {
			set |= 1 << i
		}
	}
	return set
}

// sum is the FNV-1a hash of some numbers.
func sum(numbers ...uint64) uint64 {
	h := uint64(14695981039346656037)
	for _, n := range numbers {
		for range 8 {
			h = (h ^ n&0xff) * 1099511628211
			n >>= 8
		}
	}
	return h
}
