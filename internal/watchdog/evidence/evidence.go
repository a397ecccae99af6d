// Package evidence takes a snapshot of a worker's worktree before anything is done about the worker, checks it, and
// rebuilds the worktree from it (WDC-EVID-001 to 007).
//
// A snapshot is a directory of files with public names, sealed by a manifest that sha256sum can check. It is built
// beside its place, synced and renamed, so it is there whole or not at all. The source stays as it is, byte for byte,
// and git never runs what the worker has configured: it works with a private directory of its own (mirror.go,
// WDC-SAFE-005). Contents are captured raw, without line-end conversion or filters, so that a restore is exact.
package evidence

import (
	"errors"
	"time"
)

// The files of a snapshot. Those of git are missing where there is no git, others where there was nothing to capture.
const (
	ManifestFile   = "MANIFEST.sha256"      // of all other files, in the format of sha256sum
	RecordFile     = "snapshot.json"        // a Record
	BundleFile     = "repo.bundle"          // branch, commits that no remote has, stash, staged contents
	EditedFile     = "edited.tar"           // tracked files that are not as HEAD has them
	DataFile       = "git.tar"              // git's own files: index, reflogs; all of its data where no bundle can be made
	ObjectsFile    = "objects.txt"          // objects that no ref names: name, kind and what names them
	AttributesFile = "attributes.jsonl"     // modes, owners, times, hard links, holes and extended attributes
	OddFile        = "odd-git.tar"          // of what is called .git and is no repository; never restored
	WorktreeFile   = "worktree.patch"       // binary, full index, HEAD against the tracked files as they lie there, for people
	IndexFile      = "index.patch"          // the same against the index
	EntriesFile    = "index-entries.txt"    // of the index: flags, mode, object, stage and path, each ended by a NUL
	TreeFile       = "tree.txt"             // mode, SHA-256 and quoted path of everything that a restore rebuilds
	UntrackedFile  = "untracked.tar"        // files that git does not track, and empty folders
	IgnoredFile    = "ignored.txt"          // of ignored files: size, SHA-256 and quoted path
	IgnoredTar     = "ignored.tar"          // their contents, on request
	StashDir       = "stash"                // a patch a stash entry, for people
	StatusFile     = "status.txt"           // git status
	LogFile        = "log.txt"              // the last commits
	WorktreesFile  = "worktrees.txt"        // other worktrees of the repository
	ConfigFile     = "config-and-hooks.txt" // what the worker has configured, credentials masked; never executed
	StateDir       = "in-progress"          // files of an unfinished merge, rebase, cherry-pick or bisect
	DatabaseFile   = "db-backup.sqlite"     // a consistent copy of the tracker's database
	SessionFile    = "session.jsonl"        // the worker's session
	ProcessesFile  = "processes.json"       // the worker's process tree
	NestedDir      = "nested"               // a snapshot each for submodules and nested repositories
)

var (
	// ErrExists: the place for a snapshot or a restore is taken.
	ErrExists = errors.New("the target is not empty")
	// ErrNoSpace: the disk cannot hold it.
	ErrNoSpace = errors.New("not enough free space")
	// ErrTooLarge: untracked files are larger than the limit.
	ErrTooLarge = errors.New("untracked files are too large")
	// ErrNotAFile: what was named is a pipe, a device or a folder.
	ErrNotAFile = errors.New("it is no file")
	// ErrDatabase: the database is damaged, busy or none.
	ErrDatabase = errors.New("the database cannot be copied")
	// ErrDamaged: a snapshot is not what its manifest says, or a restore is not what was captured.
	ErrDamaged = errors.New("the evidence is damaged")
	// ErrRepository: the repository cannot be read.
	ErrRepository = errors.New("the repository cannot be read")
)

var (
	// errChanging: the source changed while it was captured.
	errChanging = errors.New("it changed meanwhile")
	// errInside: a folder lies within a worktree.
	errInside = errors.New("it is a part of a worktree")
)

// recordVersion is the version of the format of snapshots.
const recordVersion = 2

// Options says what to capture, and where to.
type Options struct {
	Worktree string // root of the worktree, with or without git
	Out      string // of the snapshot: a folder that does not exist, or an empty one
	Database string // SQLite file of the tracker; empty: none
	Session  string // session file of the worker; empty: none
	PID      int    // of the worker; 0: none

	Fast            bool          // leave out the proof that it restores; nothing can be removed on the strength of such a snapshot
	GitLimit        time.Duration // of one run of git; 0: DefaultGitLimit
	AllRefs         bool          // bundle the remote-tracking refs too
	IgnoredContents bool          // keep the contents of ignored files too
	MaxUntracked    int64         // bytes; 0: DefaultMaxUntracked
	Now             func() time.Time
	Wait            time.Duration // for a busy database; 0: DefaultWait
}

// The defaults of Options.
const (
	DefaultMaxUntracked = 1 << 30
	DefaultWait         = 30 * time.Second
)

// maxTakes is how often a worktree that changes meanwhile is captured; the last is kept.
const maxTakes = 3

// Record is what snapshot.json says.
type Record struct {
	Version  int       `json:"version"` // of this format: 2
	Digest   string    `json:"digest"`  // of what was captured, without times: the same state has the same digest
	Taken    time.Time `json:"taken"`
	Worktree string    `json:"worktree"`
	Takes    int       `json:"takes"` // 1, or more where the worktree changed meanwhile

	Repository string `json:"repository,omitempty"` // of a linked worktree: the folder of git's data that it shares

	Git    *GitRecord `json:"git,omitempty"`
	Nested []Nested   `json:"nested,omitempty"`

	Files   int       `json:"files"` // that a restore rebuilds
	Bytes   int64     `json:"bytes"`
	Tree    string    `json:"tree"` // SHA-256 of tree.txt
	Ignored int       `json:"ignored"`
	Skipped []Skipped `json:"skipped,omitempty"`

	Fast        bool      `json:"fast,omitempty"`         // the proof was left out
	Proven      bool      `json:"proven"`                 // it was restored, and was as captured
	Unreadable  string    `json:"unreadable,omitempty"`   // why git could not be read: the tree was captured without it
	Changing    []string  `json:"changing,omitempty"`     // what changed while it was captured, each time: one state of it is kept
	Missing     []Skipped `json:"missing,omitempty"`      // what git's state names, or git should have said, and the snapshot does not have
	NotRestored []Skipped `json:"not_restored,omitempty"` // attributes that the proof could not bring back

	Database   *Database `json:"database,omitempty"`
	Before     Source    `json:"source_before,omitzero"` // of the whole: empty in a nested record
	After      Source    `json:"source_after,omitzero"`
	IgnoredTar bool      `json:"ignored_contents,omitempty"`
}

// GitRecord is what git said.
type GitRecord struct {
	Head     string            `json:"head,omitempty"`   // commit; empty on an unborn branch
	Branch   string            `json:"branch,omitempty"` // "refs/heads/main"; empty when detached
	Format   string            `json:"object_format"`    // "sha1" or "sha256"
	Refs     map[string]string `json:"refs,omitempty"`   // in the bundle
	Stashes  []Stash           `json:"stashes,omitempty"`
	Unpushed int               `json:"unpushed"`              // commits that no remote has
	Unmerged []string          `json:"unmerged,omitempty"`    // paths in conflict
	Progress []string          `json:"in_progress,omitempty"` // "merge", "rebase", ...
	Settings []Setting         `json:"settings,omitempty"`    // the inert ones that were taken over
	Shallow  string            `json:"shallow,omitempty"`     // of a shallow clone: the boundary
	Index    string            `json:"index"`                 // SHA-256 of index-entries.txt

	Symbolic   map[string]string `json:"symbolic_refs,omitempty"`
	Own        map[string]string `json:"own_refs,omitempty"`    // of this worktree alone, such as those of a bisection
	State      string            `json:"state,omitempty"`       // SHA-256 of the state of an unfinished operation
	RefStorage string            `json:"ref_storage,omitempty"` // "reftable"; empty: files
	Raw        bool              `json:"raw,omitempty"`         // git's data are in git.tar as they lay there, in place of a bundle
}

// Stash is one stash entry, the newest first.
type Stash struct {
	Commit  string `json:"commit"`
	Message string `json:"message"`
}

// Setting is one key of git's configuration.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Nested is a submodule or another repository inside the worktree, with a snapshot of its own.
type Nested struct {
	Path   string `json:"path"` // in the worktree
	Dir    string `json:"dir"`  // in the snapshot
	Digest string `json:"digest"`
}

// Skipped is a file that could not be captured.
type Skipped struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Database is the copy of the tracker's database.
type Database struct {
	Path      string  `json:"path"`
	Integrity string  `json:"integrity"` // of the copy: "ok"
	Tables    []Table `json:"tables"`
}

// Table is one table with its number of rows.
type Table struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
}

// Source is what the source was before and after: SHA-256 of all its files, of git's index and of the database, to
// which others may have written meanwhile.
type Source struct {
	Tree     string `json:"tree"`
	Index    string `json:"index,omitempty"`
	Refs     string `json:"refs,omitempty"` // of HEAD, refs and reflogs, by size and time
	Database string `json:"database,omitempty"`
}
