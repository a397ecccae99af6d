package fidelity

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"fakepi.example/internal/fakepi/fidelity/realpi"
)

// Run is what a case came to.
type Run struct {
	Place Place
	First int // number of the first Pi
	Pis   []Ended
	Files map[string]string // of the worktree, at the end
	Vars  map[string]string // what the placeholders of the client stood for
	sent  int               // commands with an id before the second Pi
}

// Ended is one Pi that has ended.
type Ended struct {
	Stdout   []Record
	Seen     int // lines of stdout up to the one that the client awaited last
	Stderr   string
	Exit     string              // "exit 0", "SIGKILL"
	Title    string              // its name and command line, as the system lists them; empty where there was no time to look
	Settings string              // settings.json of the agent folder at the exit
	Sessions map[string][]Record // the session files at the exit, by their paths below the agent's folder
}

// Write writes what each Pi printed and left into a folder, under names that begin so: "pi-1.stdout", "pi-1.session-1.jsonl".
func (r Run) Write(dir, name string) error {
	var errs []error
	write := func(i int, what string, records []Record) {
		var text bytes.Buffer
		for _, record := range records {
			text.Write(append(record.Raw, '\n'))
		}
		file := fmt.Sprintf("%s-%d.%s", name, r.First+i, what)
		errs = append(errs, os.WriteFile(filepath.Join(dir, file), text.Bytes(), 0o644))
	}
	for i, pi := range r.Pis {
		write(i, "stdout", pi.Stdout)
		for j, session := range slices.Sorted(maps.Keys(pi.Sessions)) {
			write(i, fmt.Sprintf("session-%d.jsonl", j+1), pi.Sessions[session])
		}
	}
	return errors.Join(errs...)
}

func readSessions(at Place) (map[string][]Record, error) {
	sessions := map[string][]Record{}
	root := realpi.AgentDir(at.Home)
	err := eachFile(filepath.Join(root, "sessions"), func(name string, data []byte) error {
		sessions["sessions/"+name] = recordsOf(data)
		return nil
	})
	return sessions, err
}

// recordsOf cuts a file into its lines. One that lacks its line end is told by a last record.
func recordsOf(data []byte) []Record {
	var records []Record
	for line := range strings.Lines(string(data)) {
		text, whole := strings.CutSuffix(line, "\n")
		records = append(records, NewRecord([]byte(text)))
		if !whole {
			records = append(records, Record{Raw: []byte("no line end")})
		}
	}
	return records
}

// Parts are what of a run is compared, in the common form.
func (r Run) Parts(c Case) []Part {
	n := NewNormal(r.Place.Home, r.Place.Work, c.Script.Snapshots)
	n.recounts = c.Script.Recorded != nil || c.Script.beside()
	var parts []Part
	for i, pi := range r.Pis {
		prefix := fmt.Sprintf("Pi %d: ", r.First+i)
		stdout := pi.Stdout
		if c.Script.Unordered {
			stdout = ordered(stdout)
		}
		said, places := splitCrash(n.Text(pi.Stderr))
		parts = append(parts,
			Part{prefix + "stdout", n.Stream(stdout)},
			Part{prefix + "stderr", textPart(said)},
			Part{prefix + "places of a crash", textPart(places)},
			Part{prefix + "exit", textPart(pi.Exit)},
			Part{prefix + "title", textPart(pi.Title)},
			Part{prefix + "settings.json", textPart(n.Text(pi.Settings))})
		for j, name := range slices.Sorted(maps.Keys(pi.Sessions)) { // by their times
			parts = append(parts, Part{fmt.Sprintf("%ssession %d: %s", prefix, j+1, anonymous(n.Text(name))), n.Entries(pi.Sessions[name])})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		records := textPart(n.Text(r.Files[name]))
		if strings.HasSuffix(name, ".jsonl") {
			records = n.Entries(recordsOf([]byte(r.Files[name])))
		}
		parts = append(parts, Part{"worktree: " + anonymous(n.Text(name)), records})
	}
	return parts
}

var markedForm = regexp.MustCompile(idBegins + "[^" + idEnds + "]*" + idEnds)

// anonymous is a name without its ids.
func anonymous(name string) string { return markedForm.ReplaceAllString(name, "ID") }

func textPart(text string) []Record {
	var records []Record
	for line := range strings.Lines(text) {
		records = append(records, Record{Raw: []byte(line)})
	}
	return records
}
