package evidence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// State is what is known of a worktree now, from fresh facts. Nothing of it is kept.
type State struct {
	Missing   bool       `json:"missing,omitempty"`
	Digest    string     `json:"digest,omitempty"` // that a snapshot taken now would have
	Tree      string     `json:"tree,omitempty"`   // SHA-256 of all files but the ignored ones
	Git       *GitRecord `json:"git,omitempty"`    // nil without git
	Edited    []string   `json:"edited,omitempty"` // tracked files that differ from HEAD, in the tree or in the index
	Untracked int        `json:"untracked"`        // files
	Ignored   int        `json:"ignored"`          // files
	Nested    []Inner    `json:"nested,omitempty"`

	Unreadable string    `json:"unreadable,omitempty"` // why git cannot be read: then nobody knows what is at risk
	Skipped    []Skipped `json:"skipped,omitempty"`    // what of the tree cannot be read
}

// Inner is the state of a repository inside the worktree.
type Inner struct {
	Path  string `json:"path"`
	State *State `json:"state"`
}

// Dirty reports whether there is work that no commit has, here or in a nested repository. An unfinished merge or rebase
// is such work, a stash entry of its branch too, and what git cannot read may be.
func (s *State) Dirty() bool {
	if len(s.Edited) > 0 || s.Untracked > 0 || s.Unreadable != "" {
		return true
	}
	if s.Git != nil && (len(s.Git.OwnStashes()) > 0 || len(s.Git.Progress) > 0 || len(s.Git.Unmerged) > 0) {
		return true
	}
	for _, n := range s.Nested {
		if n.State.Dirty() {
			return true
		}
	}
	return false
}

// Ahead is how many commits no remote has, nested repositories included.
func (s *State) Ahead() int {
	n := 0
	if s.Git != nil {
		n = s.Git.Unpushed
	}
	for _, inner := range s.Nested {
		n += inner.State.Ahead()
	}
	return n
}

// Inspect reads the state of a worktree and leaves it as it is. Like a snapshot it runs nothing that the worker has
// configured.
func Inspect(ctx context.Context, worktree string) (*State, error) {
	at, err := filepath.Abs(worktree)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
		return &State{Missing: true}, nil
	}
	top, _, err := lookAt(ctx, at)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "evidence-inspect-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	return (&taking{options: &Options{MaxUntracked: DefaultMaxUntracked}, work: work}).inspect(ctx, top)
}

// lookAt looks at a worktree by any of its names.
func lookAt(ctx context.Context, worktree string) (*site, Source, error) {
	at, err := filepath.Abs(worktree)
	if err != nil {
		return nil, Source{}, err
	}
	if at, err = filepath.EvalSymlinks(at); err != nil {
		return nil, Source{}, fmt.Errorf("%w: %w", ErrRepository, err)
	}
	top := &site{at: at}
	source, err := look(ctx, &Options{}, top)
	return top, source, err
}

func (t *taking) inspect(ctx context.Context, s *site) (*State, error) {
	st, err := t.read(ctx, s)
	if err != nil {
		return nil, err
	}
	found := &State{
		Digest: st.record.Digest, Tree: sumOf([]byte(treeText(st.restored(false)))), Ignored: len(st.parts.ignored),
		Git: st.record.Git, Unreadable: st.record.Unreadable, Skipped: st.listing.skipped,
	}
	for _, it := range st.parts.untracked {
		if !it.mode.IsDir() {
			found.Untracked++
		}
	}
	if st.git != nil {
		found.Edited = st.edited()
	}
	var nested []Nested
	for i, inner := range s.nested {
		state, err := t.inspect(ctx, inner)
		if err != nil {
			return nil, err
		}
		found.Nested = append(found.Nested, Inner{s.listing.nested[i], state})
		nested = append(nested, Nested{Path: s.listing.nested[i], Digest: state.Digest})
	}
	found.Digest = withNested(found.Digest, nested)
	return found, nil
}
