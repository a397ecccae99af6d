package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"fakepi.example/internal/fakepi/cli/disk"
	"fakepi.example/internal/fakepi/tui"
)

// sessionMenu is the menu of --resume (docs/pi-formats.md, section 13): which sessions it lists, in which order.
type sessionMenu struct {
	sessions *sessions
	anywhere bool // of every working directory
	order    sessionOrder
	named    bool // those that have a name
	paths    bool // each with its file

	loaded []sessionInfo // of the scope, the one that was used last first
	typed  string
	found  []sessionInfo // by what is typed
}

// sessionOrder is how sessions are sorted.
type sessionOrder uint8

const (
	threaded sessionOrder = iota // each below the one that it was forked from
	recent
	sessionOrders
)

func (o sessionOrder) String() string { return [...]string{"Threaded", "Recent"}[o] }

// menuKeys are the menu's own keys.
var menuKeys = []string{"tab", "ctrl+s", "ctrl+n", "ctrl+p", "ctrl+d"}

func newSessionMenu(s *sessions) *sessionMenu {
	m := &sessionMenu{sessions: s}
	m.load()
	return m
}

func (m *sessionMenu) load() {
	if m.loaded = m.sessions.list(); m.anywhere {
		m.loaded = m.sessions.listAll()
	}
}

// press is one of the menu's own keys, with the session that is chosen. It returns which one is chosen then; before any
// movement that is the first in Pi 1.6.
func (m *sessionMenu) press(key string, chosen int, moved bool) int {
	path := ""
	if chosen >= 0 {
		path = m.found[chosen].path
	}
	switch key {
	case "ctrl+s":
		m.order = (m.order + 1) % sessionOrders
	case "ctrl+n":
		m.named = !m.named
	case "ctrl+p":
		m.paths = !m.paths
	case "tab":
		m.anywhere = !m.anywhere
		m.load()
		if !m.sessions.rules.keepsChosen {
			break
		}
		if !moved {
			return 0
		}
		listed := m.listed(m.typed)
		if at := slices.IndexFunc(listed, func(i sessionInfo) bool { return i.path == path }); at >= 0 {
			return at
		}
	}
	return max(chosen, 0)
}

// remove deletes a session's file.
func (m *sessionMenu) remove(chosen int) error {
	err := os.Remove(m.found[chosen].path)
	m.load()
	return err
}

// dialog is what the menu shows, with the session that is chosen.
func (m *sessionMenu) dialog(chosen int) tui.Dialog {
	scope, names := "(Current Folder)  ◉ Current Folder | ○ All", "All"
	if m.anywhere {
		scope = "(All)  ○ Current Folder | ◉ All"
	}
	if m.named {
		names = "Named"
	}
	return tui.Dialog{
		Title:  fmt.Sprintf("Resume Session %s  Name: %s  Sort: %s\ntab scope  ctrl+s sort  ctrl+n named  ctrl+d delete  ctrl+p path", scope, names, m.order),
		Search: m.empty(), Keys: menuKeys, Find: m.find, First: chosen, Stays: !m.sessions.rules.keepsChosen,
	}
}

// empty is what the menu shows where it finds nothing.
func (m *sessionMenu) empty() string {
	switch {
	case m.named && m.anywhere:
		return "No named sessions found. Press Ctrl+N to show all."
	case m.named:
		return "No named sessions in current folder. Press Ctrl+N to show all, or Tab to view all."
	case m.anywhere:
		return "No sessions found"
	}
	return "No sessions in current folder. Press Tab to view all."
}

// find lists what a text finds.
func (m *sessionMenu) find(typed string) []string {
	m.typed, m.found = typed, m.listed(typed)
	var options []string
	for _, i := range m.found {
		option := fmt.Sprintf("%s  %d %s", cmp.Or(i.name, i.first, "(no messages)"), i.messages, age(time.Since(i.modified)))
		if m.anywhere && i.cwd != "" {
			option += " " + disk.UnderHome(i.cwd)
		}
		if m.paths {
			option += " " + disk.UnderHome(i.path)
		}
		options = append(options, option)
	}
	return options
}

// listed are the sessions that a text finds, in the menu's order.
func (m *sessionMenu) listed(typed string) []sessionInfo {
	all := m.loaded
	if m.named {
		all = slices.DeleteFunc(slices.Clone(all), func(i sessionInfo) bool { return i.name == "" })
	}
	words := strings.Fields(strings.ToLower(typed))
	if len(words) == 0 && m.order == threaded {
		return threads(all, m.sessions.rules.treeAge)
	}
	return slices.DeleteFunc(slices.Clone(all), func(i sessionInfo) bool { return !i.hasAll(words) })
}

// hasAll reports whether a session has words, in lower case, in its id, its name, its folder or what was said.
func (i *sessionInfo) hasAll(words []string) bool {
	text := strings.ToLower(i.id + " " + i.name + " " + strings.Join(i.said, " ") + " " + i.cwd)
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// threads lists sessions in trees, each below the one that it was forked from, the latest first.
func threads(all []sessionInfo, age func(sessionInfo, map[string][]sessionInfo) time.Time) []sessionInfo {
	listed := map[string]bool{}
	for _, i := range all {
		listed[i.path] = true
	}
	below := map[string][]sessionInfo{} // by their parent's path; "": that is not listed
	for _, i := range all {
		parent := i.parent
		if !listed[parent] {
			parent = ""
		}
		below[parent] = append(below[parent], i)
	}
	var tree []sessionInfo
	var walk func(parent string)
	walk = func(parent string) {
		children := below[parent]
		slices.SortStableFunc(children, func(a, b sessionInfo) int { return age(b, below).Compare(age(a, below)) })
		for _, i := range children {
			tree = append(tree, i)
			walk(i.path)
		}
	}
	walk("")
	return tree
}

// latestIn is when a session, or one below it, was used last.
func latestIn(i sessionInfo, below map[string][]sessionInfo) time.Time {
	at := i.modified
	for _, child := range below[i.path] {
		if t := latestIn(child, below); t.After(at) {
			at = t
		}
	}
	return at
}

// age is how long ago something was, in one word.
func age(ago time.Duration) string {
	days := int(ago / (24 * time.Hour))
	switch {
	case ago < time.Minute:
		return "now"
	case ago < time.Hour:
		return fmt.Sprintf("%dm", int(ago.Minutes()))
	case days < 1:
		return fmt.Sprintf("%dh", int(ago.Hours()))
	case days < 7:
		return fmt.Sprintf("%dd", days)
	case days < 30:
		return fmt.Sprintf("%dw", days/7)
	case days < 365:
		return fmt.Sprintf("%dmo", days/30)
	}
	return fmt.Sprintf("%dy", days/365)
}
