package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"fakepi.example/fakepi"
	"fakepi.example/fakepi/native"
)

// makeAgentFiles makes what Pi keeps in its folder and a fake has no use for, empty, as Pi does before a session begins. As
// with Pi nobody is told of what goes wrong.
func (l *launch) makeAgentFiles() {
	if os.MkdirAll(l.agent, 0o700) != nil {
		return
	}
	for _, name := range l.rules.agentFiles {
		f, err := os.OpenFile(filepath.Join(l.agent, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, _ = f.WriteString("{}")
			_ = f.Close()
		}
	}
}

// noteVersion notes in the settings which version's news the user has seen, as an interactive Pi does for a new session.
func (l *launch) noteVersion() {
	const key = "lastChangelogVersion"
	version := l.rules.version
	if seen := native.Text(l.settings.Get("", key)); seen != "" && !older(seen, version) {
		return
	}
	change := fakepi.Setting{Key: key, Value: native.String(version)}
	l.settings.Global = change.In(l.settings.Global)
	l.files.Save(change)
}

// older reports whether a version such as 0.73.1 came before another.
func older(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, _ := strconv.Atoi(as[i]) // what is no number is the oldest
		y, _ := strconv.Atoi(bs[i])
		if order := cmp.Compare(x, y); order != 0 {
			return order < 0
		}
	}
	return false
}
