package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fakepi.example/fakepi"
	"fakepi.example/internal/fakepi/cli/disk"
	"fakepi.example/internal/fakepi/cli/refusal"
	"fakepi.example/internal/fakepi/quirks/nodefs"
)

// sessions is where the sessions of a working directory are (docs/pi-formats.md, section 5), and how Pi finds one.
type sessions struct {
	rules  sessionRules
	cwd    string
	agent  string // Pi's own folder
	custom string // a folder given instead of that of the working directory, perhaps relative to it; empty: none
}

// folder is where new sessions go.
func (s *sessions) folder() string {
	if s.custom != "" {
		return s.custom
	}
	return s.ordinary()
}

// folderOf is where sessions go that follow one: beside it, unless a folder is given.
func (s *sessions) folderOf(o opened) string {
	if o.path != "" && s.custom == "" {
		return filepath.Dir(o.path)
	}
	return s.folder()
}

func (s *sessions) ordinary() string {
	return filepath.Join(s.agent, "sessions", fakepi.SessionFolder(s.cwd))
}

// makeOwn makes the folder of the working directory, as Pi does where it looks for a session in it.
func (s *sessions) makeOwn() error {
	if s.custom != "" {
		return nil
	}
	return nodefs.MakeFolder(s.ordinary())
}

// mixed reports whether sessions of other working directories in the folder are passed over.
func (s *sessions) mixed() bool {
	custom := s.custom
	if !filepath.IsAbs(custom) {
		custom = filepath.Join(s.cwd, custom)
	}
	return s.rules.passesOver && s.custom != "" && custom != s.ordinary()
}

// find finds a session by a path or by the first characters of its id, here or in other working directories; foreign is
// then that of the session. The error is a plainError, or that of a folder.
func (s *sessions) find(arg string) (path, foreign string, err error) {
	if strings.ContainsAny(arg, `/\`) || strings.HasSuffix(arg, ".jsonl") {
		return disk.InFolder(s.cwd, s.rules.disk.Path(arg)), "", nil
	}
	if err := s.makeOwn(); err != nil {
		return "", "", err
	}
	if path := s.byID(arg); path != "" && s.rules.wholeID {
		return path, "", nil
	}
	for _, i := range s.list() {
		if strings.HasPrefix(i.id, arg) {
			return i.path, "", nil
		}
	}
	all := s.listAll()
	for _, fits := range []func(id string) bool{
		func(id string) bool { return s.rules.wholeID && id == arg },
		func(id string) bool { return strings.HasPrefix(id, arg) },
	} {
		if i := slices.IndexFunc(all, func(i sessionInfo) bool { return fits(i.id) }); i >= 0 {
			return all[i].path, all[i].cwd, nil
		}
	}
	return "", "", refusal.PlainError("No session found matching '" + arg + "'")
}

// byID finds the session of this working directory that has an id; empty if none has.
func (s *sessions) byID(id string) string {
	for _, path := range sessionFiles(s.folder()) {
		if h, _, ok := readHeader(path); ok && h.ID == id && (!s.mixed() || h.CWD == s.cwd) {
			return path
		}
	}
	return ""
}

// newest finds the session that was written last; empty if there is none.
func (s *sessions) newest() string {
	newest, when := "", time.Time{}
	for _, path := range sessionFiles(s.folder()) {
		h, _, ok := readHeader(path)
		if !ok || s.mixed() && h.CWD != s.cwd {
			continue
		}
		info, err := os.Stat(path)
		if err == nil && (newest == "" || !info.ModTime().Before(when)) {
			newest, when = path, info.ModTime()
		}
	}
	return newest
}

// sessionFiles lists the session files of a folder by name; of one that cannot be read, none.
func sessionFiles(dir string) []string {
	var files []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".jsonl") {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// sessionHeader is line 1 of a session, as far as finding one needs it.
type sessionHeader struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	CWD       string `json:"cwd"`
	Timestamp string `json:"timestamp"`
	Parent    any    `json:"parentSession"`
}

// readHeader reads the header of a session file and where it begins. Lines before it that are no JSON do not count.
func readHeader(path string) (h sessionHeader, offset int, ok bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return h, 0, false
	}
	return headerOf(data)
}

func headerOf(data []byte) (h sessionHeader, offset int, ok bool) {
	for line := range bytes.Lines(data) {
		if json.Valid(line) && len(bytes.TrimSpace(line)) > 0 {
			err := json.Unmarshal(line, &h)
			return h, offset, err == nil && h.Type == "session" && h.ID != ""
		}
		offset += len(line)
	}
	return h, offset, false
}

// sessionInfo is what a list of sessions shows of one.
type sessionInfo struct {
	path, id, cwd string
	name          string
	first         string   // the first message of the user
	said          []string // all that the user and the model have said
	parent        string   // the file that it was forked from; empty: none
	messages      int
	modified      time.Time
}

// list lists the sessions of this working directory, the one that was used last first.
func (s *sessions) list() []sessionInfo {
	infos := infosOf(sessionFiles(s.folder()))
	if s.mixed() {
		infos = slices.DeleteFunc(infos, func(i sessionInfo) bool { return i.cwd != s.cwd })
	}
	return infos
}

// listAll lists the sessions of every working directory.
func (s *sessions) listAll() []sessionInfo {
	if s.rules.passesOver && s.custom != "" {
		return infosOf(sessionFiles(s.custom))
	}
	var files []string
	root := filepath.Join(s.agent, "sessions")
	folders, _ := os.ReadDir(root)
	for _, f := range folders {
		files = append(files, sessionFiles(filepath.Join(root, f.Name()))...)
	}
	return infosOf(files)
}

func infosOf(files []string) []sessionInfo {
	var infos []sessionInfo
	for _, path := range files {
		if i, ok := readInfo(path); ok {
			infos = append(infos, i)
		}
	}
	slices.SortStableFunc(infos, func(a, b sessionInfo) int {
		return cmp.Or(b.modified.Compare(a.modified), cmp.Compare(b.path, a.path))
	})
	return infos
}

// infoEntry is an entry of a session, as far as a list needs it.
type infoEntry struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Message struct {
		Role      string          `json:"role"`
		Content   json.RawMessage `json:"content"`
		Timestamp int64           `json:"timestamp"`
	} `json:"message"`
}

// readInfo reads a session for a list. What it cannot read of an entry it passes over.
func readInfo(path string) (sessionInfo, bool) {
	data, err := os.ReadFile(path)
	h, offset, ok := headerOf(data)
	if err != nil || !ok {
		return sessionInfo{}, false
	}
	i := sessionInfo{path: path, id: h.ID, cwd: h.CWD}
	i.parent, _ = h.Parent.(string)
	i.modified, _ = time.Parse(time.RFC3339, h.Timestamp) // a session without a time is the oldest
	for line := range bytes.Lines(data[offset:]) {
		var e infoEntry
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		switch e.Type {
		case "session_info":
			i.name = strings.TrimSpace(e.Name)
		case "message":
			i.add(e)
		}
	}
	return i, true
}

func (i *sessionInfo) add(e infoEntry) {
	i.messages++
	if role := e.Message.Role; role != "user" && role != "assistant" {
		return
	}
	if at := time.UnixMilli(e.Message.Timestamp); at.After(i.modified) {
		i.modified = at
	}
	var blocks []struct{ Text string }
	var text string
	if json.Unmarshal(e.Message.Content, &text) != nil && json.Unmarshal(e.Message.Content, &blocks) == nil {
		var texts []string
		for _, b := range blocks {
			texts = append(texts, b.Text)
		}
		text = strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), " ")
	}
	if text == "" {
		return
	}
	i.said = append(i.said, text)
	if i.first == "" && e.Message.Role == "user" {
		i.first = text
	}
}
