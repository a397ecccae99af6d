package holder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"fakepi.example/watchdog"
)

// session follows the file into which Pi writes its session, for a worker whose own streams say nothing of what it does:
// one in print mode or on a terminal. Pi names the file by itself, so the one that grows is followed.
type session struct {
	folder string
	file   string           // if it is given
	before map[string]int64 // sizes of the files that were there when the worker started
	open   *os.File         // the followed one
	inode  uint64
}

// newSession says where the session of a worker will be.
func newSession(command []string, cwd string) *session {
	s := &session{folder: filepath.Join(agentDir(), "sessions", cwdFolder(cwd))}
	for i, arg := range command[:max(0, len(command)-1)] {
		switch value := command[i+1]; arg {
		case "--session-dir":
			s.folder = absolute(cwd, value)
		case "--session":
			if strings.ContainsRune(value, filepath.Separator) || strings.HasSuffix(value, ".jsonl") {
				s.file = absolute(cwd, value)
				s.folder = filepath.Dir(s.file)
			}
		}
	}
	s.before = s.sizes()
	return s
}

// agentDir is Pi's own folder.
func agentDir() string {
	if dir := os.Getenv("PI_CODING_AGENT_DIR"); dir != "" {
		return dir
	}
	home, _ := os.UserHomeDir() // without one there is nothing to follow
	return filepath.Join(home, ".pi", "agent")
}

// cwdFolder is how Pi names the folder for the sessions of a working directory.
func cwdFolder(cwd string) string {
	return "--" + strings.ReplaceAll(strings.TrimPrefix(cwd, "/"), "/", "-") + "--"
}

func absolute(cwd, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(cwd, path)
}

// sizes lists the session files.
func (s *session) sizes() map[string]int64 {
	found := map[string]int64{}
	names, _ := filepath.Glob(filepath.Join(escape(s.folder), "*.jsonl")) // the pattern is good
	if s.file != "" {
		names = []string{s.file}
	}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			found[name] = info.Size()
		}
	}
	return found
}

// escape makes a path a pattern that matches it alone.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// follow reads the session until done is closed, and a last time then: all that the worker has written.
func (h *hold) follow(s *session, done <-chan struct{}) {
	news, err := fsnotify.NewWatcher()
	if err != nil {
		h.fail(err)
		return
	}
	defer func() { _ = news.Close() }() // nobody reads it any more
	for {
		s.watch(news)
		h.readSession(s)
		select {
		case <-news.Events:
		case <-news.Errors: // events were lost; what they were about is found all the same
		case <-done:
			h.readSession(s)
			if s.open != nil {
				_ = s.open.Close() // it was only read
			}
			return
		}
	}
}

// watch waits for the folder, or for the nearest of its parents that is there.
func (s *session) watch(news *fsnotify.Watcher) {
	for dir := s.folder; ; dir = filepath.Dir(dir) {
		if err := news.Add(dir); err == nil || dir == filepath.Dir(dir) {
			return
		}
	}
}

// readSession writes down what was added to the session.
func (h *hold) readSession(s *session) {
	s.choose(h)
	if s.open == nil {
		return
	}
	buf := make([]byte, pieceSize)
	for {
		n, err := s.open.Read(buf)
		if n > 0 {
			h.noteBytes(watchdog.StreamSession, buf[:n])
		}
		if n == 0 || err != nil {
			return
		}
	}
}

// choose finds the file that the worker writes, and notices that the followed one shrank or became another.
func (s *session) choose(h *hold) {
	if s.open != nil {
		info, err := os.Stat(s.open.Name())
		at, serr := s.open.Seek(0, 1)
		switch {
		case err == nil && inode(info) == s.inode && serr == nil && info.Size() < at:
			h.restartSession(watchdog.FileTruncated)
			_, _ = s.open.Seek(0, 0)
		case err == nil && inode(info) != s.inode:
			s.reopen(h, s.open.Name(), 0)
		}
	}
	newest := ""
	for name, size := range s.sizes() {
		if old, there := s.before[name]; (!there || size != old) && name > newest {
			newest = name
		}
	}
	if newest != "" && (s.open == nil || newest > s.open.Name()) {
		s.reopen(h, newest, s.before[newest])
	}
}

// reopen follows another file from an offset on.
func (s *session) reopen(h *hold, name string, from int64) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return // the next look finds what there is then
	}
	if err != nil {
		h.fail(err)
		return
	}
	if s.open != nil {
		_ = s.open.Close() // it was only read
		h.restartSession(watchdog.FileReplaced)
	}
	info, err := file.Stat()
	if err != nil {
		h.fail(err)
		return
	}
	if info.Size() >= from {
		_, _ = file.Seek(from, 0)
	}
	s.open, s.inode = file, inode(info)
}

func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// restartSession notes that the session is read from its beginning again.
func (h *hold) restartSession(change watchdog.FileChange) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.note(watchdog.File{Stream: watchdog.StreamSession, Change: change})
	h.offsets[watchdog.StreamSession] = 0
}
